import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Backing files that are not where their rows say: the process died, or the power failed, between
/// moving them and making that durable. Their inode numbers tell whose they are; but a save by renaming gives a document
/// another file, and the number of the old one to the next that is made, of which an older row knows nothing. So a file that
/// says the name of the document in whose place it is, and no name of its number's owner, is that document's.
struct MisplacedFiles {
    private struct Found {
        let folder: BackingFolder
        let name: String
        /// S_IFDIR and the like.
        let type: mode_t
    }

    private let backing: BackingStore
    private let catalog: CatalogTransaction
    private let owners: [UInt64: Entry]
    /// Every file, by its inode number.
    private var found: [UInt64: Found] = [:]
    /// The owners of files that are at the place of another's.
    private var displaced: [(owner: Entry, place: Entry)] = []
    /// Those in whose place a file is that says it is theirs.
    private var saved: Set<InodeNumber> = []
    /// The owners of what is not in its place.
    private var misplaced: Set<InodeNumber> = []

    /// Looks through the whole store.
    init(_ backing: BackingStore, _ catalog: CatalogTransaction) throws {
        self.backing = backing
        self.catalog = catalog
        let entries = try catalog.descendants(of: .local) + catalog.descendants(of: .cloud)
        owners = Dictionary(entries.filter { $0.backingInode != 0 }.map { ($0.backingInode, $0) }) { first, _ in first }
        for container in [InodeNumber.local, .cloud] {
            try look(in: backing.folder(container, catalog), container)
        }
        // A file at another's place is that one's, whichever it was: so a save ends that had begun. But if
        // the other's own is elsewhere, they were moved.
        for (owner, place) in displaced where found[place.backingInode] != nil { misplaced.insert(owner.inode) }
        misplaced.subtract(saved)
    }

    /// Whether a file says that it is the document's at whose place it is, and not its number's owner's.
    private func isSaved(_ entry: Entry, at name: String, in folder: BackingFolder, despite owner: Entry?) -> Bool {
        guard let displayName = entry.name?.displayName, displayName != owner?.name?.displayName else { return false }
        return folder.displayName(of: name) == displayName
    }

    /// - Parameter inode: of the folder; nil within one that is misplaced itself.
    private mutating func look(in folder: BackingFolder, _ inode: InodeNumber?) throws {
        guard let names = try? folder.names() else { return }
        for name in names {
            guard let status = try? folder.status(name) else { continue }
            let number = UInt64(status.st_ino)
            let owner = owners[number]
            let named = try inode.flatMap { try catalog.entry(in: $0, filename: name) }
            let isInPlace = named != nil && (owner == nil || owner?.inode == named?.inode)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if found[number] == nil || isInPlace {
                found[number] = Found(folder: folder, name: name, type: status.st_mode & S_IFMT)
            }
            if let named, !isFolder, named.backingInode != number, isSaved(named, at: name, in: folder, despite: owner) {
                saved.insert(named.inode)
            } else if let owner, !isInPlace {
                if let named, !isFolder { displaced.append((owner, named)) } else { misplaced.insert(owner.inode) }
            }
            if isFolder, let inner = try? folder.folder(name) { try look(in: inner, isInPlace ? named?.inode : nil) }
        }
    }

    /// Moves each back to its place, outer folders first, unless something else is there.
    mutating func putBack(_ logger: Logger) throws {
        var settled: Set<InodeNumber> = []
        for owner in owners.values where misplaced.contains(owner.inode) { try putBack(owner, &settled, logger) }
    }

    private mutating func putBack(_ entry: Entry, _ settled: inout Set<InodeNumber>, _ logger: Logger) throws {
        guard misplaced.contains(entry.inode), settled.insert(entry.inode).inserted else { return }
        if let parent = try catalog.entry(entry.parent), parent.inode > .cloud { try putBack(parent, &settled, logger) }
        guard let file = found[entry.backingInode], file.type == entry.kind.backingType,
            let folder = try? backing.folder(entry.parent, catalog)
        else { return }
        let present = (try? folder.status(entry.filename)).map { UInt64($0.st_ino) }
        // It may have come back with its folder.
        if present == entry.backingInode { return }
        // What is there and belongs elsewhere, too, changes places with it.
        let other = present.flatMap { number in owners[number].flatMap { misplaced.contains($0.inode) ? number : nil } }
        do throws(Errno) {
            let flags = other == nil ? RENAME_NOREPLACE : RENAME_EXCHANGE
            try file.folder.rename(file.name, to: folder, entry.filename, flags: flags)
            if let other, let moved = found[other] {
                found[other] = Found(folder: file.folder, name: file.name, type: moved.type)
            }
            logger.notice("a move that had not ended was undone", metadata: ["filename": "\(entry.filename)"])
        } catch {
            logger.warning("a file is not in its place", metadata: ["filename": "\(entry.filename)", "error": "\(error)"])
        }
    }
}

extension EntryKind {
    fileprivate var backingType: mode_t {
        switch self {
        case .folder: S_IFDIR
        case .symbolicLink: S_IFLNK
        case .document, .scratch: S_IFREG
        }
    }
}
