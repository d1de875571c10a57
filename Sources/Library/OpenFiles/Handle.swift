import Replication
import Backing
import Catalog
import Documents
import Synchronization

/// One open(2): which file, and what it may do with it.
public struct Handle: Sendable {
    let file: OpenFile
    /// Whether it was opened for writing (O_WRONLY or O_RDWR).
    public let canWrite: Bool
    /// The process that opened it; nil where that is unknown or has no use.
    var opener: HeldVersions.Opener?

    public var inode: InodeNumber { file.inode }

    /// The file's own descriptor, which all its handles share, for reading and all else but writing.
    public var descriptor: Descriptor { file.descriptor }

    /// The descriptor to write to.
    ///
    /// - Throws: the backing file's own errno.
    public func writable() throws(Refusal) -> Descriptor {
        try Refusal.wrapping { try file.writable() }
    }

    /// Whether the kernel may read and write the file by itself: its writes either have no consequences, or are noticed afterwards
    /// (`UnseenWrites`).
    var canBypass: Bool {
        file.arrival == nil && !file.state.withLock(\.hasSetID) && !(file.isReplicated && file.isWritable)
    }

    /// The size of the content in bytes while a part of it is still to be downloaded: its file has holes then that the content does not
    /// have. Nil when all of it is here.
    public var arrivingSize: Int64? {
        guard let arrival = file.arrival, arrival.stage != .installed else { return nil }
        return arrival.version.size
    }
}
