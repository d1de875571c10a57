import Backing
import Catalog
import Documents
import Replication
import SystemPackage

/// How a document's identity passes from one file to another, comes to an end, and comes back.
extension Library {
    /// Gives a new file the identity of a document that was deleted or set aside a moment ago.
    ///
    /// - Returns: false when it cannot be had any more.
    func takeIdentity(
        of departed: DepartedIdentities.Departed, for entry: inout Entry, by caller: Caller,
        _ catalog: CatalogTransaction
    ) throws -> Bool {
        guard let id = departed.entry.id else { return false }
        if let holder = departed.holder {
            guard let held = try catalog.entry(holder), held.id == id else { return false }
            try makeIndependent(held, catalog)
        } else if try catalog.entry(id) != nil
            || catalog.entry(in: departed.entry.parent, filename: departed.entry.filename) != nil
        {
            return false
        }
        entry.adoptIdentity(of: departed.entry)
        entry.parent = departed.entry.parent
        entry.container = departed.entry.container
        noteBase(of: &entry, savedBy: caller, catalog)
        entry.notePending([.creation, .content])
        try catalog.deleteWithdrawal(id)
        return true
    }

    /// Makes what is being renamed the document that was deleted from its new name, or set aside, a moment ago. What it was itself
    /// ends, as if it had been renamed over that document.
    ///
    /// - Returns: false where there is no such document, or it is what is being renamed.
    func takeDepartedIdentity(
        _ entry: inout Entry, as renaming: Renaming, _ move: Move, by caller: Caller, _ catalog: CatalogTransaction
    ) throws -> Bool {
        let source = move.source
        // The content of a placeholder belongs to its own identity in the cloud.
        guard RenameRule.takesDepartedIdentity(source.kind, as: renaming, migrates: move.migrates),
            source.isBackingCurrent,
            let departed = departed.claim(move.name, in: move.folder.inode, now: surroundings.now()),
            departed.holder != source.inode, try takeIdentity(of: departed, for: &entry, by: caller, catalog)
        else { return false }
        if source.kind == .document { try withdraw(source, step: nil, heir: entry.id, catalog) }
        return true
    }

    /// The file of a document that took another one's identity is in its place: that is a save.
    func noteSuccession(_ entry: inout Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        try finishSaveByRenaming(&entry, catalog)
        try catalog.update(entry)
        try showInheritedConflicts(of: source, as: entry, catalog)
    }

    /// Makes the backup that a program kept of a document a document of its own, so that the file
    /// that is now written in its place can be the one it was.
    private func makeIndependent(_ held: Entry, _ catalog: CatalogTransaction) throws {
        var backup = held
        guard let folder = try catalog.entry(held.parent), let name = held.name else { return }
        let directory = try backing.folder(held.parent, catalog)
        try giveIdentity(to: &backup, called: try EntryName(name.full), in: folder, catalog)
        backup.currentVersion = nil
        backup.contentVersion = nil
        if backup.filename != held.filename {
            try directory.rename(held.filename, to: directory, backup.filename)
            catalog.announce(.nameChanged(held.filename, in: held.parent))
        }
        try catalog.update(backup)
    }

    /// Tells the container that what this device knew under an id is gone from it.
    ///
    /// - Parameter heir: the document that it was renamed over.
    func withdraw(_ entry: Entry, step: Int64?, heir: EntryID? = nil, _ catalog: CatalogTransaction) throws {
        guard entry.isReplicated, let id = entry.id else { return }
        // What it got from others goes with it, or on with its own.
        for var withdrawal in try catalog.withdrawals(inFavourOf: id) {
            withdrawal.heir = heir
            try catalog.store(withdrawal)
        }
        // What the container never heard of needs no farewell.
        if try catalog.replicaRecord(id) == nil, try catalog.outbox() == nil { return }
        let shown = try shownVersions(of: id, hidesNewest: entry.pending.contains(.content), catalog)
        // What is taken out of it must not leave an earlier version as the newest.
        let earlier =
            try heir == nil ? [] : CatalogReplica(catalog).entry(id)?.versions?.superseded.map(\.version.id) ?? []
        let content = [entry.contentVersion].compactMap { $0 }
        try catalog.store(
            Withdrawal(
                id: id, seen: shown + content + earlier, depth: try catalog.depth(of: entry), step: step, heir: heir,
                bequest: shown.filter { !content.contains($0) }))
        transfers.wake.signal()
    }

    /// The heads that a listing, a state or an open could have told of (PRODUCT 6: what is removed is what was shown).
    ///
    /// - Parameter hidesNewest: whether a content that was made here stands in the place of the newest version.
    private func shownVersions(of id: EntryID, hidesNewest: Bool, _ catalog: CatalogTransaction) throws -> [VersionID] {
        guard let versions = try CatalogReplica(catalog).visibleEntry(id, at: surroundings.now())?.versions else {
            return []
        }
        return versions.conflicts.map(\.id) + (hidesNewest ? [] : [versions.current.id])
    }

    /// The versions of a document that left the cloud with a folder, its content here, that this has seen.
    func seenVersions(of id: EntryID, _ catalog: CatalogTransaction) throws -> [VersionID] {
        guard let content = try catalog.entry(id)?.contentVersion else {
            return try shownVersions(of: id, hidesNewest: false, catalog)
        }
        return try shownVersions(of: id, hidesNewest: true, catalog) + [content]
    }

    /// A document on its way out of the cloud gets its content here, or has no further use for it: the
    /// copy in the cloud goes (PRODUCT 4).
    func withdrawDeparting(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        guard entry.container == .local, !entry.isHere else { return }
        try withdraw(entry.inCloud, step: entry.step, catalog)
        entry.step = nil
    }

    /// The name that listings show, as long as no other document in the folder has the same.
    func listedName(of entry: EntryNames) -> String {
        (configuration.showsDisplayNames ? entry.fullName : nil) ?? entry.filename
    }

    /// Tells the kernel that the listed name of an entry may be stale. `GivenNames` does so for the other name.
    ///
    /// - Parameter used: the name in the call under way, which the kernel forgets by itself.
    func forget(_ entry: EntryNames, besides used: UsedName?) {
        guard let observer else {
            departedNodes.settle(entry.inode)
            return
        }
        let listed = listedName(of: entry)
        if let used, used.folder == entry.parent, listed.isIdentical(to: used.name) {
            departedNodes.settle(entry.inode)
            return
        }
        observer.attributesChanged(of: entry.inode)
        observer.nameChanged(listed, in: entry.parent)
        observer.whenNamesAreForgotten { [departedNodes] in departedNodes.settle(entry.inode) }
    }
}

extension Entry {
    /// Becomes the document that `other` was: all but the file and its mode.
    mutating func adoptIdentity(of other: Entry) {
        nature = other.nature
        id = other.id
        filename = other.filename
        hasGeneratedFilename = other.hasGeneratedFilename
        created = other.created
        position = other.position
        attributes = other.attributes
        currentVersion = other.currentVersion
        contentVersion = other.isHere ? other.contentVersion : other.currentVersion
        conflicts = other.conflicts
        pending = other.pending
        revision = max(revision, other.revision) + 1
        step = other.step
    }

    /// The entry as it was before it left the cloud.
    var inCloud: Entry {
        var entry = self
        entry.container = .cloud
        return entry
    }

    /// Stops being anything that the container knows: what is left of a document is a file with a name.
    mutating func dropIdentity() {
        if kind == .document { nature = .scratch }
        id = nil
        hasGeneratedFilename = false
        currentVersion = nil
        contentVersion = nil
        conflicts = 0
        pending = []
        step = nil
        error = nil
    }
}
