import Backing
import CLinux
import Catalog
import Documents
import Replica
import Replication
import SystemPackage

/// Moves entries to the folder and filename that they have in the replica.
extension Projection {
    /// Moves and updates an entry that the tree has in the cloud.
    mutating func bring(_ entry: Entry, to committed: ReplicaEntry) throws {
        if !entry.pending.contains(.place) { try makeWay(for: entry, to: committed) }
        // What came to its folder may have taken its filename.
        guard let entry = try transaction.entry(entry.inode) else { return }
        try update(entry, to: committed)
    }

    /// Makes the folder that an entry goes to be there, and not inside the entry. Where two devices moved folders into each other, the move that
    /// the log has holds, and the one that this device has still to send is taken back: the container would refuse it.
    private mutating func makeWay(for entry: Entry, to committed: ReplicaEntry) throws {
        guard let folder = try folder(committed.description.parent), entry.kind == .folder, folder.inode != entry.parent
        else { return }
        while let (found, place) = try pendingMove(between: folder.inode, and: entry.inode) {
            var moved = found
            moved.pending.remove(.place)
            moved.revision += 1
            try transaction.update(moved)
            try bring(moved, to: place)
        }
    }

    /// - Returns: a folder that this device moved, and by which a folder lies inside another one; nil if it does not lie there.
    private func pendingMove(
        between folder: InodeNumber, and ancestor: InodeNumber
    ) throws -> (Entry, to: ReplicaEntry)? {
        guard try transaction.isInside(folder, ancestor: ancestor) else { return nil }
        var inode = folder
        while inode != ancestor, let entry = try transaction.entry(inode) {
            // One that was only renamed, or that came from within the other one, is not in the way.
            if entry.pending.contains(.place), let id = entry.id, let place = try replica.entry(id), !place.isDeleted,
                let former = try transaction.entry(place.description.parent),
                try former.inode != ancestor && !transaction.isInside(former.inode, ancestor: ancestor)
            {
                return (entry, place)
            }
            inode = entry.parent
        }
        return nil
    }

    mutating func move(_ entry: inout Entry, to description: EntryDescription) throws {
        guard let folder = try folder(description.parent) ?? transaction.entry(.cloudRoot) else { return }
        let isRenamed = !entry.filename.isIdentical(to: description.filename)
        guard folder.inode != entry.parent || isRenamed else { return }
        // A folder that was deleted elsewhere and is kept here may lie inside this entry.
        if try transaction.isInside(folder.inode, ancestor: entry.inode) { return }
        for inode in [entry.parent, folder.inode] {
            if let folder = try transaction.entry(inode) { try willChangeEntries(of: folder) }
        }
        try freeFilename(description.filename, in: folder)
        let source = try tree.backing.folder(entry.parent, transaction)
        let target = try tree.backing.folder(folder.inode, transaction)
        let isMoved = try source.moveIfPresent(entry.filename, to: target, description.filename, transaction)
        // An earlier attempt may have moved it, and failed after that.
        if !isMoved, entry.isHere, try !target.exists(description.filename) { throw Errno.noSuchFileOrDirectory }
        transaction.announce(.listingChanged(of: entry.parent))
        transaction.announce(.listingChanged(of: folder.inode))
        entry.parent = folder.inode
        entry.filename = description.filename
        entry.hasGeneratedFilename = description.hasGeneratedFilename
    }

    /// Renames the entry that has a filename which the container gives to another entry. In the log's order it came later, or it never
    /// leaves this device.
    mutating func freeFilename(_ filename: String, in folder: Entry) throws {
        guard var other = try transaction.entry(in: folder.inode, filename: filename) else { return }
        let before = other
        let place = try tree.namespace.listedPath(of: before, transaction)
        other.filename = try tree.namespace.distinctFilename(of: before, transaction)
        let directory = try tree.backing.folder(folder.inode, transaction)
        _ = try directory.moveIfPresent(filename, to: directory, other.filename, transaction)
        // An entry that the replica has elsewhere gets its filename from there, later in this projection.
        if try keepsPath(before) { other.markPending(.place) }
        try transaction.update(other)
        if let place { changes.recordMove(of: other, from: place) }
        transaction.announce(.entryChanged(EntryNames(before), besides: nil))
    }

    /// Whether the replica does not move the entry away from its path.
    private func keepsPath(_ entry: Entry) throws -> Bool {
        guard !entry.pending.contains(.place), let id = entry.id, let committed = try replica.entry(id) else {
            return true
        }
        let folder = try transaction.entry(entry.parent)
        return !committed.isDeleted && committed.description.parent == folder?.id
            && committed.description.filename.isIdentical(to: entry.filename)
    }
}
