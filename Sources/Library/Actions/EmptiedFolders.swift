import Catalog
import Documents

/// The modification times that folders had before an action removed the first entry from them. `rm -r` empties a folder before it removes
/// it, and each removal moves the folder's time; undo brings back the time that the folder had.
struct EmptiedFolders: Sendable {
    private var times: [InodeNumber: Timestamp] = [:]
    /// More are not remembered, and the older ones are forgotten: a folder is forgotten when it is removed.
    private static let most = 4096

    /// To be called before an entry of a folder is removed.
    ///
    /// - Parameter time: the folder's, read only if it is not known.
    mutating func willRemove(from folder: InodeNumber, time: () throws -> Timestamp) rethrows {
        // The tree's own folders are never removed.
        if folder <= .cloud || times[folder] != nil { return }
        if times.count >= Self.most { times = [:] }
        times[folder] = try time()
    }

    /// - Returns: the time that a folder had before it was emptied, which is forgotten; nil if nothing was removed from it.
    mutating func remove(_ folder: InodeNumber) -> Timestamp? { times.removeValue(forKey: folder) }
}
