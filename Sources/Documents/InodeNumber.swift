/// The id of an entry's row, which is also its inode number for the kernel. Never reused.
public struct InodeNumber: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// From 1 on; 0 stands for a row that is not inserted yet.
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

    /// The inode number of a file that shows a version of a document. No row has such a number.
    public static func version(_ index: Int) -> InodeNumber { InodeNumber(versionBit | Int64(index)) }

    /// Whether it is the number of a file that shows a version of a document, and not of a row.
    public var isVersion: Bool { number & Self.versionBit != 0 }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    public var description: String { String(number) }
}
