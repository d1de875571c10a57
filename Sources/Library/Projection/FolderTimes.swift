import Catalog
import Documents

/// The modification times that folders get at the end of a projection.
///
/// Each entry that is put into a folder or removed from it moves the folder's time in the store. If this device has changed nothing in the
/// folder that the container was not told of, the folder gets the container's time again in the end. Otherwise its time is a change that
/// the container has still to be told, and stays.
struct FolderTimes {
    private var times: [InodeNumber: Timestamp] = [:]

    /// A folder was made that the container knows with the time `time`.
    mutating func insert(_ folder: InodeNumber, time: Timestamp) { times[folder] = time }

    /// An entry of a folder is about to be added, moved or removed. To be called before the store's folder changes.
    ///
    /// - Parameters:
    ///   - folder: the row, with the container's time.
    ///   - storeTime: the time of the store's folder, in the container's precision.
    /// - Returns: whether this is the first change of the folder as far as is known: the store's folder must be marked as changed.
    mutating func willChangeEntries(of folder: Entry, storeTime: @autoclosure () throws -> Timestamp) rethrows -> Bool {
        if times[folder.inode] != nil { return false }
        if try Self.isContainersTime(of: folder, storeTime: storeTime) { times[folder.inode] = folder.modified }
        return true
    }

    /// The container has another time for a folder.
    ///
    /// - Parameter folder: the row with the container's former time.
    mutating func change(
        _ folder: Entry, to time: Timestamp, storeTime: @autoclosure () throws -> Timestamp
    ) rethrows {
        if try times[folder.inode] != nil || Self.isContainersTime(of: folder, storeTime: storeTime) {
            times[folder.inode] = time
        }
    }

    /// Returns the times that folders are to get, and forgets them.
    mutating func removeAll() -> [InodeNumber: Timestamp] {
        defer { times = [:] }
        return times
    }

    /// Whether this device has changed nothing in the folder that the container was not told of.
    private static func isContainersTime(of folder: Entry, storeTime: () throws -> Timestamp) rethrows -> Bool {
        if folder.inode <= .cloud || folder.pending.contains(.modified) { return false }
        return try storeTime() == folder.modified
    }
}
