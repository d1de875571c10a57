/// Base 32, where a person or a file system that knows no capital letters reads bytes.
extension [UInt8] {
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
            switch letter {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): bits = bits << 5 | UInt32(letter - UInt8(ascii: "a"))
            case UInt8(ascii: "2")...UInt8(ascii: "7"): bits = bits << 5 | UInt32(letter - UInt8(ascii: "2") + 26)
            default: return nil
            }
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
