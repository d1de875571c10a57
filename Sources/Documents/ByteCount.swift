/// A number of bytes as people type it: `1048576`, `500M`, `1G`, `1.5GiB`. The units are powers of 1024, as those of `du -h`.
public struct ByteCount: Sendable, Equatable {
    /// From 1 to 2^62; a part of a byte is dropped.
    public let bytes: Int64

    private static let units: [String: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

    /// - Returns: nil for anything else, and for zero.
    public init?(_ text: String) {
        var number = text[...]
        var unit: Int64 = 1
        if number.hasSuffix("iB") {
            number = number.dropLast(2)
            guard let last = number.last, Self.units[String(last)] != nil else { return nil }
        } else if number.hasSuffix("B") {
            number = number.dropLast()
        }
        if let last = number.last, let known = Self.units[last.uppercased()] {
            unit = known
            number = number.dropLast()
        }
        let isPlain = number.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." } && number.first?.isNumber == true
        guard isPlain, let value = Double(number) else { return nil }
        let bytes = value * Double(unit)
        guard bytes >= 1, bytes < 0x1p62 else { return nil }
        self.bytes = Int64(bytes)
    }
}
