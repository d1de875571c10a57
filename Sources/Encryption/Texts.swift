/// Bytes as texts: hexadecimal digits in files, base 32 where a person or a file system that knows no capital letters reads them.

extension [UInt8] {
    var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// - Returns: nil for a text that `hexadecimal` never is.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map(Self.value(ofDigit:))
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 != nil }) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// RFC 4648 in small letters, without padding.
    var base32: String {
        var text: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for byte in self {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(Self.letters[Int(bits >> UInt32(count) & 31)])
            }
        }
        if count > 0 { text.append(Self.letters[Int(bits << UInt32(5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil for a text that `base32` never is.
    init?(base32 text: some StringProtocol) {
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for letter in text.utf8 {
            guard let value = Self.letters.firstIndex(of: letter) else { return nil }
            bits = bits << 5 | UInt32(value)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard bytes.base32.utf8.elementsEqual(text.utf8) else { return nil }
        self = bytes
    }

    private static let letters = Array<UInt8>("abcdefghijklmnopqrstuvwxyz234567".utf8)
}
