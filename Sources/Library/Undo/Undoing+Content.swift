import Backing
import Catalog
import Documents
import Replica
import Replication
import SystemPackage

/// Takes the restoring of a version back, or does it again, and so with a choice that took the place of an edit.
extension Undoing {
    /// - Parameter content: what the document got by the step. If it has another one now, it was edited since.
    func exchangeContent(
        _ content: Fingerprint, _ step: ActionStep, _ transaction: Transaction
    ) throws -> ActionStep {
        let entry = try present(step, transaction)
        let name = entry.subject.name
        // A program may still write to the content that is to come back, too.
        if [entry, step.entry].contains(where: { openFiles.isOpenForWriting($0.inode) }) {
            throw UndoRefusal.isOpen(name)
        }
        guard try self.content(of: entry, transaction) == content else { throw UndoRefusal.isChanged(name) }
        if !step.entry.isHere { return try giveUpEdit(of: entry, step, transaction) }
        guard try backing.trash.exists(BackingStore.trashName(step.entry.inode)) else {
            throw UndoRefusal.contentIsGone(name)
        }
        try transaction.requireWritten(entry.inode)
        let after = try tree.exchangeContent(of: entry, forTrashed: step.entry.inode, transaction)
        var former = entry
        former.isHere = entry.isBackingCurrent
        return ActionStep(
            action: step.action, number: step.number, change: .restored(after), entry: former, folder: step.folder)
    }

    /// The document was a placeholder before.
    private func giveUpEdit(of entry: Entry, _ step: ActionStep, _ transaction: Transaction) throws -> ActionStep {
        guard entry.currentVersion == step.entry.currentVersion,
            let content = try versionFiles.giveUpEdit(of: entry, transaction), let id = entry.id
        else { throw UndoRefusal.contentIsGone(entry.subject.name) }
        try replicatedTree.show(id, in: entry.parent, transaction)
        return ActionStep(
            action: step.action, number: step.number, change: .restored(content), entry: entry, folder: step.folder)
    }

    /// The former content of a document can no longer be given back to it. If it was never sent, the trash keeps it as a document of its own,
    /// whose removal takes the place of the step.
    func keepAsRemoved(_ step: ActionStep, _ transaction: Transaction) throws {
        var entry = step.entry
        var random = surroundings.random()
        entry.id = .random(using: &random)
        entry.filename = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, transaction)
        entry.hasGeneratedFilename = true
        entry.currentVersion = nil
        entry.contentVersion = nil
        entry.conflicts = 0
        entry.markPending([.creation, .content])
        let file = Fingerprint(try backing.trash.status(BackingStore.trashName(entry.inode)))
        (entry.size, entry.modified) = (file.size, file.modified)
        guard var action = try transaction.action(step.action) else { return }
        action.name = ActionName(.delete)
        action.name.add(entry.subject)
        try transaction.replace(
            step,
            by: ActionStep(
                action: step.action, number: step.number, change: .removed, entry: entry, folder: step.folder))
        try transaction.store(action)
    }

    /// Of a version that is not here, what the container tells.
    private func content(of entry: Entry, _ rows: Rows) throws -> Fingerprint {
        if !entry.isBackingCurrent {
            let committed = try entry.id.flatMap {
                try CatalogReplica(rows).visibleEntry($0, at: surroundings.now())
            }
            guard let version = committed?.versions?.current else { return Fingerprint(entry) }
            return Fingerprint(size: version.size, modified: version.modified)
        }
        return Fingerprint(try backing.folder(entry.parent, rows).status(entry.filename))
    }
}
