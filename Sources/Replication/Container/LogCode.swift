import Documents
import Hashing

/// An entry of the log, and with it all entries before it, in eight words: two people who read the same words for the same entry are shown one
/// log. Each entry names the hash of the one before it, so that the hash of the last tells all of them.
public struct LogCode: Hashable, Sendable, CustomStringConvertible {
    /// Eight words, with blanks between them.
    public let description: String

    /// - Parameters:
    ///   - position: of the entry.
    ///   - hash: of the entry.
    public init(of container: ContainerID, at position: LogPosition, _ hash: ObjectHash) {
        let text = "docfs code\n\(container)\n\(position.number)\n\(hash)\n"
        let digest = HashAlgorithm.sha256.digest(of: Array(text.utf8))
        description = (0..<Self.count).map { CodeWords.all[Self.number($0, in: digest)] }.joined(separator: " ")
    }

    private static let count = 8

    /// Eleven bits of the digest, the highest first.
    private static func number(_ index: Int, in digest: [UInt8]) -> Int {
        (index * 11..<index * 11 + 11).reduce(0) { $0 << 1 | Int(digest[$1 / 8] >> UInt8(7 - $1 % 8) & 1) }
    }
}
