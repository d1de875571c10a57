import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import SystemPackage

/// stat(2), chmod(2), chown(2), utimensat(2) and truncate(2): what a row and its backing file say together.
final class Attributes: LibraryPart {
    let transactions: Transactions
    let contents: Contents
    let orphans: Orphans

    init(
        _ transactions: Transactions, contents: Contents, orphans: Orphans
    ) {
        self.transactions = transactions
        self.contents = contents
        self.orphans = orphans
    }
    func attributes(of inode: InodeNumber) throws(Refusal) -> FileAttributes {
        if let file = openFiles.file(inode), file.isUnlinked { return try unlinkedAttributes(file) }
        let present = try inspect { catalog in
            try catalog.entry(inode).map { try attributes(of: $0, catalog) }
        }
        if let present { return present }
        return try departedAttributes(inode)
    }

    /// Whether a change of size must wait for content that is not here.
    func mustArriveToTruncate(_ inode: InodeNumber, to size: Int64) throws(Refusal) -> Bool {
        if let file = openFiles.file(inode), file.isUnlinked { return false }
        guard let entry = try inspect({ try $0.entry(inode) }), !contents.canChangeAtOnce(entry) else { return false }
        return size > 0 || openFiles.isReadWhileArriving(inode)
    }

    func attributes(of entry: Entry, _ catalog: CatalogTransaction) throws -> FileAttributes {
        guard entry.isBackingCurrent else {
            // Who has an older version open for writing sees that one until it is closed.
            let open = entry.isHere ? openFiles.file(entry.inode) : nil
            guard let open else {
                var attributes = FileAttributes.placeholder(entry)
                // A new version from elsewhere keeps the owner that the file has here.
                if entry.isHere, let file = try? backing.folder(entry.parent, catalog).status(entry.filename) {
                    (attributes.owner, attributes.group) = (file.st_uid, file.st_gid)
                }
                return attributes
            }
            var attributes = FileAttributes(try open.descriptor.status())
            attributes.mode = entry.mode
            return attributes
        }
        let status: stat
        switch entry.inode {
        case .root, .documents: status = try backing.root.descriptor.status()
        default: status = try backingStatus(of: entry, catalog)
        }
        var attributes = FileAttributes(status)
        attributes.mode = entry.kind == .symbolicLink ? 0o777 : FileMode.held(entry.mode, by: status.st_mode)
        if entry.kind == .folder {
            // But for the set-group-id bit that a folder inherits when it is made.
            let inherited = UInt16(status.st_mode & S_ISGID)
            attributes.mode = entry.mode | inherited
        }
        return attributes
    }

    /// How long it is believed what lstat(2) said of a file: who mapped it before it was closed, or has had it open since before
    /// docfs was started, may change it without a word.
    private static let statusPatience = Duration.seconds(60)

    /// lstat(2) of an entry's file. Of one that nobody has opened or changed since, it is known what it said.
    func backingStatus(of entry: Entry, _ catalog: CatalogTransaction) throws -> stat {
        func look() throws -> stat { try backing.folder(entry.parent, catalog).status(entry.filename) }
        guard entry.kind == .document || entry.kind == .scratch, let opens = openFiles.opensWhileClosed(entry.inode)
        else {
            return try look()
        }
        let now = surroundings.instant()
        if let known = catalog.status(of: entry.inode), now - known.time < Self.statusPatience { return known.status }
        let status = try look()
        catalog.cacheStatus(CachedStatus(status, at: now), of: entry.inode)
        // Who opened it after it was looked at may have forgotten this before it was noted.
        if openFiles.opensWhileClosed(entry.inode) != opens { self.catalog.forgetStatus(of: entry.inode) }
        return status
    }

    func unlinkedAttributes(_ file: OpenFile) throws(Refusal) -> FileAttributes {
        var attributes = FileAttributes(try Refusal.wrapping { try file.descriptor.status() })
        attributes.links = 0
        if let mode = orphans.mode(of: file.inode) {
            attributes.mode = FileMode.held(mode, by: mode_t(attributes.mode))
        }
        return attributes
    }

    /// Of what has no row: it lost its name, perhaps while this call waited for its turn.
    private func departedAttributes(_ inode: InodeNumber) throws(Refusal) -> FileAttributes {
        if let file = openFiles.file(inode), file.isUnlinked { return try unlinkedAttributes(file) }
        guard let node = orphans[inode] else { throw .staleInode }
        return node.attributes
    }

    /// Moves the time of change where no change of the backing file itself does (attributes live in the catalog).
    func noteChange(of entry: inout Entry, _ catalog: CatalogTransaction) throws {
        guard entry.isBackingCurrent, entry.inode > .documents else { return entry.changed = surroundings.now() }
        // It sets the mode once more, which could bring back set-id bits that a write is just taking away.
        if FileMode.hasSetID(entry.mode), openFiles.isOpenForWriting(entry.inode) { return }
        try backing.folder(entry.parent, catalog).touchChange(of: entry.filename)
        self.catalog.forgetStatus(of: entry.inode)
    }
}
