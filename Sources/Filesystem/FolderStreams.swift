import Catalog
import Library
import Synchronization

/// The open directories: each shows one snapshot of the folder, taken when its reader began.
///
/// The kernel keeps what a reader was told as the folder's listing (FOPEN_CACHE_DIR) and shows it to the next. Places in
/// a listing are numbers, which mean something in one snapshot only. So it is allowed to
/// - only while nobody else reads the folder: it would put together what several are told;
/// - only as long as the snapshot is here that it had it from: when it drops its copy in the midst of a reader, it asks
///   for the rest by number.
///
/// A change makes it forget the listing, but not what a reader is being told in that moment: such a stream is overtaken,
/// and the listing forgotten once more when it ends.
final class FolderStreams: Sendable {
    final class Snapshot: Sendable {
        let names: [ListedName]
        let parent: UInt64

        init(names: [ListedName], parent: UInt64) {
            self.names = names
            self.parent = parent
        }
    }

    /// What the kernel may do with a stream.
    struct Permission: Equatable {
        /// Keep what is told here.
        let keeps: Bool
        /// Show what it kept before.
        let reuses: Bool
    }

    private struct Stream {
        /// Nil for a folder of which no listing is kept.
        let folder: InodeNumber?
        let isKept: Bool
        var snapshot: Snapshot?
        var isAtEnd = false
        var isOvertaken = false
    }

    private struct Table {
        var streams: [UInt64: Stream] = [:]
        var last: UInt64 = 0
        /// How many read each folder.
        var readers: [InodeNumber: Int] = [:]
        /// What the kernel's listings were made from.
        var kept: [InodeNumber: Snapshot] = [:]
        var keptNames = 0

        mutating func keep(_ snapshot: Snapshot?, of folder: InodeNumber) {
            if let old = kept.removeValue(forKey: folder) { keptNames -= old.names.count + 1 }
            guard let snapshot else { return }
            if keptNames + snapshot.names.count > FolderStreams.mostNames { (kept, keptNames) = ([:], 0) }
            kept[folder] = snapshot
            keptNames += snapshot.names.count + 1
        }
    }

    /// In all snapshots that are kept; 100 bytes or so each.
    private static let mostNames = 200_000

    private let table = Mutex(Table())

    /// - Parameter folder: nil for one of which no listing may be kept.
    func open(_ folder: InodeNumber?) -> (number: UInt64, Permission) {
        table.withLock { table in
            table.last += 1
            let isAlone = folder.map { table.readers[$0] == nil } ?? false
            let known = isAlone ? folder.flatMap { table.kept[$0] } : nil
            if let folder { table.readers[folder, default: 0] += 1 }
            table.streams[table.last] = Stream(folder: folder, isKept: isAlone, snapshot: known)
            return (table.last, Permission(keeps: isAlone, reuses: known != nil))
        }
    }

    subscript(number: UInt64) -> Snapshot? {
        get { table.withLock { $0.streams[number]?.snapshot } }
        set {
            table.withLock { table in
                table.streams[number]?.snapshot = newValue
                table.streams[number]?.isAtEnd = false
            }
        }
    }

    /// The reader has been told that there is no more: now the kernel has a listing.
    func reachEnd(_ number: UInt64) { table.withLock { $0.streams[number]?.isAtEnd = true } }

    /// - Returns: the folder, if the kernel may have taken for its listing what was none any more.
    func close(_ number: UInt64) -> InodeNumber? {
        table.withLock { table in
            guard let stream = table.streams.removeValue(forKey: number), let folder = stream.folder else { return nil }
            table.readers[folder]! -= 1
            if table.readers[folder] == 0 { table.readers[folder] = nil }
            guard stream.isKept else { return nil }
            if stream.isOvertaken {
                table.keep(nil, of: folder)
                return folder
            }
            if stream.isAtEnd { table.keep(stream.snapshot, of: folder) }
            return nil
        }
    }

    /// What is listed in `folder` changes, and the kernel forgets it.
    func overtake(_ folder: InodeNumber) {
        table.withLock { table in
            table.keep(nil, of: folder)
            guard table.readers[folder] != nil else { return }
            for (number, stream) in table.streams where stream.folder == folder {
                table.streams[number]?.isOvertaken = true
            }
        }
    }
}
