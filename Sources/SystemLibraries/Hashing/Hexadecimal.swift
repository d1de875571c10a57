private let digits = Array("0123456789abcdef".utf8)

/// Bytes as lower-case hexadecimal digits.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
        for (index, byte) in bytes.enumerated() {
            text[2 * index] = digits[Int(byte >> 4)]
            text[2 * index + 1] = digits[Int(byte & 15)]
        }
        return bytes.count * 2
    }
}
