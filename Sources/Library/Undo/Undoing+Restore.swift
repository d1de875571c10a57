import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Replica
import Replication
import SystemPackage

/// The memory of an undo or redo from one step to the next.
struct UndoProgress {
    let direction: ActionDirection
    /// Folders and links that are back, with the times that their files get when all that lies in them is back.
    var restored: [(entry: Entry, modified: Timestamp)] = []
    var emptied = EmptiedFolders()

    init(_ direction: ActionDirection) { self.direction = direction }
}

/// Brings back what was removed.
extension Undoing {
    func restore(
        _ step: ActionStep, of action: ActionRecord, _ progress: inout UndoProgress, _ transaction: Transaction
    ) throws -> ActionStep {
        var entry = step.entry
        let name = entry.subject.name
        if let id = entry.id, try transaction.entry(id) != nil { throw UndoRefusal.isThereAgain(name) }
        let folder = try folder(step, transaction)
        try requireFree(entry, in: folder, besides: nil, since: action.time, transaction)
        entry.error = nil
        entry.bundle = nil
        if entry.kind == .document, folder.location == .local, !entry.isHere { try fetchAgain(&entry, transaction) }
        entry.parent = folder.inode
        entry.location = folder.location
        if entry.kind == .folder { entry.nature = .folder(folder.namingContext.folder(try EntryName(entry.filename))) }
        try restoreFile(of: &entry, was: step, transaction)
        let modified = entry.modified
        if entry.kind == .folder, entry.isReplicated { entry.modified = surroundings.folderTime(modified) }
        let committed = try restoreSynchronization(of: &entry, transaction)
        let held = fileHeldOpen(of: entry, was: step)
        entry.inode = held?.inode ?? InodeNumber(0)
        entry.inode = try transaction.insert(entry)
        try adoptWrites(to: held, of: &entry, was: step.entry, transaction)
        if committed, let id = entry.id { try replicatedTree.show(id, in: folder.inode, transaction) }
        if entry.kind != .document { progress.restored.append((entry, modified)) }
        try announce(entry, transaction)
        return ActionStep(action: step.action, number: step.number, change: .present, entry: entry, folder: nil)
    }

    /// The document was on its way out of the cloud when it was removed. Its content comes from the version that the container has, also if
    /// the document is deleted there by now. A deletion that was not sent yet waits for it.
    private func fetchAgain(_ entry: inout Entry, _ transaction: Transaction) throws {
        let known: AwaitedContent?
        do { known = try withdrawals.contentToFetch(of: entry, transaction) } catch Refusal.noKnownContent {
            known = nil
        }
        guard let content = known else { throw UndoRefusal.contentIsGone(entry.subject.name) }
        try entry.wait(for: content)
        entry.size = content.version.size
        guard var withdrawal = try transaction.withdrawal(of: content.document) else { return }
        let bundle = try withdrawal.bundle ?? transaction.next(.bundleNumber)
        withdrawal.bundle = bundle
        try transaction.store(withdrawal)
        entry.bundle = bundle
    }

    private func announce(_ entry: Entry, _ transaction: Transaction) throws {
        transaction.announce(.listingChanged(of: entry.parent))
        transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
        transaction.announceTrash()
        if let place = try namespace.listedPath(of: entry, transaction) {
            transaction.announce(.remoteChanges([.created(place)]))
        }
    }

    private func restoreFile(of entry: inout Entry, was step: ActionStep, _ transaction: Transaction) throws {
        let directory = try backing.folder(entry.parent, transaction)
        let filename = entry.filename
        switch entry.kind {
        case .folder:
            try directory.makeFolder(filename, mode: entry.mode, transaction)
        case .symbolicLink:
            try directory.makeSymbolicLink(filename, target: entry.target ?? [], transaction)
        case .document, .scratch:
            guard entry.isHere else { return }
            let inode = step.entry.inode
            guard try backing.takeBack(filename, of: inode, to: directory, transaction) else {
                if entry.isReplicated, entry.currentVersion != nil, !entry.pending.contains(.content) {
                    // The container has it.
                    entry.isHere = false
                    entry.contentVersion = nil
                    entry.evidence = nil
                    return
                }
                throw UndoRefusal.contentIsGone(entry.subject.name)
            }
        }
        entry.evidence = try directory.identify(filename).evidence
    }

    /// The file, if a program still has it open: the document keeps its inode number then. Not for those who only read what the container has a
    /// newer version of: they go on reading, and the document shows the newer one (`Projection`).
    private func fileHeldOpen(of entry: Entry, was step: ActionStep) -> OpenFile? {
        guard entry.isHere, let file = contents.openFile(ofReturning: step.entry.inode, entry.evidence) else {
            return nil
        }
        return entry.isOutdated && !file.isOpenForWriting ? nil : file
    }

    /// A program may have written to the file since it was removed, and may go on.
    ///
    /// - Parameters:
    ///   - held: the file, if a program still has it open.
    ///   - former: the row as it was removed. The container may have a newer version since, and then only that row tells of a time that the file
    ///     got without a new content.
    private func adoptWrites(
        to held: OpenFile?, of entry: inout Entry, was former: Entry, _ transaction: Transaction
    ) throws {
        if let held {
            let row = entry
            try contents.attach(held, to: &entry, transaction) {
                try foundFiles.looksChanged(row, $0, transaction) && foundFiles.looksChanged(former, $0, transaction)
            }
            try transaction.update(entry)
            removal.endOrphan(entry.inode, transaction)
        }
        guard entry.kind == .document, entry.isHere, !openFiles.isOpenForWriting(entry.inode) else { return }
        let status = try backing.folder(entry.parent, transaction).status(entry.filename)
        if Fingerprint(status) == Fingerprint(entry) { return }
        _ = try foundFiles.recordChangeInStore(of: &entry, status, .edits, transaction)
    }

    /// A cloud entry comes back on all devices. If the container has not been told of its removal, it is not told; else it is told that the
    /// entry is back.
    ///
    /// - Returns: whether the container has the entry still, so that what it says of it must be shown.
    private func restoreSynchronization(of entry: inout Entry, _ transaction: Transaction) throws -> Bool {
        guard entry.isReplicated, let id = entry.id else { return false }
        try transaction.deleteWithdrawal(id)
        entry.revision += 1
        cloud.changesAreWaiting()
        guard let committed = try CatalogReplica(transaction).entry(id) else {
            // A commit that creates it may be on its way, and nothing of it is known yet.
            entry.pending.insert(entry.kind == .document ? [.creation, .content] : .creation)
            return false
        }
        try adoptSentContent(&entry, of: committed, transaction)
        let mayBeDeleted = try committed.isDeleted || transaction.hasOutbox()
        if mayBeDeleted {
            entry.pending.insert(.creation)
            entry.pending.remove(.revival)
        }
        entry.setRestoredVersions(committed.versions)
        return !committed.isDeleted
    }

    /// The content may have been sent when the document was removed already, or while it was: then it is the version that the container has
    /// of it, and is not sent once more.
    private func adoptSentContent(
        _ entry: inout Entry, of committed: ReplicaEntry, _ rows: Rows
    ) throws {
        guard entry.kind == .document, entry.isHere, entry.pending.contains(.content) else { return }
        let file = Fingerprint(try backing.folder(entry.parent, rows).status(entry.filename))
        let sent = committed.versions?.all.first { [base = entry.contentVersion] version in
            version.base == base && version.device == device.id
                && Fingerprint(size: version.size, modified: version.modified) == file
        }
        guard let sent else { return }
        entry.contentVersion = sent.id
        entry.pending.remove(.content)
    }

    /// Gives folders and links their times, inner ones first.
    func setTimes(of restored: [(entry: Entry, modified: Timestamp)], _ rows: Rows) throws {
        for (entry, modified) in restored.reversed() {
            try backing.folder(entry.parent, rows).setModified(entry.filename, modified.timespec)
        }
    }

    // MARK: Folders

    /// The folder that an entry lay in, made again if it is gone.
    func folder(_ step: ActionStep, _ transaction: Transaction) throws -> Entry {
        let top: InodeNumber = step.entry.location == .cloud ? .cloud : .local
        guard let id = step.folder else { return try existing(.local, transaction) }
        if let folder = try transaction.entry(id) { return folder }
        guard let removed = try removedFolder(id, transaction) else {
            return try existing(top, transaction)
        }
        return try remake(removed, transaction)
    }

    /// The removal of a folder, here or elsewhere.
    func removedFolder(_ id: EntryID, _ rows: Rows) throws -> ActionStep? {
        if let step = try rows.removedStep(id) { return step.entry.kind == .folder ? step : nil }
        guard let committed = try CatalogReplica(rows).entry(id), committed.isDeleted, committed.isFolder else {
            return nil
        }
        return try ActionStep(deletionOf: committed, below: try existing(.cloud, rows))
    }

    func existing(_ inode: InodeNumber, _ rows: Rows) throws -> Entry {
        guard let folder = try rows.entry(inode) else { throw Refusal.staleInode }
        return folder
    }

    /// Makes a folder again that another action or device removed. That action cannot be undone any more, as far as it is about this folder.
    private func remake(_ step: ActionStep, _ transaction: Transaction) throws -> Entry {
        let action = try transaction.action(step.action) ?? Self.noAction(at: surroundings.now())
        var progress = UndoProgress(.undo)
        let back = try restore(step, of: action, &progress, transaction)
        try actions.drop(step, transaction)
        return back.entry
    }
}

extension Entry {
    /// A document is shown as the container has it, also if the container has it as deleted.
    fileprivate mutating func setRestoredVersions(_ versions: VersionHistory?) {
        guard kind == .document, let versions else { return }
        currentVersion = versions.current.id
        conflicts = versions.conflicts.count
        if !isHere { size = versions.current.size }
    }
}
