import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

/// The contents of documents: open files, writes, saves, and the version that a save is made from.
final class Contents: Transacting {
    let transactions: Transactions
    let store: DocumentStore
    let backing: BackingStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let transfers: Transfers
    let cloud: any ContentSource
    let notices: ChangeNotices
    let lastOpenings: LastOpenings
    let namespace: Namespace
    let withdrawals: Withdrawals
    let roomWatch: RoomWatch

    init(
        _ transactions: Transactions, store: DocumentStore, backing: BackingStore, openFiles: OpenFiles,
        unseenWrites: UnseenWrites, transfers: Transfers, cloud: any ContentSource, notices: ChangeNotices,
        lastOpenings: LastOpenings, namespace: Namespace, withdrawals: Withdrawals
    ) {
        self.transactions = transactions
        self.store = store
        self.backing = backing
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.transfers = transfers
        self.cloud = cloud
        self.notices = notices
        self.lastOpenings = lastOpenings
        self.namespace = namespace
        self.withdrawals = withdrawals
        roomWatch = RoomWatch(transactions, store: store, openFiles: openFiles, unseenWrites: unseenWrites)
    }

    /// Replaces content that is not here, or not the latest, by an empty backing file.
    func makeEmpty(_ entry: inout Entry, _ transaction: Transaction) throws {
        let folder = try backing.folder(entry.parent, transaction)
        let (filename, mode) = (entry.filename, entry.mode | BackingFolder.fileAccess)
        let file = try folder.keepingTime { () throws(Errno) in
            try folder.openFile(filename, O_RDWR | O_CREAT | O_TRUNC, mode: mode)
        }
        if let displayName = entry.name?.displayName { backing.writeDisplayName(displayName, on: file) }
        transfers.forget(entry.inode)
        transfers.retries.succeeded(entry.inode)
        entry.error = nil
        try withdrawals.withdrawIfLeavingCloud(&entry, transaction)
        entry.isHere = true
        entry.contentVersion = entry.currentVersion
        entry.evidence = try file.identify().evidence
    }

    /// An empty file of the store without a name. It is gone when its descriptor is closed.
    func unnamedFile() throws(Refusal) -> Descriptor {
        var random = surroundings.random()
        let name = "trial-\(VersionID.random(using: &random))"
        return try Refusal.wrapping { try backing.staging.openUnnamedFile(name) }
    }

    /// - Throws: EBADF for a number under which no file is open.
    func handle(_ number: UInt64) throws(Refusal) -> Handle { try openFiles.handle(number) }

    /// Gives a new handle its number. From now on its file may change, so that its remembered status is dropped.
    func register(_ handle: Handle) -> OpenedFile { opened(handle, openFiles.add(handle)) }

    /// As `register`, of a file that was found open before; nil if it was closed meanwhile.
    func registerAnother(_ handle: Handle) -> OpenedFile? { openFiles.addAnother(handle).map { opened(handle, $0) } }

    private func opened(_ handle: Handle, _ number: UInt64) -> OpenedFile {
        transactions.forgetStatus(of: handle.inode)
        if let document = handle.file.document {
            lastOpenings.record(document, at: surroundings.now())
        }
        // Of a write that finds no room docfs must hear, to give the trash up for it.
        let mustSee = handle.canWrite && store.mayNeedTrash
        return OpenedFile(number: number, handle: handle, isShared: unseenWrites.filesAreShared && !mustSee)
    }

    /// Closes a handle. The last writer's close is the save.
    func close(_ number: UInt64) {
        guard let inode = try? openFiles.handle(number).inode else { return }
        let isRecorded = transactions.tryToRecordUnseenWrites(to: .only([inode]))
        guard let closing = openFiles.remove(number, at: surroundings.instant()) else { return }
        defer { openFiles.finishClosing(closing) }
        if closing.isLastWriter, isRecorded { unseenWrites.stopWatching(closing.file) }
        if closing.isSaved, !closing.file.isUnlinked {
            save(inode)
        } else if closing.isLastHandle, closing.isOvertaken {
            showNewerVersion(of: inode)
        }
        notices.stateChanged()
    }

    /// - Throws: EISDIR, EINVAL, EAGAIN where the content must arrive first, or the backing file's own errno.
    func truncate(_ entry: inout Entry, to size: Int64, _ transaction: Transaction) throws {
        guard entry.kind == .document || entry.kind == .scratch else {
            throw entry.kind == .folder ? Refusal.isFolder : Refusal.noContent
        }
        if size < 0 { throw Refusal.negativeSize }
        if !canChangeAtOnce(entry) {
            guard size == 0, !openFiles.isReadWhileArriving(entry.inode) else {
                throw Refusal.contentNotHere
            }
            try makeEmpty(&entry, transaction)
        } else if let file = openFiles.shareableFile(entry.inode, forWriting: true), file.isWritable {
            try file.descriptor.truncate(to: size)
        } else {
            let folder = try backing.folder(entry.parent, transaction)
            try folder.openFile(entry.filename, O_WRONLY).truncate(to: size)
        }
        if size == 0 { setBaseVersionOfWriters(of: &entry, transaction) }
        transactions.markContentChanged(&entry)
        if !openFiles.isOpenForWriting(entry.inode) { try finishSave(&entry, transaction) }
        try transaction.update(entry)
    }

    /// Whether the content that an edit starts from is here: the newest version, or an older one that is open for writing.
    func canChangeAtOnce(_ entry: Entry) -> Bool {
        entry.isBackingCurrent || (entry.isHere && openFiles.isOpenForWriting(entry.inode))
    }

    /// Lets a document's names lead to the newer version that was received while its file was open for writing, or had a change to be
    /// sent: the last handle is closed without a change, or the change is sent. Handles that read the older version go on reading it.
    package func showNewerVersion(of inode: InodeNumber) {
        do throws(Refusal) {
            try mutate(concerning: .only([inode])) { transaction in
                guard let entry = try transaction.entry(inode), entry.isOutdated else { return }
                // A file that is open for writing is overtaken when it is closed.
                openFiles.markOvertaken(inode)
                if openFiles.isOpenForWriting(inode) { return }
                recordHolders(of: entry)
                openFiles.detach(inode, transaction)
                _ = try transaction.renumber(inode)
                transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
            }
        } catch {
            logger.error("a newer version could not be shown", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }
}
