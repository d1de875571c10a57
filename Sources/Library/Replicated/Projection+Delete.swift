import Backing
import Catalog
import Documents
import Replica
import Replication

/// Removes entries that other devices deleted.
extension Projection {
    func deepestFirst(_ gone: [EntryID]) throws -> [EntryID] {
        try gone.compactMap { id in try catalog.entry(id).map { (id, try catalog.depth(of: $0)) } }
            .sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// Removes an entry, unless a change on this device keeps it.
    mutating func projectDeleted(_ id: EntryID, isFolder: Bool) throws {
        guard var entry = try catalog.entry(id), entry.location == .cloud, (entry.kind == .folder) == isFolder,
            !entry.pending.contains(.creation), entry.inode > .cloud
        else { return }
        let isKept = try isFolder ? catalog.hasChildren(entry.inode) : isEdited(&entry)
        if isKept { return try keep(entry) }
        try remove(entry)
    }

    private mutating func isEdited(_ entry: inout Entry) throws -> Bool {
        let inherited = try self.inherited.version(heldBy: entry)
        if entry.pending.contains(.content) { return try !tree.foundFiles.holdsSentContent(entry, catalog) }
        return try tree.foundFiles.recordEditInStore(of: &entry, inherited: inherited, catalog)
    }

    /// Keeps an entry that was deleted elsewhere and changed here.
    private func keep(_ deleted: Entry) throws {
        var entry = deleted
        if entry.kind == .folder, try !catalog.hasReplicatedChildren(entry.inode) {
            // Scratch files alone do not bring a folder back on other devices.
            entry.pending.insert(.revival)
            return try catalog.update(entry)
        }
        // It is created in the container anew. The revision stays, since this is no change of the entry: a save of it that is being sent is
        // the one that the container needs.
        entry.pending.insert(.creation)
        try catalog.update(entry)
        tree.cloud.changesAreWaiting()
    }

    private mutating func remove(_ entry: Entry) throws {
        if let place = try tree.namespace.listedPath(of: entry, catalog) {
            changes.recordRemoval(of: entry, from: place)
        }
        if let folder = try catalog.entry(entry.parent) { try willChangeEntries(of: folder) }
        try tree.removal.addOrphan(entry, catalog)
        try catalog.delete(entry.inode)
        let directory = try tree.backing.folder(entry.parent, catalog)
        if entry.kind == .folder {
            try directory.removeFolder(entry.filename)
            tree.backing.forget(entry.inode)
        } else {
            tree.openFiles.detach(entry.inode)
            try tree.backing.setAside(entry.filename, of: entry.inode, in: directory)
            tree.transfers.forget(entry.inode)
            discarded.append(entry.inode)
        }
        catalog.announce(.listingChanged(of: entry.parent))
        catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
    }
}
