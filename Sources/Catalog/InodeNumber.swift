import Synchronization

/// The number of an entry's row, and the inode number the kernel knows it by. Never reused.
public struct InodeNumber: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let number: Int64

    public init(_ number: Int64) { self.number = number }

    /// The mountpoint itself (FUSE_ROOT_ID).
    public static let root = InodeNumber(1)
    /// `Documents`
    public static let documents = InodeNumber(2)
    /// `Documents/local`
    public static let local = InodeNumber(3)
    /// `Documents/cloud`
    public static let cloud = InodeNumber(4)

    private static let versionBit: Int64 = 1 << 59

    /// The number of a file that shows a version of a document; no row has it.
    public static func version(_ index: Int) -> InodeNumber { InodeNumber(versionBit | Int64(index)) }

    public var isVersion: Bool { number & Self.versionBit != 0 }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    public var description: String { String(number) }
}

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
