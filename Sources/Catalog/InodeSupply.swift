import Synchronization

/// Inode numbers that were set aside and are given out one by one.
final class InodeSupply: Sendable {
    private static let countAtOnce: Int64 = 1024

    private let rest = Mutex<Range<Int64>>(0..<0)

    /// - Parameter setAside: makes so many numbers nobody else's, none of them below a bound, and returns the first.
    func next(_ setAside: (_ count: Int64, _ bound: Int64) throws -> Int64) throws -> InodeNumber {
        try rest.withLock { rest in
            if rest.isEmpty {
                let first = try setAside(Self.countAtOnce, rest.upperBound)
                rest = first..<first + Self.countAtOnce
            }
            defer { rest = rest.lowerBound + 1..<rest.upperBound }
            return InodeNumber(rest.lowerBound)
        }
    }

    /// A transaction was rolled back, and took back the claim to what is left; what was given out stays given.
    func forgetClaim() { rest.withLock { $0 = $0.lowerBound..<$0.lowerBound } }
}
