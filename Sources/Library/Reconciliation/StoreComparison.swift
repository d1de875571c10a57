import Backing
import Catalog
import CrashPoints
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

/// Has rows and files reconciled (`Reconciliation`): at the mount, after a failed write, and where a file differs from its row.
final class StoreComparison: Transacting {
    let transactions: Transactions
    let store: DocumentStore
    let backing: BackingStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let cloud: any ContentSource
    let notices: ChangeNotices
    let namespace: Namespace
    let withdrawals: Withdrawals
    let contents: Contents
    let identities: Identities
    let migration: Migration
    let foundFiles: FoundFiles
    let actions: Actions

    /// Whether rows and files may disagree. Then the store must not be marked as closed cleanly.
    let mustReconcile = Atomic<Bool>(false)
    /// Whether files are being put back after a write that failed.
    private let isUndoing = Atomic<Bool>(false)

    init(
        _ transactions: Transactions, store: DocumentStore, backing: BackingStore, openFiles: OpenFiles,
        unseenWrites: UnseenWrites, cloud: any ContentSource, notices: ChangeNotices, namespace: Namespace,
        withdrawals: Withdrawals, contents: Contents, identities: Identities,
        migration: Migration, foundFiles: FoundFiles, actions: Actions
    ) {
        self.transactions = transactions
        self.store = store
        self.backing = backing
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.cloud = cloud
        self.notices = notices
        self.namespace = namespace
        self.withdrawals = withdrawals
        self.contents = contents
        self.identities = identities
        self.migration = migration
        self.foundFiles = foundFiles
        self.actions = actions
    }

    /// Compares rows and files as far as they may disagree.
    ///
    /// - Parameter state: how the store was left.
    func reconcile(_ state: DocumentStore.Condition) throws {
        do { try compare(state) } catch CatalogError.full {
            // The documents can be shown on a full disk as well. The next mount compares again.
            mustReconcile.store(true, ordering: .relaxed)
            logger.error(
                "the disk is full: changes of the store's files are shown when there is room and docfs is mounted again"
            )
        }
    }

    private func compare(_ state: DocumentStore.Condition) throws {
        try store.write { try restoreOrDiscardSetAside(isCatalogNew: state == .new, $0) }
        if state != .clean { try store.write { try TrashReconciliation(self, $0, isCopy: state == .copy).run() } }
        if state == .clean { return try reconcileEdits() }
        if !Protection.comparison.isOn { return }
        if state != .new { logger.notice("the store was not closed cleanly; comparing it with its files") }
        try store.write { transaction in
            if state == .copy { try transaction.forgetBackingFiles() }
            var reconciliation = Reconciliation(
                self, transaction, state == .copy ? .copy : .uncleanEnd, isCatalogNew: state == .new)
            try reconciliation.run([.local, .cloud])
            if state == .new { try transaction.rememberFoundEntries() }
        }
    }

    /// A write failed and may have changed files before. They are moved back to the paths of their rows.
    func undoFileChanges(in folders: [InodeNumber]) {
        // The write of this function may fail as well, and would call it again.
        if isUndoing.exchange(true, ordering: .acquiringAndReleasing) {
            return mustReconcile.store(true, ordering: .relaxed)
        }
        defer { isUndoing.store(false, ordering: .releasing) }
        do {
            // None of this needs room: it succeeds on a full disk.
            try store.write { transaction in
                backing.forgetFolders()
                try putBackRemoved(transaction)
                var reconciliation = Reconciliation(self, transaction, .failedWrite, isRecursive: false)
                try reconciliation.run(
                    try folders.filter { try transaction.entry($0)?.kind == .folder && $0 > .documents }.sorted())
            }
        } catch {
            // The next mount compares everything.
            mustReconcile.store(true, ordering: .relaxed)
            logger.error("files could not be put back after a failure", metadata: ["error": "\(error)"])
        }
    }

    /// Compares the folders in which files were added, removed or renamed while no mount used the store. Contents are compared later
    /// (`recordEditsInStore`).
    private func reconcileEdits() throws {
        try store.write { transaction in
            let known = try transaction.folderTimes()
            let changed = try transaction.folders().map(\.inode).filter { try known[$0] != folderTime($0, transaction) }
            if changed.isEmpty { return }
            var reconciliation = Reconciliation(self, transaction, .edits, isRecursive: false)
            try reconciliation.run(changed.sorted())
        }
    }

    /// The time of change of a folder (st_ctime); nil if it is gone.
    private func folderTime(_ inode: InodeNumber, _ rows: Rows) throws -> Timestamp? {
        let status: stat
        switch inode {
        case .local, .cloud: status = try backing.folder(inode, rows).descriptor.status()
        default:
            // A folder whose status cannot be read counts as gone, and is compared at the next mount.
            guard let entry = try rows.entry(inode), let parent = try? backing.folder(entry.parent, rows),
                let found = try? parent.status(entry.filename)
            else { return nil }
            status = found
        }
        return Timestamp(status.st_ctim)
    }

    /// Records the folders' times of change, by which the next mount finds folders that were changed meanwhile.
    func recordFolderTimes() throws {
        try store.write { transaction in
            var known = try transaction.folderTimes()
            for folder in try transaction.folders().map(\.inode) {
                let time = try folderTime(folder, transaction)
                if known.removeValue(forKey: folder) != time { try transaction.setFolderTime(time, of: folder) }
            }
            for folder in known.keys { try transaction.setFolderTime(nil, of: folder) }
        }
    }

    /// Records which documents were edited in the store while no mount used it. This takes a while where there are many. A change that is
    /// about to replace a file compares that file first, and need not wait for this.
    ///
    /// - Parameter isOver: called now and then; true ends the comparison.
    func recordEditsInStore(until isOver: () -> Bool) {
        var last = InodeNumber(0)
        do {
            while !isOver() {
                let entries = try store.catalog.read { try $0.entriesWithRecordedContent(after: last, limit: 256) }
                // One write for each edit, since it reads the whole file. By id, since a version from another device changes the inode number.
                for id in entries.compactMap(\.id)
                where try store.catalog.read({ try looksEdited(id, $0) }) && !isOver() {
                    try store.write { transaction in
                        guard var entry = try transaction.entry(id) else { return }
                        _ = try foundFiles.recordEditInStore(of: &entry, transaction)
                    }
                }
                guard entries.count == 256, let end = entries.last else { break }
                last = end.inode
            }
        } catch {
            mustReconcile.store(true, ordering: .relaxed)
            logger.error(
                "the store's files could not all be compared with the catalog", metadata: ["error": "\(error)"])
        }
        notices.stateChanged()
    }

    private func looksEdited(_ id: EntryID, _ rows: Rows) throws -> Bool {
        guard let entry = try rows.entry(id), entry.isHere,
            // A file that is gone was not edited.
            let status = try? backing.folder(entry.parent, rows).status(entry.filename)
        else { return false }
        return entry.isOutdated || Fingerprint(status) != Fingerprint(entry)
    }

    /// Empties `staging`: a file whose row exists is put back, a file whose row was removed is deleted. Downloads start anew. Files that
    /// docfs did not put there stay (`docfs check`).
    ///
    /// - Parameter isCatalogNew: then nobody knows whether a file was to be removed, and it goes to the trash.
    private func restoreOrDiscardSetAside(isCatalogNew: Bool, _ transaction: Transaction) throws {
        try putBackRemoved(transaction)
        let names = try backing.staging.names()
        let setAside = names.compactMap { BackingStore.inode(setAsideAs: $0) }
        if !setAside.isEmpty {
            // The removal was committed, and the file did not get to the trash.
            let removed = Set(try transaction.stepsOfTrash().filter(\.isInTrash).map(\.entry.inode))
            for inode in setAside where isCatalogNew || removed.contains(inode) {
                // A kill has left the second name of a file that was about to be replaced: its document is there.
                if try backing.isSecondName(setAside: inode) { continue }
                try backing.keepSetAside(inode)
            }
        }
        for name in try backing.staging.names() where BackingStore.isOwnStagingName(name) {
            try backing.staging.removeFile(name)
        }
    }

    /// Puts files in `staging` back to the paths of their rows.
    private func putBackRemoved(_ transaction: Transaction) throws {
        for name in try backing.staging.names() {
            guard let inode = BackingStore.inode(setAsideAs: name), let entry = try transaction.entry(inode) else {
                continue
            }
            let folder: BackingFolder
            do { folder = try backing.folder(entry.parent, transaction) } catch {
                logger.warning(
                    "a file that was being removed could not be put back",
                    metadata: ["filename": "\(entry.filename)", "error": "\(error)"])
                continue
            }
            // If the name cannot be read, it counts as free; putting the file back then fails, and reports it.
            guard let present = try? folder.identify(entry.filename) else {
                try backing.putBack(entry.filename, of: inode, in: folder)
                continue
            }
            // A file at its path has replaced it. A link or folder there is another entry: both stay.
            if present.type == entry.kind.backingType { continue }
            try backing.putBack(
                try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, transaction), of: inode,
                in: folder)
        }
    }
}
