extension String {
    /// This name as a person types it in a shell, quoted where it has to be, as ls(1) does on a terminal.
    var shellWord: String {
        if isEmpty { return "''" }
        if printable != self { return "$'\(unicodeScalars.map(\.inDollarQuotes).joined())'" }
        let isSpecial = unicodeScalars.contains(where: Self.specials.contains)
        guard isSpecial || hasPrefix("~") || hasPrefix("#") else { return self }
        guard contains("'") else { return "'\(self)'" }
        if !contains(where: { "\"$`\\!".contains($0) }) { return "\"\(self)\"" }
        return "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }

    private static let specials = Set(" !\"$&'()*;<>?[\\]^`{|}".unicodeScalars)
}

extension Unicode.Scalar {
    /// Between `$'` and `'`, where bash and zsh read escapes.
    fileprivate var inDollarQuotes: String {
        if self == "'" || self == "\\" { return "\\\(self)" }
        if String(self).printable == String(self) { return String(self) }
        let digits = String(value, radix: 16)
        return value < 0x80
            ? "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
            : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
