import TestSupport

/// Damages valid JSON, as chance or an attacker does.
struct Spoiler {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// In one to three places.
    mutating func spoil(_ good: [UInt8]) -> [UInt8] {
        var bytes = good
        for _ in 0..<Int.random(in: 1...3, using: &random) { spoilOnce(&bytes) }
        return bytes
    }

    private static let words = [
        "..", "/", "\\u0000", "-1", "1e308", "9223372036854775807", "null", "[]", "{}", "\"", "true", "\n",
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000002", "folder", "\\ud800",
    ]

    private mutating func spoilOnce(_ bytes: inout [UInt8]) {
        guard let position = bytes.indices.randomElement(using: &random) else { return }
        let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[position] = .random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(position..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
        case 4: bytes.insert(contentsOf: Array((Self.words.randomElement(using: &random) ?? "").utf8), at: position)
        case 5: exchangeIDs(&bytes)
        case 6: exchangeLines(&bytes)
        default: replaceNumber(&bytes, from: position)
        }
    }

    /// Changes the last digit of some id: the JSON stays well formed, and means something else.
    private mutating func exchangeIDs(_ bytes: inout [UInt8]) {
        let digits = bytes.indices.dropFirst(12).filter { index in
            bytes[index] != 0x30 && bytes[index - 12..<index].allSatisfy { $0 == 0x30 }
        }
        if let digit = digits.randomElement(using: &random) { bytes[digit] = 0x30 + .random(in: 0...4, using: &random) }
    }

    private mutating func exchangeLines(_ bytes: inout [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count > 1 else { return }
        lines.swapAt(.random(in: lines.indices, using: &random), .random(in: lines.indices, using: &random))
        bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    private mutating func replaceNumber(_ bytes: inout [UInt8], from position: Int) {
        guard let digit = bytes[position...].firstIndex(where: { (0x30...0x39).contains($0) }) else { return }
        bytes[digit] = 0x30 + .random(in: 0...9, using: &random)
    }
}
