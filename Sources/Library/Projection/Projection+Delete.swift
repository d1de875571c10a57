import Backing
import Catalog
import Documents
import Replica
import Replication

/// Removes entries that other devices deleted.
extension Projection {
    func deepestFirst(_ gone: [EntryID]) throws -> [EntryID] {
        try gone.compactMap { id in try transaction.entry(id).map { (id, try transaction.depth(of: $0)) } }
            .sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// Removes an entry, unless a change on this device keeps it.
    mutating func projectDeleted(_ id: EntryID, isFolder: Bool) throws {
        guard var entry = try transaction.entry(id), entry.location == .cloud, (entry.kind == .folder) == isFolder,
            !entry.pending.contains(.creation), entry.inode > .cloud
        else { return }
        let isKept = try isFolder ? transaction.hasChildren(entry.inode) : isEdited(&entry)
        if isKept { return try keep(entry) }
        try remove(entry)
    }

    private mutating func isEdited(_ entry: inout Entry) throws -> Bool {
        let inherited = try self.inherited.version(heldBy: entry)
        if entry.pending.contains(.content) { return try !tree.foundFiles.holdsSentContent(entry, transaction) }
        return try tree.foundFiles.recordEditInStore(of: &entry, inherited: inherited, transaction)
    }

    /// Keeps an entry that was deleted elsewhere and changed here.
    private func keep(_ deleted: Entry) throws {
        var entry = deleted
        if entry.kind == .folder, try !transaction.hasReplicatedChildren(entry.inode) {
            // Scratch files alone do not bring a folder back on other devices.
            entry.pending.insert(.revival)
            return try transaction.update(entry)
        }
        // It is created in the container anew. The revision stays, since this is no change of the entry: a save of it that is being sent is
        // the one that the container needs.
        entry.pending.insert(.creation)
        try transaction.update(entry)
        tree.cloud.changesAreWaiting()
    }

    private mutating func remove(_ entry: Entry) throws {
        if let place = try tree.namespace.listedPath(of: entry, transaction) {
            changes.recordRemoval(of: entry, from: place)
        }
        if let folder = try transaction.entry(entry.parent) { try willChangeEntries(of: folder) }
        tree.removal.addOrphan(entry, transaction)
        try transaction.delete(entry.inode)
        let directory = try tree.backing.folder(entry.parent, transaction)
        if entry.kind == .folder {
            try directory.removeFolder(entry.filename, transaction)
            tree.backing.forget(entry.inode)
        } else {
            tree.openFiles.detach(entry.inode, transaction)
            try tree.backing.setAside(entry.filename, of: entry.inode, in: directory, transaction)
            tree.transfers.forget(entry.inode)
            tree.backing.discardSetAside(entry.inode, after: transaction)
        }
        transaction.announce(.listingChanged(of: entry.parent))
        transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
    }
}
