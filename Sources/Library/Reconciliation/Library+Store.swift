import Backing
import Catalog
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

/// How a mount finds the store, and how it leaves it.
extension Library {
    /// How the store was left.
    enum StoreState {
        /// The catalog is new, perhaps in the place of one that was lost.
        case new
        /// Closed; since then only a person may have changed its files.
        case clean
        case unclean
        /// Copied, or restored from a backup.
        case copy
    }

    /// Compares rows and files as far as they may disagree.
    func reconcile(_ state: StoreState) throws {
        do { try compare(state) } catch CatalogError.full {
            // A full disk is no reason not to show what is there. The next mount compares again.
            mustReconcile.store(true, ordering: .relaxed)
            logger.error(
                "the disk is full: what changed in the store's files is not shown before there is room and docfs is mounted again"
            )
        }
    }

    private func compare(_ state: StoreState) throws {
        try write { try settleRemovals($0) }
        if state == .clean { return try reconcileEdits() }
        if state != .new { logger.notice("the store was not closed cleanly; comparing it with its files") }
        try write { catalog in
            if state == .copy { try catalog.forgetBackingFiles() }
            var reconciliation = Reconciliation(
                self, catalog, state == .copy ? .copy : .uncleanEnd, isCatalogNew: state == .new)
            try reconciliation.run([.local, .cloud])
        }
    }

    /// A write failed after it may have changed files: they go back to where the rows say.
    func undoFileChanges(in folders: [InodeNumber]) {
        // It may fail itself.
        if isUndoing.exchange(true, ordering: .acquiringAndReleasing) {
            return mustReconcile.store(true, ordering: .relaxed)
        }
        defer { isUndoing.store(false, ordering: .releasing) }
        do {
            // Nothing of it needs room, so it succeeds on a full disk.
            try write { catalog in
                backing.forgetFolders()
                try putBackRemoved(catalog)
                var reconciliation = Reconciliation(self, catalog, .failedWrite, isRecursive: false)
                try reconciliation.run(
                    try folders.filter { try catalog.entry($0)?.kind == .folder && $0 > .documents }.sorted())
            }
        } catch {
            // The next mount compares everything.
            mustReconcile.store(true, ordering: .relaxed)
            logger.error("files could not be put back after a failure", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Changes made while no mount used the store

    /// Looks into the folders in which files were added, removed or renamed. Contents are looked at later (`noteEditsInStore`).
    private func reconcileEdits() throws {
        try write { catalog in
            let known = try catalog.folderTimes()
            let changed = try catalog.folders().map(\.inode).filter { try known[$0] != folderTime($0, catalog) }
            if changed.isEmpty { return }
            var reconciliation = Reconciliation(self, catalog, .edits, isRecursive: false)
            try reconciliation.run(changed.sorted())
        }
    }

    private func folderTime(_ inode: InodeNumber, _ catalog: CatalogTransaction) throws -> Int64? {
        let status: stat
        switch inode {
        case .local, .cloud: status = try backing.folder(inode, catalog).descriptor.status()
        default:
            guard let entry = try catalog.entry(inode), let parent = try? backing.folder(entry.parent, catalog),
                let found = try? parent.status(entry.filename)
            else { return nil }
            status = found
        }
        return Timestamp(status.st_ctim).nanoseconds
    }

    private func noteFolderTimes() throws {
        try write { catalog in
            var known = try catalog.folderTimes()
            for folder in try catalog.folders().map(\.inode) {
                let time = try folderTime(folder, catalog)
                if known.removeValue(forKey: folder) != time { try catalog.setFolderTime(time, of: folder) }
            }
            for folder in known.keys { try catalog.setFolderTime(nil, of: folder) }
        }
    }

    /// Notes which documents' contents were changed in the store while no mount used it. Takes a while where there are many;
    /// whatever is about to take the place of a file looks at that itself.
    ///
    /// - Parameter isOver: asked now and then; true ends it.
    public func noteEditsInStore(until isOver: () -> Bool) {
        var last = InodeNumber(0)
        do {
            while !isOver() {
                let entries = try catalog.read { try $0.entriesWithNotedContent(after: last, limit: 256) }
                // One at a time: an edit takes reading the whole file.
                // By their ids: a version from elsewhere gives a document another inode number.
                for id in entries.compactMap(\.id) where try catalog.read({ try looksEdited(id, $0) }) && !isOver() {
                    try write { catalog in
                        guard var entry = try catalog.entry(id) else { return }
                        _ = try noteEditInStore(of: &entry, catalog)
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
        stateChanged()
    }

    private func looksEdited(_ id: EntryID, _ catalog: CatalogTransaction) throws -> Bool {
        guard let entry = try catalog.entry(id), entry.isHere,
            let status = try? backing.folder(entry.parent, catalog).status(entry.filename)
        else { return false }
        return entry.isOutdated || Fingerprint(status) != Fingerprint(entry)
    }

    /// Must be asked before something takes the place of a file, or the file is removed because another device says so.
    ///
    /// - Returns: whether somebody edited it unseen. It is noted.
    ///
    /// - Parameter inherited: the version that the file holds, if it has just gone to another document.
    func noteEditInStore(
        of entry: inout Entry, inherited: DocumentVersion? = nil, _ catalog: CatalogTransaction
    ) throws -> Bool {
        // Of a file that is open it is known (`UnseenWrites`).
        if let file = openFiles.file(entry.inode), file.arrival?.stage != .underWay { return false }
        guard entry.kind == .document, let folder = try? backing.folder(entry.parent, catalog),
            let status = try? folder.status(entry.filename)
        else { return false }
        if entry.isBackingCurrent, Fingerprint(status) == Fingerprint(entry) { return false }
        guard try noteChangeInStore(of: &entry, status, .edits, inherited: inherited, catalog) else { return false }
        transfers.noteClosed(entry.inode)
        return true
    }

    // MARK: Removals that had not ended

    /// What was set aside goes if its row went, and goes back if the row is still there. Parts of
    /// downloads start anew.
    private func settleRemovals(_ catalog: CatalogTransaction) throws {
        try putBackRemoved(catalog)
        for name in try backing.staging.names() { try backing.staging.removeFile(name) }
    }

    private func putBackRemoved(_ catalog: CatalogTransaction) throws {
        for name in try backing.staging.names() {
            guard let inode = BackingStore.inode(setAsideAs: name), let entry = try catalog.entry(inode),
                let folder = try? backing.folder(entry.parent, catalog)
            else { continue }
            guard let present = try? folder.identify(entry.filename) else {
                try backing.putBack(entry.filename, of: inode, in: folder)
                continue
            }
            // A file in its place is what replaced it. A link or folder there is another entry: both stay.
            if present.type == entry.kind.backingType { continue }
            try backing.putBack(
                try newFilename(entry.name?.pathExtension ?? "", in: entry.parent, catalog), of: inode, in: folder)
        }
    }

    // MARK: Leaving

    /// Ends the use of the store cleanly. No call may be under way or follow.
    public func close() throws {
        unseenWrites.hasEnded.store(true, ordering: .releasing)
        // Who still has a document open may go on writing to it after docfs has ended: the next mount compares.
        let isUnwritten = attemptToNoteUnseenWrites() && unseenWrites.areNone && !openFiles.areWrittenUnseen
        catalog.setListener(nil)
        let isNoted: Bool
        do {
            try noteFolderTimes()
            isNoted = true
        } catch {
            logger.warning(
                "the store's folders could not be noted; the next mount looks at all files",
                metadata: ["error": "\(error)"])
            isNoted = false
        }
        try catalog.close()
        guard isUnwritten, isNoted, !mustReconcile.load(ordering: .relaxed),
            backing.synchronizeAll(within: surroundings.diskPatience)
        else { return }
        do throws(Errno) { try CleanMark(backing).leave() } catch {
            logger.warning(
                "the store could not be marked as closed; the next mount looks at all files",
                metadata: ["error": "\(error)"])
        }
    }
}
