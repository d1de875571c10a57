import Documents

/// What is known of an entry's backing file, and what it would say of itself while it is not here.
public struct BackingState: Sendable {
    /// Whether the backing file holds the content. False for placeholders.
    public var isHere = true
    /// By which the backing file is found again where it was moved and nothing says so; nil while there is none.
    public var evidence: FileEvidence?
    /// Bytes, while it is a placeholder; the backing file says it otherwise.
    public var size: Int64 = 0
    public var modified: Timestamp
    /// When anything of it changed here (st_ctime), while it is a placeholder; the backing file says it otherwise.
    public var changed: Timestamp
    /// Permission bits, while it is a placeholder.
    public var mode: UInt16

    /// A file that was made just now.
    public init(created: Timestamp, mode: UInt16) {
        modified = created
        changed = created
        self.mode = mode
    }
}

/// The inode number and birth time of a file. Together they tell it from every other file that its file system ever had; a number
/// alone is given anew within milliseconds of a removal.
public struct FileEvidence: Hashable, Sendable {
    /// st_ino
    public let inode: UInt64
    /// stx_btime in nanoseconds; 0 where the file system does not know it.
    public let birth: Int64

    /// - Returns: nil for an inode number of 0, which no file has.
    public init?(inode: UInt64, birth: Int64) {
        if inode == 0 { return nil }
        self.inode = inode
        self.birth = birth
    }
}
