import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Documents' contents: open files, writes, saves, and which version a save is made from.
final class Contents: LibraryPart {
    let transactions: Transactions
    let namespace: Namespace
    let withdrawals: Withdrawals

    init(
        _ transactions: Transactions, namespace: Namespace, withdrawals: Withdrawals
    ) {
        self.transactions = transactions
        self.namespace = namespace
        self.withdrawals = withdrawals
    }
    /// Puts an empty backing file in the place of content that is not here, or not the latest.
    func makeEmpty(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        let folder = try backing.folder(entry.parent, catalog)
        let (filename, mode) = (entry.filename, entry.mode | BackingFolder.fileAccess)
        let file = try folder.keepingTime { () throws(Errno) in
            try folder.openFile(filename, O_RDWR | O_CREAT | O_TRUNC, mode: mode)
        }
        if let displayName = entry.name?.displayName { backing.mirror(displayName: displayName, on: file) }
        transfers.forget(entry.inode)
        transfers.retries.succeeded(entry.inode)
        entry.error = nil
        try withdrawals.withdrawIfLeavingCloud(&entry, catalog)
        entry.isHere = true
        entry.contentVersion = entry.currentVersion
        entry.backing = try file.identify().evidence
    }

    /// An empty file of the store that has no name: it goes with its descriptor.
    func unnamedFile() throws(Refusal) -> Descriptor {
        var random = surroundings.random()
        let name = "trial-\(VersionID.random(using: &random))"
        return try Refusal.wrapping { try backing.staging.openUnnamedFile(name) }
    }

    /// The handle that read, write and the rest of its system calls go through.
    func handle(_ number: UInt64) throws(Refusal) -> Handle { try openFiles.handle(number) }

    /// Gives a new handle its number. What was known of its file need not hold any longer.
    func register(_ handle: Handle) -> OpenedFile {
        let number = openFiles.add(handle)
        catalog.forgetStatus(of: handle.inode)
        return OpenedFile(number: number, handle: handle, isShared: unseenWrites.filesAreShared)
    }

    /// Closes a handle. The last writer's close is the save.
    func close(_ number: UInt64) {
        let isNoted = transactions.attemptToNoteUnseenWrites()
        guard let closing = openFiles.remove(number, at: surroundings.instant()) else { return }
        defer { openFiles.finishClosing(closing) }
        let inode = closing.file.inode
        if closing.isLastWriter, isNoted { unseenWrites.end(closing.file) }
        if closing.isSaved, !closing.file.isUnlinked {
            save(inode)
        } else if closing.isLastHandle {
            if closing.isOvertaken { leaveOvertaken(inode) }
        }
        stateChanged()
    }

    func truncate(_ entry: inout Entry, to size: Int64, _ catalog: CatalogTransaction) throws {
        guard entry.kind == .document || entry.kind == .scratch else {
            throw entry.kind == .folder ? Refusal.isFolder : Refusal.noContent
        }
        if size < 0 { throw Refusal.negativeSize }
        if !canChangeAtOnce(entry) {
            guard size == 0, !openFiles.isReadWhileArriving(entry.inode) else {
                throw Refusal.contentNotHere
            }
            try makeEmpty(&entry, catalog)
        } else if let file = openFiles.shareableFile(entry.inode, forWriting: true), file.isWritable {
            try file.descriptor.truncate(to: size)
        } else {
            let folder = try backing.folder(entry.parent, catalog)
            try folder.openFile(entry.filename, O_WRONLY).truncate(to: size)
        }
        if size == 0 { noteBaseOfWriters(of: &entry, catalog) }
        transactions.noteContentChange(&entry)
        if !openFiles.isOpenForWriting(entry.inode) { try finishSave(&entry, catalog) }
        try catalog.update(entry)
    }

    /// Whether the content that an edit starts from is here: the newest version, or an older one that
    /// somebody is editing already.
    func canChangeAtOnce(_ entry: Entry) -> Bool {
        entry.isBackingCurrent || (entry.isHere && openFiles.isOpenForWriting(entry.inode))
    }

    /// The last handle of a file closed that a newer version had overtaken while it was open for
    /// writing, or what was to be saved of it turned out to be saved: from now on its name means the
    /// newer one. Who reads it goes on reading it.
    func leaveOvertaken(_ inode: InodeNumber) {
        do throws(Refusal) {
            try mutate { catalog in
                guard let entry = try catalog.entry(inode), entry.isOutdated else { return }
                // Who may still write to it leaves it when it is closed.
                openFiles.noteOvertaken(inode)
                if openFiles.isOpenForWriting(inode) { return }
                noteHolders(of: entry)
                openFiles.detach(inode)
                _ = try catalog.renumber(inode)
                catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
            }
        } catch {
            logger.error("a newer version could not be shown", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }
}
