import Documents

/// Size and modification time of a file. While they stay the same the content counts as unchanged, and need not be read. Two writes within
/// one tick of the kernel's clock may give the same fingerprint.
public struct Fingerprint: Sendable, Equatable {
    /// Bytes.
    public let size: Int64
    /// Time of modification (st_mtime).
    public let modified: Timestamp

    public init(size: Int64, modified: Timestamp) {
        self.size = size
        self.modified = modified
    }

    /// The fingerprint of the file as its row has it.
    public init(_ entry: Entry) { self.init(size: entry.size, modified: entry.modified) }
}
