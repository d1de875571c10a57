import Documents

/// The facts that the catalog stores about an entry's backing file. For a placeholder, whose file has no content here, the row also
/// holds the size, times and mode that the file would have.
public struct BackingState: Sendable {
    /// Whether the backing file holds the content. False for placeholders.
    public var isHere = true
    /// Identifies the backing file if somebody moves it in the store; nil while there is no file.
    public var evidence: FileEvidence?
    /// Bytes. For a placeholder, the size of its content; otherwise the size that was last recorded. The file has another one after an
    /// edit.
    public var size: Int64 = 0
    /// Time of modification (st_mtime). Of a file that is here it is the one that was last recorded: another time of the file tells of an
    /// edit.
    public var modified: Timestamp
    /// When content or attributes last changed on this device (st_ctime). Valid for placeholders, and for a content that has arrived and was
    /// not changed since; otherwise the backing file has it.
    public var changed: Timestamp
    /// The file's st_ctime when its content had arrived. As long as the file has it, nothing was changed since `changed`: an arrival is no
    /// change, and tar would take it for one. Zero for a file that did not arrive.
    public var arrived = Timestamp(nanoseconds: 0)
    /// Permission bits with set-id bits and sticky bit. stat(2) shows these, without the set-id bits that the file has lost. The file
    /// itself is readable and writable for docfs whatever they are (`BackingFolder.fileAccess`).
    public var mode: UInt16

    /// A file created just now.
    public init(created: Timestamp, mode: UInt16) {
        modified = created
        changed = created
        self.mode = mode
    }
}

/// The inode number and birth time of a file. Together they are unique among all files that its file system ever had.
/// The number alone is not: after a removal the file system may reuse it within milliseconds.
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
