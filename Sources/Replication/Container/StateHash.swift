import FoundationEssentials
import Hashing

/// A hash of the whole state of the replica: the sum of the SHA-256 digests of all entries, as four sums of 64 bits that wrap
/// around (ContainerFormat). A changed entry takes one subtraction and one addition, and the order of entries does not matter.
///
/// If two devices that have read the log to the same position have different hashes, one of them has a wrong state. The hash finds
/// mistakes and damage. It does not resist somebody who makes entries so that the sums meet.
public struct StateHash: Hashable, Sendable, Codable, CustomStringConvertible {
    private var sums: SIMD4<UInt64> = .zero

    /// The hash of a state without entries.
    public static let empty = StateHash()

    private init() {}

    /// - Parameter record: an entry in its canonical form (`ReplicaEntry.record`).
    public mutating func add(_ record: some ContiguousBytes) { sums &+= Self.digest(record) }

    /// - Parameter record: an entry that was added before.
    public mutating func remove(_ record: some ContiguousBytes) { sums &-= Self.digest(record) }

    private static func digest(_ record: some ContiguousBytes) -> SIMD4<UInt64> {
        var hash = RunningHash(.sha256)
        record.withUnsafeBytes { hash.update($0) }
        return hash.finish().withUnsafeBytes { bytes in
            SIMD4((0..<4).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) })
        }
    }

    /// 64 lower-case hexadecimal digits: the four sums, each with 16 digits.
    public var description: String {
        (0..<4).map { index in
            let digits = String(sums[index], radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// - Throws: `DecodingError` unless the text is 64 lower-case hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let parts = stride(from: 0, to: text.utf8.count, by: 16).compactMap { start in
            UInt64(String(decoding: text.utf8.dropFirst(start).prefix(16), as: UTF8.self), radix: 16)
        }
        guard Digest.isHexadecimal(text), parts.count == 4 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a hash of a state"))
        }
        sums = SIMD4(parts)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
