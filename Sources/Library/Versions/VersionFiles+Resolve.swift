import Backing
import Catalog
import Documents
import Replica
import Replication
import SystemPackage

/// Choosing among the conflict versions of a document. It works offline, and is sent to the container as any other change
/// (`Semantics`, "Conflicts").
extension VersionFiles {
    /// `rm F.conflicts/V`: discards one version.
    ///
    /// - Throws: ENOENT, EPERM in `F.versions/`, ESTALE.
    func discardVersion(
        _ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber, by caller: Caller
    ) throws(Refusal) {
        guard folder == .conflicts else { throw .historyNotChangeable }
        try mutate { transaction in
            let entry = try document(with: folder, inode, transaction)
            let version = try version(name, in: folder, of: entry, transaction)
            guard let current = entry.currentVersion, let id = entry.id else { throw Refusal.staleInode }
            try choose(current, of: entry, discarding: [version.id], by: caller, transaction)
            if entry.conflicts == 1 { versionNodes.markEmptied(id, now: surroundings.now()) }
        }
    }

    /// `mv F.conflicts/V F`: makes a version current.
    ///
    /// - Throws: EXDEV where the name is not the document's own, so that mv(1) copies; EEXIST with
    ///   RENAME_NOREPLACE; EPERM in `F.versions/`; ENOENT, ESTALE.
    func chooseVersion(
        _ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber,
        as newName: some Collection<UInt8>, in newParent: InodeNumber, options: RenameOptions,
        by caller: Caller
    ) throws(Refusal) {
        guard folder == .conflicts, !options.contains(.exchange) else { throw .historyNotChangeable }
        try mutate { transaction in
            let entry = try document(with: folder, inode, transaction)
            let version = try version(name, in: folder, of: entry, transaction)
            let target = try namespace.resolve(try Namespace.entryName(newName).text, in: newParent, transaction)
            guard let target, target.entry.inode == entry.inode else { throw Refusal.versionOfOtherDocument }
            if options.contains(.noReplace) { throw Refusal.nameExists }
            try choose(
                version.id, of: entry, discarding: [entry.currentVersion].compactMap { $0 }, by: caller, transaction)
        }
    }

    /// `rmdir F.conflicts`: keeps the document as it is.
    ///
    /// - Returns: whether the name is that of such a folder.
    func removeConflicts(
        _ name: String, in parent: InodeNumber, by caller: Caller, _ transaction: Transaction
    ) throws -> Bool {
        guard case .versions(.conflicts, let document) = VirtualName(name),
            try namespace.resolve(name, in: parent, transaction) == nil,
            let entry = try namespace.resolve(document, in: parent, transaction)?.entry, let id = entry.id,
            try hasFolder(.conflicts, entry, transaction)
        else { return false }
        if entry.conflicts > 0, let current = entry.currentVersion {
            let conflicts = try versions(in: .conflicts, of: entry, transaction).map(\.version.id)
            try choose(current, of: entry, discarding: conflicts, by: caller, transaction)
        }
        versionNodes.forgetEmptied(id)
        return true
    }

    private func choose(
        _ kept: VersionID, of entry: Entry, discarding discarded: [VersionID], by caller: Caller,
        _ transaction: Transaction
    ) throws {
        let before = try leaves(of: entry, transaction)
        let edit = try kept == entry.currentVersion ? nil : giveUpEdit(of: entry, transaction)
        try carryOut(Resolution(kept: kept, discarded: discarded.filter { $0 != kept }), on: entry, transaction)
        try actions.recordChoice(
            .init(before: before, after: try leaves(of: entry, transaction)), of: entry, insteadOf: edit, by: caller,
            transaction
        )
    }

    /// The versions among which somebody can choose, as this device shows them, the current one first.
    func leaves(of entry: Entry, _ rows: Rows) throws -> [VersionID] {
        guard let id = entry.id else { return [] }
        let versions = try CatalogReplica(rows).visibleEntry(id, at: surroundings.now())?.versions
        return versions?.leaves.map(\.id) ?? []
    }

    /// Makes a choice here, and has it sent.
    func carryOut(_ resolution: Resolution, on entry: Entry, _ transaction: Transaction) throws {
        guard let id = entry.id else { throw Refusal.staleInode }
        let pending = try transaction.pendingResolution(of: id)
        try transaction.store(pending?.followed(by: resolution) ?? resolution, of: id)
        try replicatedTree.show(id, in: entry.parent, transaction)
        cloud.changesAreWaiting()
    }

    /// Another version takes the place of an edit that was not sent. The edit is kept in the trash: undo brings it back. Of one that a program
    /// has open for writing that program decides.
    ///
    /// - Returns: what the document holds without the edit; nil if there is no edit in the trash.
    func giveUpEdit(of former: Entry, _ transaction: Transaction) throws -> Fingerprint? {
        guard former.pending.contains(.content), let id = former.id else { return nil }
        let committed = try CatalogReplica(transaction).visibleEntry(id, at: surroundings.now())
        var entry = former
        entry.pending.remove(.content)
        // The edit was to create a deleted document anew. It has conflict versions, so that another device has done so.
        if committed?.isDeleted == false { entry.pending.remove(.creation) }
        // The file holds no version that the container has. A program that goes on writing to it makes a new edit of it.
        entry.contentVersion = nil
        entry.revision += 1
        var isKept = false
        if entry.isHere, !openFiles.isOpenForWriting(entry.inode) {
            contents.recordHolders(of: former)
            try removal.giveUpFile(of: former, transaction)
            isKept = true
            entry.isHere = false
            entry.evidence = nil
            // The number names the file in the trash.
            entry.inode = try transaction.renumber(former.inode)
            transaction.announce(.entryChanged(EntryNames(former), besides: nil))
        }
        try transaction.update(entry)
        guard isKept, let version = committed?.versions?.current else { return nil }
        return Fingerprint(size: version.size, modified: version.modified)
    }
}
