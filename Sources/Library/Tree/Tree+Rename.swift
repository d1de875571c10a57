import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Replication
import SystemPackage

extension Tree {
    /// rename(2) and renameat2(2): names a document, moves it, replaces its content, exchanges two, or
    /// migrates between local and cloud. What happens is decided by `RenameRule`. Never waits for the
    /// network: the kernel holds both directories until this returns.
    ///
    /// - Throws: ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EBUSY, EINVAL, EPERM for virtual names,
    ///   EHOSTUNREACH for what is not here and would have to leave a cloud that cannot be reached.
    func rename(
        _ name: some Collection<UInt8>, in parent: InodeNumber, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, options: RenameOptions, by caller: Caller = .unknown
    ) throws(Refusal) {
        let newName = try Namespace.entryName(newName)
        // Before and after: a file that is opened meanwhile may see either state.
        openFiles.noteRenaming()
        defer { openFiles.noteRenaming() }
        let done = try mutate { catalog -> Move? in
            let move = try plan(name, in: parent, to: newName, in: newParent, options: options, catalog)
            guard let move else { return nil }
            let changed = try carryOut(move, by: caller, catalog)
            for entry in changed {
                // Of each file the kernel has changed one name by itself: that by which it was moved or replaced.
                let used =
                    entry.inode == move.source.inode
                    ? UsedName(name, in: parent) : UsedName(newName.text.utf8, in: newParent)
                catalog.announce(.entryChanged(EntryNames(entry), besides: move.plan == .exchange ? nil : used))
            }
            for folder in [parent, newParent] where folder == .documents {
                catalog.announce(.listingChanged(of: namespace.preferredFolder))
            }
            // The kernel takes its memory of the old name over to the new one.
            if try !isNewNameMemorable(after: move, in: newParent, catalog) {
                catalog.announce(.nameChanged(newName.text, in: newParent))
            }
            return move
        }
        guard let done else { return }
        if let replaced = done.setAside { try Refusal.wrapping { try backing.discard(replaced) } }
        if parent == .documents, newParent == .documents { observer?.settleNames() }
    }

    private func isNewNameMemorable(
        after move: Move, in newParent: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> Bool {
        // The source has taken over the target's names.
        if move.plan == .replaceContent, move.isTargetNameListed { return true }
        guard let found = try namespace.resolve(move.name.text, in: newParent, catalog),
            found.entry.inode == move.source.inode
        else { return false }
        return namespace.isMemorable(found, as: move.name.text, in: newParent)
    }

    /// Gathers what decides about a rename, and has the rule decide.
    ///
    /// - Returns: nil when there is nothing to do.
    func plan(
        _ name: some Collection<UInt8>, in parent: InodeNumber, to newName: EntryName, in newParent: InodeNumber,
        options: RenameOptions, _ catalog: CatalogTransaction
    ) throws -> Move? {
        let now = surroundings.now()
        let source = try namespace.existing(name, in: parent, catalog)
        try RenameRule.requireMovable(source.renamed(at: now))
        let folder = try namespace.receivingFolder(newParent, catalog)
        let found = try namespace.resolve(newName.text, in: newParent, catalog).flatMap {
            $0.isUntitledAlias ? nil : $0
        }
        let migrates = source.container != folder.container
        let plan = try RenameRule.plan(
            RenameRequest(
                source: source.renamed(at: now), target: found?.entry.renamed(at: now),
                isSame: source.inode == found?.entry.inode, name: newName, destination: folder.place,
                isIntoDocuments: newParent == .documents,
                isIntoItself: try source.kind == .folder && catalog.isInside(folder.inode, ancestor: source.inode),
                migrates: migrates, obstacle: try migrates ? migration.obstacle(toMigrating: source, catalog) : nil,
                options: options))
        if plan == .nothing { return nil }
        return Move(
            source: source, target: found?.entry, isTargetNameListed: found?.isListedName == true, folder: folder,
            name: newName, plan: plan, migrates: migrates)
    }

    func carryOut(_ move: Move, by caller: Caller, _ catalog: CatalogTransaction) throws -> [Entry] {
        let source = move.source
        if move.plan != .replaceContent { try catalog.writeIfWaiting(source.inode) }
        switch move.plan {
        case .nothing:
            return []
        case .relocate(let renaming):
            try relocate(source, as: renaming, move, by: caller, catalog)
            return [source]
        case .replaceContent:
            guard let target = move.target else { return [] }
            try replaceContent(of: target, with: source, by: caller, catalog)
            return [source, target]
        case .replaceEntry(let renaming):
            guard let target = move.target else { return [] }
            try replaceEntry(target, by: source, catalog) {
                try relocate(source, as: renaming, move, by: caller, catalog)
            }
            return [source, target]
        case .exchange:
            guard let target = move.target else { return [] }
            try exchange(source, target, by: caller, catalog)
            return [source, target]
        }
    }

    // MARK: Relocation

    private func relocate(
        _ source: Entry, as renaming: Renaming, _ move: Move, by caller: Caller, _ catalog: CatalogTransaction
    ) throws {
        var entry = source
        entry.parent = move.folder.inode
        if renaming.identity == .ends {
            try withdrawals.withdraw(source, step: nil, catalog)
            identities.departed.add(source, holder: nil, now: surroundings.now())
            entry.dropIdentity()
        }
        // Before it may get the place of a document that went.
        if source.parent != entry.parent, !move.migrates {
            entry.position = try catalog.nextPosition(in: entry.parent)
            entry.notePending(.position)
        }
        let continuesDeparted =
            try renaming.continuesDeparted && identities.takeDepartedIdentity(&entry, move, by: caller, catalog)
        if !continuesDeparted {
            switch renaming.identity {
            case .begins: try becomeDocument(&entry, move, catalog)
            case .none, .ends: try rename(&entry, as: renaming, source, catalog)
            }
        }
        if source.parent != entry.parent || source.filename != entry.filename {
            entry.notePending(.place)
        }
        entry.container = move.folder.container
        try place(&entry, from: source, catalog)
        if continuesDeparted { try noteSuccession(&entry, from: source, catalog) }
        if source.kind == .folder {
            try migration.carryDescendants(of: entry, from: source, to: move.folder.place.folder(move.name), catalog)
        }
        if move.migrates {
            try migration.migrate(entry, from: source, catalog)
        } else if entry.isReplicated {
            transfers.noteClosed(entry.inode)
        }
    }

    private func rename(
        _ entry: inout Entry, as renaming: Renaming, _ source: Entry, _ catalog: CatalogTransaction
    ) throws {
        if let name = renaming.name {
            if let old = source.name, BackupName.isBackup(name.full, of: old) {
                identities.departed.add(source, holder: source.inode, now: surroundings.now())
            }
            entry.document = DocumentIdentity(name: name, naming: renaming.naming ?? .given)
            entry.notePending(.name)
        }
        switch renaming.filename {
        case .keep:
            let directory = try backing.folder(entry.parent, catalog)
            guard entry.parent != source.parent, directory.exists(entry.filename) else { break }
            entry.filename = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, catalog)
        case .exactly(let filename):
            entry.filename = filename
            if entry.kind == .document { entry.hasGeneratedFilename = false }
        case .generate:
            if let name = entry.name, !source.hasGeneratedFilename {
                entry.filename = try namespace.newFilename(for: name, in: entry.parent, catalog)
                try namespace.takeRestoredName(for: &entry)
            } else {
                entry.filename = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, catalog)
            }
            entry.hasGeneratedFilename = true
        }
    }

    /// A scratch file gets a document's name.
    private func becomeDocument(_ entry: inout Entry, _ move: Move, _ catalog: CatalogTransaction) throws {
        entry.container = move.folder.container
        entry.created = surroundings.now()
        try identities.giveIdentity(to: &entry, called: move.name, in: move.folder, catalog)
        if entry.naming != .given { try renewAutomaticName(of: &entry, at: move.source, catalog) }
    }

    /// Moves the backing file to where the row says it is, and stores the row.
    private func place(_ entry: inout Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        let directory = try backing.folder(entry.parent, catalog)
        if entry.name != source.name {
            // Before the file comes to a place that tells whose it is.
            let folder = try backing.folder(source.parent, catalog)
            backing.mirror(displayName: entry.name?.displayName, of: source.filename, in: folder)
        }
        if source.parent != entry.parent || source.filename != entry.filename {
            let isMoved = try backing.folder(source.parent, catalog).renameIfPresent(
                source.filename, to: directory, entry.filename, flags: RENAME_NOREPLACE)
            // Only a placeholder has no file to move.
            if !isMoved, source.isHere { throw Errno.noSuchFileOrDirectory }
        } else {
            try directory.touch()
        }
        if !entry.isBackingCurrent { entry.changed = surroundings.now() }
        try catalog.update(entry)
    }

    private func renewAutomaticName(
        of entry: inout Entry, at source: Entry, _ catalog: CatalogTransaction
    ) throws {
        let file = try backing.folder(source.parent, catalog).openUnnoticed(source.filename)
        let name = namespace.automaticName(of: entry, content: try file.readPrefix(AutomaticName.examinedLength))
        entry.document?.name = name
    }

    /// The file of a document that took another one's identity is in its place: that is a save.
    func noteSuccession(_ entry: inout Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        try contents.finishSaveByRenaming(&entry, catalog)
        try catalog.update(entry)
        try replicatedTree.showInheritedConflicts(of: source, as: entry, catalog)
    }
}
