/// A content that takes room on this device.
public struct HeldContent<Key: Hashable & Sendable>: Sendable, Equatable {
    /// By it the caller finds the content again.
    public let key: Key
    /// When a program last opened it on this device.
    public let lastOpened: Timestamp
    /// On the disk.
    public let bytes: Int64
    /// Whether it is known that it must stay.
    public var stays: Bool

    public init(_ key: Key, lastOpened: Timestamp, bytes: Int64, stays: Bool = false) {
        self.key = key
        self.lastOpened = lastOpened
        self.bytes = bytes
        self.stays = stays
    }
}

/// Which contents give way when the cloud's documents take more room than they may.
public enum EvictionRule {
    /// The contents that were opened longest ago, and no more of them than needed. Of those opened at the same time the larger goes first,
    /// so that fewer go.
    ///
    /// - Parameter excess: the bytes that must become free.
    /// - Returns: in the order in which they go. They may free less than `excess`, when all others stay.
    public static func evicted<Key>(from held: [HeldContent<Key>], toFree excess: Int64) -> [HeldContent<Key>] {
        guard excess > 0 else { return [] }
        let candidates = held.filter { !$0.stays && $0.bytes > 0 }.sorted {
            ($0.lastOpened, $1.bytes) < ($1.lastOpened, $0.bytes)
        }
        var freed: Int64 = 0
        let count = candidates.firstIndex { candidate in
            freed += candidate.bytes
            return freed >= excess
        }
        return count.map { Array(candidates[...$0]) } ?? candidates
    }
}
