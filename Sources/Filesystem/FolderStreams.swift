import Documents
import Library
import Synchronization

/// The open directories: each shows one snapshot of the folder, taken when its reader began; and the rule by which the kernel may keep a
/// listing (FOPEN_CACHE_DIR) and show it to the next reader without asking. Listing 10,000 entries again takes a
/// seventh of the time that way (Mechanisms).
///
/// The kernel keeps what it told one reader as the folder's listing. Positions in a listing are numbers, which mean something in one
/// snapshot only. So it may keep one
/// - only while nobody else reads the folder: it would mix what it told several readers;
/// - only as long as the snapshot that the listing was made from is here: when the kernel drops its copy while somebody reads it, it asks
///   for the rest by position.
///
/// When a folder changes the kernel is made to forget the listing, but goes on keeping what it tells a reader at that moment: such a
/// stream is outdated, and the kernel must forget the listing once more when it ends.
final class FolderStreams: Sendable {
    final class Snapshot: Sendable {
        let names: [ListedName]
        let parent: UInt64

        init(names: [ListedName], parent: UInt64) {
            self.names = names
            self.parent = parent
        }
    }

    /// How the kernel may use its copy of a listing for a stream.
    struct Permission: Equatable {
        /// It may keep the names that this stream gives it.
        let keeps: Bool
        /// It may show the names that it kept before.
        let reuses: Bool
    }

    private struct Stream {
        /// Nil for a folder of which no listing is kept.
        let folder: InodeNumber?
        let isKept: Bool
        var snapshot: Snapshot?
        var isAtEnd = false
        var isOutdated = false
    }

    private struct Table {
        var streams: [UInt64: Stream] = [:]
        var lastNumber: UInt64 = 0
        /// How many read each folder.
        var readers: [InodeNumber: Int] = [:]
        /// The snapshots that the kernel's listings were made from.
        var kept: [InodeNumber: Snapshot] = [:]
        var keptNames = 0

        mutating func keep(_ snapshot: Snapshot, of folder: InodeNumber) {
            drop(folder)
            if keptNames + snapshot.names.count > FolderStreams.mostNames { (kept, keptNames) = ([:], 0) }
            kept[folder] = snapshot
            keptNames += snapshot.names.count + 1
        }

        mutating func drop(_ folder: InodeNumber) {
            if let old = kept.removeValue(forKey: folder) { keptNames -= old.names.count + 1 }
        }

        mutating func removeReader(of folder: InodeNumber) {
            guard let count = readers[folder] else { return }
            readers[folder] = count > 1 ? count - 1 : nil
        }
    }

    /// In all snapshots that are kept; 100 bytes or so each.
    static let mostNames = 200_000

    private let table = Mutex(Table())

    /// - Parameter folder: nil for one of which no listing may be kept.
    func open(_ folder: InodeNumber?) -> (number: UInt64, Permission) {
        table.withLock { table in
            table.lastNumber += 1
            let isAlone = folder.map { table.readers[$0] == nil } ?? false
            let known = isAlone ? folder.flatMap { table.kept[$0] } : nil
            if let folder { table.readers[folder, default: 0] += 1 }
            table.streams[table.lastNumber] = Stream(folder: folder, isKept: isAlone, snapshot: known)
            return (table.lastNumber, Permission(keeps: isAlone, reuses: known != nil))
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

    /// - Returns: the folder, if the kernel may have kept an outdated listing of it.
    func close(_ number: UInt64) -> InodeNumber? {
        table.withLock { table in
            guard let stream = table.streams.removeValue(forKey: number), let folder = stream.folder else { return nil }
            table.removeReader(of: folder)
            guard stream.isKept else { return nil }
            if stream.isOutdated {
                table.drop(folder)
                return folder
            }
            if stream.isAtEnd, let snapshot = stream.snapshot { table.keep(snapshot, of: folder) }
            return nil
        }
    }

    /// The listing of `folder` changes, and the kernel forgets it.
    func invalidate(_ folder: InodeNumber) {
        table.withLock { table in
            table.drop(folder)
            guard table.readers[folder] != nil else { return }
            for (number, stream) in table.streams where stream.folder == folder {
                table.streams[number]?.isOutdated = true
            }
        }
    }
}
