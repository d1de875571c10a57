import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Replication
import SystemPackage

/// Relocation, the part of a rename that gives an entry another name or folder.
extension Tree {
    func relocate(
        _ source: Entry, as renaming: Renaming, _ move: Move, by caller: Caller, _ transaction: Transaction
    ) throws {
        var entry = source
        entry.parent = move.folder.inode
        entry.location = move.folder.location
        if renaming.identity == .ends {
            try withdrawals.leaveAsScratch(&entry, from: source, step: transaction.next(.stepNumber), transaction)
            if source.kind == .document {
                identities.recentlyRemoved.add(source, isBackup: false, now: surroundings.now())
            }
        }
        // First a position at the end of the new folder. A document that is continued replaces it by its own position.
        if source.parent != entry.parent, !move.migrates {
            entry.position = try nextPosition(in: entry.parent, transaction)
            entry.markPending(.position)
        }
        let isContinuation =
            try renaming.continuesRemoved && identities.continueRecentlyRemoved(&entry, move, by: caller, transaction)
        if !isContinuation {
            switch renaming.identity {
            case .begins: try becomeDocument(&entry, move, transaction)
            case .none, .ends: try rename(&entry, as: renaming, source, transaction)
            }
        } else if source.kind == .document {
            try actions.forgetCreation(of: source, transaction)
        }
        if source.parent != entry.parent || source.filename != entry.filename {
            entry.markPending(.place)
        }
        try moveFile(of: &entry, from: source, transaction)
        if !isContinuation { try record(entry, from: source, as: renaming, by: caller, transaction) }
        if isContinuation, entry.isHere { try finishContinuedSave(&entry, from: source, transaction) }
        if source.kind == .folder {
            try migration.updateDescendants(
                of: entry, from: source, to: move.folder.namingContext.folder(move.name), transaction)
        }
        if move.migrates {
            try migration.migrate(entry, from: source, transaction)
        } else if entry.isReplicated {
            transfers.markClosed(entry.inode)
        }
    }

    /// Records the change, so that it can be undone.
    private func record(
        _ entry: Entry, from source: Entry, as renaming: Renaming, by caller: Caller, _ transaction: Transaction
    ) throws {
        switch renaming.identity {
        case .begins: try actions.recordCreation(of: entry, by: caller, transaction)
        case .ends: break
        case .none:
            let step = try actions.recordPlacement(of: entry, from: source, by: caller, transaction)
            if let old = source.name, let name = renaming.name, BackupName.isBackup(name.full, of: old) {
                identities.recentlyRemoved.add(source, isBackup: true, step: step, now: surroundings.now())
            }
        }
    }

    /// Brings an entry back to a place and to names that it had before.
    ///
    /// - Parameters:
    ///   - former: the entry as it was then.
    ///   - folder: the folder that it lay in, in which nothing has these names.
    /// - Returns: the entry as it is then.
    func bringBack(
        _ source: Entry, to former: Entry, in folder: Entry, _ transaction: Transaction
    ) throws -> Entry {
        let migrates = source.location != folder.location
        if migrates, let obstacle = try migration.obstacle(toMigrating: source, transaction) {
            throw RenameRefusal.migration(obstacle)
        }
        if source.kind == .folder, try transaction.isInside(folder.inode, ancestor: source.inode) {
            throw RenameRefusal.intoItself
        }
        try transaction.writeIfWaiting(source.inode)
        var entry = source
        entry.parent = folder.inode
        entry.location = folder.location
        entry.filename = former.filename
        entry.hasGeneratedFilename = former.hasGeneratedFilename
        if let identity = former.document, entry.document != identity {
            entry.document = identity
            entry.markPending(.name)
        }
        if source.position != former.position {
            entry.position = former.position
            entry.markPending(.position)
        }
        if source.parent != entry.parent || source.filename != entry.filename { entry.markPending(.place) }
        try moveFile(of: &entry, from: source, transaction)
        if source.kind == .folder {
            try migration.updateDescendants(
                of: entry, from: source, to: folder.namingContext.folder(try EntryName(entry.filename)), transaction)
            // Its files lie elsewhere.
            backing.forgetFolders()
        }
        if migrates {
            try migration.migrate(entry, from: source, transaction)
        } else if entry.isReplicated {
            transfers.markClosed(entry.inode)
        }
        return try transaction.entry(entry.inode) ?? entry
    }

    /// A scratch file becomes a document, or a link one that travels: it was renamed to such a name.
    private func becomeDocument(_ entry: inout Entry, _ move: Move, _ transaction: Transaction) throws {
        if entry.kind == .symbolicLink {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            entry.filename = move.name.text
            return entry.markPending(.creation)
        }
        entry.location = move.folder.location
        entry.created = surroundings.now()
        try identities.giveNewIdentity(to: &entry, called: move.name, in: move.folder, transaction)
        if entry.naming != .given { try renewAutomaticName(of: &entry, at: move.source, transaction) }
    }

    private func renewAutomaticName(
        of entry: inout Entry, at source: Entry, _ rows: Rows
    ) throws {
        // A content that is to come names the document when it is saved.
        guard source.isHere else { return }
        let file = try backing.folder(source.parent, rows).openUnnoticed(source.filename)
        let name = namespace.automaticName(of: entry, content: try file.readPrefix(AutomaticName.examinedLength))
        entry.document?.name = name
    }

    /// Gives an entry the names that the rule chose.
    private func rename(
        _ entry: inout Entry, as renaming: Renaming, _ source: Entry, _ transaction: Transaction
    ) throws {
        if let name = renaming.name {
            entry.document = DocumentIdentity(name: name, naming: renaming.naming ?? .given)
            entry.markPending(.name)
        }
        switch renaming.filename {
        case .keep:
            // Another program may have put a file into the store under this filename.
            let directory = try backing.folder(entry.parent, transaction)
            guard entry.parent != source.parent, try directory.exists(entry.filename) else { break }
            entry.filename = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, transaction)
        case .exactly(let filename):
            entry.filename = filename
            if entry.kind == .document { entry.hasGeneratedFilename = false }
        case .generate:
            if let name = entry.name, !source.hasGeneratedFilename {
                entry.filename = try namespace.newFilename(for: name, in: entry.parent, transaction)
                try namespace.applyRestoredName(to: &entry)
            } else {
                entry.filename = try namespace.newFilename(
                    entry.name?.pathExtension ?? "", in: entry.parent, transaction)
            }
            entry.hasGeneratedFilename = true
        }
    }

    /// Moves the backing file to the folder and filename of the row, and stores the row.
    private func moveFile(of entry: inout Entry, from source: Entry, _ transaction: Transaction) throws {
        let directory = try backing.folder(entry.parent, transaction)
        if source.parent != entry.parent || source.filename != entry.filename {
            let sourceDirectory = try backing.folder(source.parent, transaction)
            let filename = entry.filename
            let isMoved = try sourceDirectory.renameIfPresent(
                source.filename, to: directory, filename, flags: RENAME_NOREPLACE)
            // Only a placeholder has no file to move.
            if !isMoved, source.isHere, entry.isHere { throw Errno.noSuchFileOrDirectory }
            // If this fails as well, the folders are compared (`StoreComparison.undoFileChanges`).
            transaction.ifFailed {
                _ = try? directory.renameIfPresent(
                    filename, to: sourceDirectory, source.filename, flags: RENAME_NOREPLACE)
            }
        } else {
            try directory.touch()
        }
        if entry.name != source.name {
            // After the move: a kill between leaves a file that is moved back and gets its row's name again. The other way round the new
            // name would stay at the old place.
            backing.writeDisplayName(entry.name?.displayName, of: entry.filename, in: directory)
        }
        if !entry.isBackingCurrent { entry.changed = surroundings.now() }
        try transaction.update(entry)
    }

    /// The file now has the path of the document that it continues. That is a save of the document.
    private func finishContinuedSave(
        _ entry: inout Entry, from source: Entry, _ transaction: Transaction
    ) throws {
        try contents.finishSaveByRenaming(&entry, transaction)
        try transaction.update(entry)
        try replicatedTree.showInheritedConflicts(of: source, as: entry, transaction)
    }
}
