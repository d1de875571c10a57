import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Backing files that are not where their rows say: the process died, or the power failed, between
/// moving them and making that durable. Their inode numbers tell whose they are.
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
    /// By inode number of the file.
    private var found: [UInt64: Found] = [:]

    /// Looks through the whole store.
    init(_ backing: BackingStore, _ catalog: CatalogTransaction) throws {
        self.backing = backing
        self.catalog = catalog
        let entries = try catalog.descendants(of: .local) + catalog.descendants(of: .cloud)
        owners = Dictionary(entries.filter { $0.backingInode != 0 }.map { ($0.backingInode, $0) }) { first, _ in first }
        for container in [InodeNumber.local, .cloud] {
            try look(in: backing.folder(container, catalog), container)
        }
    }

    /// - Parameter inode: of the folder; nil within one that is misplaced itself.
    private mutating func look(in folder: BackingFolder, _ inode: InodeNumber?) throws {
        guard let names = try? folder.names() else { return }
        for name in names {
            guard let status = try? folder.status(name) else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            let named = try inode.flatMap { try catalog.entry(in: $0, filename: name) }
            // A file at a place that has a row is that row's, whichever it was: so a save ends that had
            // begun. A folder is what it was.
            let owner = owners[UInt64(status.st_ino)]
            let isInPlace = named != nil && (!isFolder || owner == nil || owner?.inode == named?.inode)
            if !isInPlace, owner != nil {
                found[UInt64(status.st_ino)] = Found(folder: folder, name: name, type: status.st_mode & S_IFMT)
            }
            if isFolder, let inner = try? folder.folder(name) { try look(in: inner, isInPlace ? named?.inode : nil) }
        }
    }

    /// Moves each back to its place, outer folders first, unless something else is there.
    func putBack(_ logger: Logger) throws {
        var settled: Set<InodeNumber> = []
        for inode in found.keys { if let owner = owners[inode] { try putBack(owner, &settled, logger) } }
    }

    private func putBack(_ entry: Entry, _ settled: inout Set<InodeNumber>, _ logger: Logger) throws {
        guard settled.insert(entry.inode).inserted else { return }
        if let parent = try catalog.entry(entry.parent), parent.inode > .cloud { try putBack(parent, &settled, logger) }
        guard let file = found[entry.backingInode], file.type == entry.kind.backingType,
            let folder = try? backing.folder(entry.parent, catalog)
        else { return }
        do throws(Errno) {
            try file.folder.rename(file.name, to: folder, entry.filename, flags: RENAME_NOREPLACE)
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
