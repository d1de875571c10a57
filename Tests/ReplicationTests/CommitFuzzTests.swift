import Documents
import Replication
import Testing
import TestSupport

/// Bytes that went wrong by chance: refused or harmless, and never a crash.
struct CommitFuzzTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func `a spoiled commit is refused, or keeps all rules`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = try CommitCodingTests.sample.encoded()
        let known = try BoundedReplica.built(
            by: CommitCodingTests.sample, TestDevice.phone.commit(.create(TestDevice.phone.folder(2, "Photos"))))
        for _ in 0..<60 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &random) { spoil(&bytes, &random) }
            let commit: Commit
            do throws(CommitError) { commit = try Commit.decode(bytes) } catch {
                #expect(!error.description.isEmpty)
                continue
            }
            for start in [BoundedReplica(), known] {
                var replica = BoundedReplica(start.replica)
                try replica.take(commit)
                try replica.take(commit)
                expectInvariants(replica.replica)
            }
        }
    }

    private static let words = [
        "..", "/", "\\u0000", "-1", "1e308", "9223372036854775807", "null", "[]", "{}", "\"", "true",
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000002", "folder", "\\ud800",
    ]

    private func spoil(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard let position = bytes.indices.randomElement(using: &random) else { return }
        let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[position] = .random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(position..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
        case 4: bytes.insert(contentsOf: Array((Self.words.randomElement(using: &random) ?? "").utf8), at: position)
        case 5: exchangeIDs(&bytes, &random)
        default: replaceNumber(&bytes, from: position, &random)
        }
    }

    /// The last digit of some id becomes another: the shape stays, the meaning does not.
    private func exchangeIDs(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let digits = bytes.indices.dropFirst(12).filter { index in
            bytes[index] != 0x30 && bytes[index - 12..<index].allSatisfy { $0 == 0x30 }
        }
        if let digit = digits.randomElement(using: &random) { bytes[digit] = 0x30 + .random(in: 0...4, using: &random) }
    }

    private func replaceNumber(_ bytes: inout [UInt8], from position: Int, _ random: inout SeededGenerator) {
        guard let digit = bytes[position...].firstIndex(where: { (0x30...0x39).contains($0) }) else { return }
        bytes[digit] = 0x30 + .random(in: 0...9, using: &random)
    }
}
