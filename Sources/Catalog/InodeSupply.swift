import Synchronization

/// Inode numbers that were set aside and are given out one by one.
final class InodeSupply: Sendable {
    private static let countAtOnce: Int64 = 1024

    private let rest = Mutex<Range<Int64>>(0..<0)

    /// - Parameter setAside: makes so many numbers nobody else's, and returns the first of them.
    func next(_ setAside: (_ count: Int64) throws -> Int64) throws -> InodeNumber {
        try rest.withLock { rest in
            if rest.isEmpty {
                // A transaction that was rolled back took its claim back, but what it gave out stays given.
                let first = max(try setAside(Self.countAtOnce), rest.upperBound)
                rest = first..<first + Self.countAtOnce
            }
            defer { rest = rest.lowerBound + 1..<rest.upperBound }
            return InodeNumber(rest.lowerBound)
        }
    }
}
