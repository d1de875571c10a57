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
        _ source: Entry, as renaming: Renaming, _ move: Move, by caller: Caller, _ catalog: CatalogTransaction
    ) throws {
        var entry = source
        entry.parent = move.folder.inode
        if renaming.identity == .ends {
            try withdrawals.withdraw(source, catalog)
            identities.recentlyRemoved.add(source, backup: nil, now: surroundings.now())
            entry.dropIdentity()
        }
        // First a position at the end of the new folder. A document that is continued replaces it by its own position.
        if source.parent != entry.parent, !move.migrates {
            entry.position = try nextPosition(in: entry.parent, catalog)
            entry.markPending(.position)
        }
        let isContinuation =
            try renaming.continuesRemoved && identities.continueRecentlyRemoved(&entry, move, by: caller, catalog)
        if !isContinuation {
            switch renaming.identity {
            case .begins: try becomeDocument(&entry, move, catalog)
            case .none, .ends: try rename(&entry, as: renaming, source, catalog)
            }
        }
        if source.parent != entry.parent || source.filename != entry.filename {
            entry.markPending(.place)
        }
        entry.container = move.folder.container
        try moveFile(of: &entry, from: source, catalog)
        if isContinuation { try finishContinuedSave(&entry, from: source, catalog) }
        if source.kind == .folder {
            try migration.updateDescendants(
                of: entry, from: source, to: move.folder.namingContext.folder(move.name), catalog)
        }
        if move.migrates {
            try migration.migrate(entry, from: source, catalog)
        } else if entry.isReplicated {
            transfers.markClosed(entry.inode)
        }
    }

    /// A scratch file becomes a document: it was renamed to a document's name.
    private func becomeDocument(_ entry: inout Entry, _ move: Move, _ catalog: CatalogTransaction) throws {
        entry.container = move.folder.container
        entry.created = surroundings.now()
        try identities.giveNewIdentity(to: &entry, called: move.name, in: move.folder, catalog)
        if entry.naming != .given { try renewAutomaticName(of: &entry, at: move.source, catalog) }
    }

    private func renewAutomaticName(
        of entry: inout Entry, at source: Entry, _ catalog: CatalogTransaction
    ) throws {
        let file = try backing.folder(source.parent, catalog).openUnnoticed(source.filename)
        let name = namespace.automaticName(of: entry, content: try file.readPrefix(AutomaticName.examinedLength))
        entry.document?.name = name
    }

    /// Gives an entry the names that the rule chose.
    private func rename(
        _ entry: inout Entry, as renaming: Renaming, _ source: Entry, _ catalog: CatalogTransaction
    ) throws {
        if let name = renaming.name {
            if let old = source.name, BackupName.isBackup(name.full, of: old) {
                identities.recentlyRemoved.add(source, backup: source.inode, now: surroundings.now())
            }
            entry.document = DocumentIdentity(name: name, naming: renaming.naming ?? .given)
            entry.markPending(.name)
        }
        switch renaming.filename {
        case .keep:
            // Another program may have put a file into the store under this filename.
            let directory = try backing.folder(entry.parent, catalog)
            guard entry.parent != source.parent, directory.exists(entry.filename) else { break }
            entry.filename = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, catalog)
        case .exactly(let filename):
            entry.filename = filename
            if entry.kind == .document { entry.hasGeneratedFilename = false }
        case .generate:
            if let name = entry.name, !source.hasGeneratedFilename {
                entry.filename = try namespace.newFilename(for: name, in: entry.parent, catalog)
                try namespace.applyRestoredName(to: &entry)
            } else {
                entry.filename = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, catalog)
            }
            entry.hasGeneratedFilename = true
        }
    }

    /// Moves the backing file to the folder and filename of the row, and stores the row.
    private func moveFile(of entry: inout Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        let directory = try backing.folder(entry.parent, catalog)
        if entry.name != source.name {
            // Before the move: after a crash the path tells whose file it is, and the name on the file is believed.
            let folder = try backing.folder(source.parent, catalog)
            backing.writeDisplayName(entry.name?.displayName, of: source.filename, in: folder)
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

    /// The file now has the path of the document that it continues. That is a save of the document.
    private func finishContinuedSave(
        _ entry: inout Entry, from source: Entry, _ catalog: CatalogTransaction
    ) throws {
        try contents.finishSaveByRenaming(&entry, catalog)
        try catalog.update(entry)
        try replicatedTree.showInheritedConflicts(of: source, as: entry, catalog)
    }
}
