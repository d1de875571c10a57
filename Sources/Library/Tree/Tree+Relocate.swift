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
        // First a position at the end of the new folder, or its own in another location. A document that is continued replaces it by its own.
        if source.parent != entry.parent {
            let position =
                move.migrates
                ? try self.position(source.position, of: source.inode, in: entry.parent, transaction)
                : try nextPosition(in: entry.parent, transaction)
            setPosition(position, of: &entry)
        }
        try changeIdentity(of: &entry, from: source, as: renaming, move, by: caller, transaction)
        if source.parent != entry.parent || source.filename != entry.filename {
            entry.markPending(.place)
        }
        try moveFile(of: &entry, from: source, transaction)
        try record(entry, as: renaming, move, by: caller, transaction)
        if renaming.identity == .continues, entry.isHere { try finishContinuedSave(&entry, from: source, transaction) }
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

    /// Gives the entry the identity and the names that the rule chose.
    private func changeIdentity(
        of entry: inout Entry, from source: Entry, as renaming: Renaming, _ move: Move, by caller: Caller,
        _ transaction: Transaction
    ) throws {
        if renaming.kind == .document {
            identities.recentlyRemoved.forget(move.name, in: move.folder.inode, transaction)
        }
        switch renaming.identity {
        case .none, .backsUp:
            try rename(&entry, as: renaming, source, transaction)
        case .ends:
            try withdrawals.leaveAsScratch(&entry, from: source, bundle: transaction.next(.bundleNumber), transaction)
            if source.kind == .document {
                identities.recentlyRemoved.add(
                    source, byAlias: move.isSourceCalledByAlias, isBackup: false, now: surroundings.now(), transaction)
            }
            try rename(&entry, as: renaming, source, transaction)
        case .begins:
            try begin(&entry, as: renaming, move, transaction)
        case .continues:
            guard let continuation = move.continuation else { return }
            try identities.carryOut(continuation, on: &entry, by: caller, transaction)
            if source.kind == .document { try identities.end(source, continuedAs: entry, transaction) }
        }
    }

    /// Records the change, so that it can be undone.
    private func record(
        _ entry: Entry, as renaming: Renaming, _ move: Move, by caller: Caller, _ transaction: Transaction
    ) throws {
        let source = move.source
        switch renaming.identity {
        case .begins: try actions.recordCreation(of: entry, by: caller, transaction)
        // A part of a save is no action.
        case .ends, .continues: break
        case .none: _ = try actions.recordPlacement(of: entry, from: source, by: caller, transaction)
        case .backsUp:
            let step = try actions.recordPlacement(of: entry, from: source, by: caller, transaction)
            identities.recentlyRemoved.add(
                source, byAlias: move.isSourceCalledByAlias, isBackup: true, step: step, now: surroundings.now(),
                transaction)
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
        try transaction.requireWritten(source.inode)
        var entry = source
        entry.parent = folder.inode
        entry.location = folder.location
        entry.filename = former.filename
        entry.hasGeneratedFilename = former.hasGeneratedFilename
        if let identity = former.document, entry.document != identity {
            entry.document = identity
            entry.markPending(.name)
        }
        setPosition(
            try position(former.position, of: source.inode, in: folder.inode, transaction), of: &entry)
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
    private func begin(
        _ entry: inout Entry, as renaming: Renaming, _ move: Move, _ transaction: Transaction
    ) throws {
        if entry.kind == .symbolicLink {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            entry.filename = move.name.text
            return entry.markPending(.creation)
        }
        entry.created = surroundings.now()
        try identities.begin(&entry, as: renaming, transaction)
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
        try namespace.setFilename(of: &entry, renaming.filename, transaction)
        if entry.hasGeneratedFilename, !source.hasGeneratedFilename { try namespace.applyRestoredName(to: &entry) }
        if renaming.filename == .keep, entry.parent != source.parent, try isFilenameTaken(by: entry, transaction) {
            entry.filename = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, transaction)
        }
    }

    /// Whether a filename that stays is taken in the new folder: by what another device brought back of the same document, or by a file that another
    /// program has put into the store.
    private func isFilenameTaken(by entry: Entry, _ rows: Rows) throws -> Bool {
        if let other = try rows.entry(in: entry.parent, filename: entry.filename), other.inode != entry.inode {
            return true
        }
        return try backing.folder(entry.parent, rows).exists(entry.filename)
    }

    /// Moves the backing file to the folder and filename of the row, and stores the row.
    private func moveFile(of entry: inout Entry, from source: Entry, _ transaction: Transaction) throws {
        let directory = try backing.folder(entry.parent, transaction)
        if source.parent != entry.parent || source.filename != entry.filename {
            let sourceDirectory = try backing.folder(source.parent, transaction)
            let isMoved = try sourceDirectory.moveIfPresent(source.filename, to: directory, entry.filename, transaction)
            // Only a placeholder has no file to move.
            if !isMoved, source.isHere, entry.isHere { throw Errno.noSuchFileOrDirectory }
        } else {
            try directory.touch()
        }
        if entry.name != source.name {
            // After the move: a kill between leaves a file that is moved back and gets its row's name again. The other way round the new
            // name would stay at the old place.
            backing.writeDisplayName(entry.name?.displayName, of: entry.filename, in: directory, transaction)
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

    private func setPosition(_ position: OrderKey, of entry: inout Entry) {
        if entry.position == position { return }
        entry.position = position
        entry.markPending(.position)
    }
}
