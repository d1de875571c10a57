import Backing
import Catalog
import Documents
import SystemPackage

/// Takes the restoring of a version back, or does it again.
extension Undoing {
    /// - Parameter content: what the document got by the step. If it has another one now, it was edited since.
    func exchangeContent(
        _ content: ActionStep.Content, _ step: ActionStep, _ catalog: CatalogTransaction
    ) throws -> ActionStep {
        guard let id = step.entry.id, let entry = try catalog.entry(id) else {
            throw UndoRefusal.isGone(step.entry.subject.name)
        }
        let name = entry.subject.name
        guard !entry.isOutdated, !openFiles.isOpenForWriting(entry.inode),
            try self.content(of: entry, catalog) == content
        else { throw UndoRefusal.isChanged(name) }
        guard step.entry.isHere, try backing.trash.exists(BackingStore.trashName(step.entry.inode)) else {
            throw UndoRefusal.contentIsGone(name)
        }
        try catalog.writeIfWaiting(entry.inode)
        let after = try tree.exchangeContent(of: entry, forTrashed: step.entry.inode, catalog)
        return ActionStep(
            action: step.action, number: step.number, change: .restored(after), entry: entry, folder: step.folder)
    }

    /// Of a placeholder, what its version tells.
    private func content(of entry: Entry, _ catalog: CatalogTransaction) throws -> ActionStep.Content {
        if !entry.isHere { return ActionStep.Content(Fingerprint(entry)) }
        return ActionStep.Content(Fingerprint(try backing.folder(entry.parent, catalog).status(entry.filename)))
    }
}
