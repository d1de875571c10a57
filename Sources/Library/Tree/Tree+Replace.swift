import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Replacement, the part of a rename whose new name means another entry already.
extension Tree {
    /// Saves by renaming: the target document continues with the source's file.
    ///
    /// - Parameter keeps: whether the target's file is kept in the trash.
    func replaceContent(
        of former: Entry, with source: Entry, by caller: Caller, keeps: Bool = false, _ transaction: Transaction
    ) throws {
        var entry = source
        var target = former
        try namespace.adoptAttributes(of: source, to: &target)
        // If the rows are lost, the file at the document's path must carry the document's name.
        var carriesName = false
        if source.kind == .document {
            try withdrawals.requireKeptConflicts(of: source, transaction)
            // Until it carries that name, a kill leaves a file with the name of another document, whose row tells of it.
            try transaction.requireWritten(source.inode)
            try withdrawals.withdraw(source, heir: target.id, transaction)
        } else {
            carriesName = backing.writeDisplayName(
                target.name?.displayName, of: source.filename, in: try backing.folder(source.parent, transaction),
                transaction)
        }
        try withdrawals.withdrawIfLeavingCloud(&target, transaction)
        let directory = try backing.folder(target.parent, transaction)
        // A process that has just looked the target up may be about to open it. A placeholder has no file to open.
        let content = openFiles.file(target.inode)?.descriptor ?? (try? directory.openFile(target.filename, O_PATH))
        // Handles on the old file keep its attributes.
        var replaced = target
        replaced.attributes = former.attributes
        removal.addOrphan(replaced, content: content, transaction)
        entry.adoptIdentity(of: target)
        entry.parent = target.parent
        entry.location = target.location
        entry.isHere = true
        // A program is at work on the older version that is here.
        if target.isOutdated, openFiles.isOpenForWriting(target.inode) { entry.contentVersion = target.contentVersion }
        contents.setBaseVersion(of: &entry, savedBy: caller, transaction)
        entry.markPending(.content)
        entry.markModePending(inPlaceOf: target)
        try replaceFile(of: target, by: source, keeping: keeps ? .inTrash : .inStaging, transaction)
        if source.kind == .document {
            carriesName = backing.writeDisplayName(
                target.name?.displayName, of: target.filename, in: directory, transaction)
        }
        // No file tells attributes after a kill.
        if !keeps, carriesName, target.attributes == former.attributes, target.name == former.name,
            canBeRebuilt(source, over: target)
        {
            transaction.durability = .soon
        }
        if source.kind == .document {
            try actions.forgetCreation(of: source, transaction)
        }
        openFiles.detach(target.inode, transaction)
        transfers.replace(target.inode, by: entry.inode, transaction)
        try contents.finishSaveByRenaming(&entry, transaction)
        if target.name != former.name {
            try namespace.announceListedName(of: entry, formerly: former.name, transaction)
            transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
        }
        try transaction.replace(target.inode, by: entry)
        try replicatedTree.showInheritedConflicts(of: source, as: entry, transaction)
        if entry.isReplicated { transfers.markClosed(entry.inode) }
    }

    /// Renames the source's file over the target's, which gets a second name before.
    private func replaceFile(
        of target: Entry, by source: Entry, keeping second: BackingStore.SecondName, _ transaction: Transaction
    ) throws {
        let directory = try backing.folder(target.parent, transaction)
        let sourceDirectory = try backing.folder(source.parent, transaction)
        // A placeholder has no file. One that another program put there gives way.
        guard target.isHere else {
            return try sourceDirectory.moveOver(source.filename, to: directory, target.filename, transaction)
        }
        do throws(Errno) {
            try backing.keep(
                target.filename, of: target.inode, in: directory, second, whileReplacedBy: source.filename,
                in: sourceDirectory, transaction)
            if second == .inStaging { backing.discardSetAside(target.inode, after: transaction) }
        } catch {
            // What a person may want back is not given up.
            if second == .inTrash { throw error }
            // Another program has removed the file.
            if error == .noSuchFileOrDirectory {
                return try sourceDirectory.moveOver(source.filename, to: directory, target.filename, transaction)
            }
            // Without a second name a save is still a save.
            logger.debug("a file has no second name while it is replaced", metadata: ["error": "\(error)"])
        }
        // One rename(2) over the old file. File systems keep either the old or the new content whole over a loss of power, even if no one has
        // synced the new one (ext4: auto_da_alloc). A content without a second name is lost, so that undoing leaves the new one in its place.
        try sourceDirectory.rename(source.filename, to: directory, target.filename)
    }

    /// Whether the rows of a save may be committed later. After a crash `Reconciliation` matches the new file with the document by its path,
    /// and the file tells all that the row would.
    private func canBeRebuilt(_ source: Entry, over target: Entry) -> Bool {
        source.location == .local && target.location == .local && target.isHere && target.naming == .given
            && target.mode == source.mode
    }

    /// Removes the target so that `relocation` can give its name to the source.
    func replaceEntry(
        _ target: Entry, by source: Entry, caller: Caller, _ transaction: Transaction, relocation: () throws -> Void
    ) throws {
        try synchronizeContent(of: source, transaction)
        if target.kind == .folder {
            let removed = try removal.removeFolder(target, transaction)
            try actions.recordRemoval(of: removed, by: caller, transaction)
            try relocation()
            return
        }
        let removed = try removal.removeFile(target, keeps: true, transaction)
        try actions.recordRemoval(of: removed, by: caller, transaction)
        try relocation()
    }

    /// Syncs a content that is about to replace another one: after a loss of power it must not be empty.
    func synchronizeContent(of entry: Entry, _ rows: Rows) throws {
        guard entry.kind == .document || entry.kind == .scratch, entry.isHere else { return }
        try backing.folder(entry.parent, rows).openUnnoticed(entry.filename).synchronize(dataOnly: true)
    }
}

extension Entry {
    /// Marks the mode as pending if a document has another mode with its new file: the mode belongs to the file.
    mutating func markModePending(inPlaceOf other: Entry) {
        if mode != other.mode { markPending(.mode) }
    }
}
