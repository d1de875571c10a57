import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import SystemPackage

/// stat(2), chmod(2), chown(2), utimensat(2) and truncate(2). The attributes of an entry are those of its backing file, with the mode of
/// its row.
final class Attributes: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let cloud: any ContentSource
    let notices: ChangeNotices
    let contents: Contents
    let orphans: Orphans

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, unseenWrites: UnseenWrites,
        cloud: any ContentSource, notices: ChangeNotices, contents: Contents, orphans: Orphans
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.cloud = cloud
        self.notices = notices
        self.contents = contents
        self.orphans = orphans
    }

    /// - Throws: ESTALE, or the backing file's own errno.
    func attributes(of inode: InodeNumber) throws(Refusal) -> FileAttributes {
        if let file = openFiles.file(inode), file.isUnlinked { return try unlinkedAttributes(file) }
        let present = try inspect { rows in
            try rows.entry(inode).map { try attributes(of: $0, rows) }
        }
        if let present { return present }
        return try orphanAttributes(inode)
    }

    /// Whether a change of size must wait for content that is not here.
    func mustArriveToTruncate(_ inode: InodeNumber, to size: Int64) throws(Refusal) -> Bool {
        if let file = openFiles.file(inode), file.isUnlinked { return false }
        guard let entry = try inspect({ try $0.entry(inode) }), !contents.canChangeAtOnce(entry) else { return false }
        return size > 0 || openFiles.isReadWhileArriving(inode)
    }

    func attributes(of entry: Entry, _ rows: Rows) throws -> FileAttributes {
        guard entry.isBackingCurrent else {
            // While an older version is open for writing, the attributes are that version's.
            let open = entry.isHere ? openFiles.file(entry.inode) : nil
            guard let open else {
                var attributes = FileAttributes.placeholder(entry)
                // Another device's version keeps the owner that the file has here. A file that cannot be read belongs to this process.
                if entry.isHere, let file = try? backing.folder(entry.parent, rows).status(entry.filename) {
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
        default: status = try backingStatus(of: entry, rows)
        }
        var attributes = FileAttributes(status)
        attributes.mode = entry.kind == .symbolicLink ? 0o777 : FileMode.held(entry.mode, by: status.st_mode)
        attributes.changed = entry.timeOfChange(attributes.changed)
        if entry.kind == .folder {
            // The row lacks the set-group-id bit that a folder inherits when it is made.
            let inherited = UInt16(status.st_mode & S_ISGID)
            attributes.mode = entry.mode | inherited
        }
        return attributes
    }

    /// How long the result of lstat(2) is remembered. A process that mapped the file before closing it, or had it open before docfs was
    /// started, may change it unnoticed.
    private static let statusPatience = Duration.seconds(60)

    /// lstat(2) of an entry's file. The result is remembered until the file is opened or changed.
    func backingStatus(of entry: Entry, _ rows: Rows) throws -> stat {
        func look() throws -> stat { try backing.folder(entry.parent, rows).status(entry.filename) }
        guard entry.kind == .document || entry.kind == .scratch, let opens = openFiles.opensWhileClosed(entry.inode)
        else {
            return try look()
        }
        let now = surroundings.instant()
        if let known = rows.status(of: entry.inode), now - known.time < Self.statusPatience { return known.status }
        let status = try look()
        rows.cacheStatus(CachedStatus(status, at: now), of: entry.inode)
        // If the file was opened after the lstat, that open may have dropped the remembered status before it was stored.
        if openFiles.opensWhileClosed(entry.inode) != opens { transactions.forgetStatus(of: entry.inode) }
        return status
    }

    func unlinkedAttributes(_ file: OpenFile) throws(Refusal) -> FileAttributes {
        var attributes = FileAttributes(try Refusal.wrapping { try file.descriptor.status() })
        attributes.links = 0
        if let mode = orphans.attributes(of: file.inode, evenIfNamed: true)?.mode {
            attributes.mode = FileMode.held(mode, by: mode_t(attributes.mode))
        }
        return attributes
    }

    /// The attributes of an inode without a row: its name was removed, perhaps since this call began.
    private func orphanAttributes(_ inode: InodeNumber) throws(Refusal) -> FileAttributes {
        if let file = openFiles.file(inode), file.isUnlinked { return try unlinkedAttributes(file) }
        guard let attributes = orphans.attributes(of: inode) else { throw .staleInode }
        return attributes
    }

    /// Sets the time of change, after a change of the row that does not change the backing file.
    func updateChangeTime(of entry: inout Entry, _ rows: Rows) throws {
        guard entry.isBackingCurrent, entry.inode > .documents else { return entry.changed = surroundings.now() }
        // Touching the file sets its mode once more, which could bring back set-id bits that a write removes at the same time.
        if FileMode.hasSetID(entry.mode), openFiles.isOpenForWriting(entry.inode) { return }
        try backing.folder(entry.parent, rows).touchChange(of: entry.filename)
        transactions.forgetStatus(of: entry.inode)
    }
}
