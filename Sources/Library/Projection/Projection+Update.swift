import Backing
import Catalog
import Documents
import Glibc
import Replica
import Replication
import SystemPackage

/// Updates entries that the tree has. A property with a pending change keeps the value that it has here.
extension Projection {
    mutating func update(_ current: Entry, to committed: ReplicaEntry) throws {
        var entry = current
        let description = committed.description
        // Before it moves: until the row is written, its directory is found only where it was.
        try updateFolderTime(of: current, to: description)
        if !current.pending.contains(.place) { try move(&entry, to: description) }
        if current.kind == .document, !current.pending.contains(.name) { entry.document = description.identity }
        if !current.pending.contains(.attributes) { entry.attributes = description.attributes.map(Array.init) }
        if !current.pending.contains(.position) { entry.position = description.position.key }
        if !current.pending.contains(.mode) { entry.mode = description.mode }
        entry.pending.remove(.revival)
        entry.setVersions(committed.versions)
        // The version in the file belongs to another document now, which keeps it.
        if !entry.pending.contains(.content), try inherited.version(heldBy: entry) != nil { entry.contentVersion = nil }
        // Also under a pending content, which hides it: that content may turn out to be the same.
        if !current.pending.contains(.modified) { entry.modified = description.modified }
        if !current.pending.contains(.content) { try updateFile(of: entry, was: current) }
        try updateLinkTime(of: entry, was: current)
        if !entry.isHere { entry.changed = tree.surroundings.now() }
        try mirrorName(of: entry, was: current)
        let isMoved = entry.parent != current.parent || entry.filename != current.filename
        let isRenamed = isMoved || entry.name != current.name
        let formerPlace = isRenamed ? try tree.namespace.listedPath(of: current, transaction) : nil
        // A save that was made here hid the newest version until now, and lost to it.
        let hasOtherContent = entry.currentVersion != current.currentVersion || saved.contains(committed.id)
        if entry.isOutdated || !entry.isHere, hasOtherContent { try giveNewInode(to: &entry) }
        try transaction.update(entry)
        if isRenamed || entry.inode != current.inode {
            transaction.announce(.entryChanged(EntryNames(current), besides: nil))
            transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
        }
        // Another device moved the entry in the order, or `F.conflicts` begins or ends to be listed beside the document.
        let isListedElsewhere = entry.position != current.position || (entry.conflicts > 0) != (current.conflicts > 0)
        if isListedElsewhere { transaction.announce(.listingChanged(of: entry.parent)) }
        if let formerPlace { changes.recordMove(of: entry, from: formerPlace) }
        if entry.inode != current.inode { changes.recordContent(of: entry) }
        transaction.announce(.attributesChanged(of: entry.inode))
    }

    /// A document that was moved out of the cloud before its content was here arrives in its newest version.
    func updateLeavingCloud(_ current: Entry, to committed: ReplicaEntry) throws {
        guard let version = committed.versions?.current, version.id != current.currentVersion else { return }
        var entry = current
        entry.currentVersion = version.id
        entry.size = version.size
        entry.modified = committed.description.modified
        tree.transfers.forget(current.inode)
        try giveNewInode(to: &entry)
        try transaction.update(entry)
        transaction.announce(.entryChanged(EntryNames(current), besides: nil))
    }

    /// Gives a document with a new version a new inode number. The content of an inode changes only through the mount, so the kernel may
    /// keep its cache, and a process that has the old version open goes on reading it.
    ///
    /// A document that is open for writing keeps its inode: an edit will become a conflict version, and must not go to an orphan.
    private func giveNewInode(to entry: inout Entry) throws {
        let inode = entry.inode
        if tree.openFiles.isOpenForWriting(inode) {
            tree.openFiles.markOvertaken(inode)
            return
        }
        tree.contents.recordHolders(of: entry)
        tree.openFiles.detach(inode, transaction)
        entry.inode = try transaction.renumber(inode)
    }

    /// Gives the backing file the entry's mode, and a document's its time.
    private func updateFile(of entry: Entry, was current: Entry) throws {
        guard entry.inode > .cloud, entry.isBackingCurrent, entry.kind != .symbolicLink else { return }
        let directory = try tree.backing.folder(entry.parent, transaction)
        if entry.mode != current.mode {
            tree.openFiles.setMode(entry.mode, of: entry.inode)
            try directory.setMode(entry.mode, of: entry.filename, isFolder: entry.kind == .folder, transaction)
        }
        if entry.modified != current.modified, entry.kind == .document {
            try tree.contents.setTime(of: entry, transaction)
        }
    }

    /// Notes the time that a folder gets at the end.
    private mutating func updateFolderTime(of current: Entry, to description: EntryDescription) throws {
        guard current.kind == .folder, !current.pending.contains(.modified), description.modified != current.modified
        else { return }
        let tree = tree, transaction = transaction
        try folderTimes.change(current, to: description.modified, storeTime: tree.storeTime(of: current, transaction))
    }

    private func updateLinkTime(of entry: Entry, was current: Entry) throws {
        guard entry.kind == .symbolicLink, entry.modified != current.modified else { return }
        try tree.backing.folder(entry.parent, transaction).setModified(entry.filename, entry.modified.timespec)
    }

    /// The file carries the document's name, whichever version it holds: after a crash the name on a file is believed.
    private func mirrorName(of entry: Entry, was current: Entry) throws {
        guard entry.isHere, entry.kind == .document, entry.name != current.name else { return }
        let directory = try tree.backing.folder(entry.parent, transaction)
        tree.backing.writeDisplayName(entry.name?.displayName, of: entry.filename, in: directory, transaction)
    }
}
