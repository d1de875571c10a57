extension String {
    /// This text without anything that commands a terminal. A name may contain control characters: printed as they are, they could move the
    /// cursor, change colours, or turn the direction of what follows.
    var printable: String {
        guard unicodeScalars.contains(where: \.isCommand) else { return self }
        return unicodeScalars.map { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            case _ where scalar.isCommand && scalar.value < 0x80:
                "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            case _ where scalar.isCommand: "\\u{" + String(scalar.value, radix: 16) + "}"
            default: String(scalar)
            }
        }.joined()
    }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, line and paragraph separators, and the marks that set the direction of text.
    fileprivate var isCommand: Bool {
        switch value {
        case 0..<0x20, 0x7f..<0xa0, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
