import Backing
import Catalog
import CLinux
import Documents
import Glibc
import SystemPackage

extension Tree {
    /// Takes a target away so that `relocation` can put something else in its place, and puts it back
    /// if that fails.
    func replaceEntry(
        _ target: Entry, by source: Entry, _ catalog: CatalogTransaction, relocation: () throws -> Void
    ) throws {
        try synchronizeContent(of: source, catalog)
        if target.kind == .folder {
            try removal.removeFolder(target, catalog)
            try relocation()
            return
        }
        try removal.removeFile(target, catalog)
        do { try relocation() } catch {
            try backing.putBack(target.filename, of: target.inode, in: backing.folder(target.parent, catalog))
            throw error
        }
    }

    /// Saves by renaming: the document goes on in the file that was renamed over it.
    func replaceContent(of target: Entry, with source: Entry, by caller: Caller, _ catalog: CatalogTransaction) throws {
        // Before it comes to the document's place: by then it says what it is itself, should no row do so.
        let saysItsName = backing.mirror(
            displayName: target.name?.displayName, of: source.filename, in: try backing.folder(source.parent, catalog))
        if saysItsName, isToldByFiles(source, over: target, catalog) { catalog.durability = .soon }
        var entry = source
        if source.kind == .document { try withdrawals.withdraw(source, step: nil, heir: target.id, catalog) }
        var target = target
        try withdrawals.withdrawDeparting(&target, catalog)
        let directory = try backing.folder(target.parent, catalog)
        // Whoever found it by its name a moment ago may be about to open it.
        let replaced = openFiles.file(target.inode)?.descriptor ?? (try? directory.openFile(target.filename, O_PATH))
        try removal.noteDeparture(of: target, content: replaced, catalog)
        entry.adoptIdentity(of: target)
        entry.parent = target.parent
        entry.container = target.container
        entry.isHere = true
        contents.noteBase(of: &entry, savedBy: caller, catalog)
        entry.notePending(.content)
        entry.noteOwnMode(inPlaceOf: target)
        // One rename(2) over the old file: file systems see to it that the old or the new content is there after a loss of power,
        // whole, also where nobody has synced it (ext4: auto_da_alloc).
        try backing.folder(source.parent, catalog).rename(source.filename, to: directory, target.filename)
        openFiles.detach(target.inode)
        transfers.forget(target.inode)
        try contents.finishSaveByRenaming(&entry, catalog)
        try catalog.replace(target.inode, by: entry)
        try replicatedTree.showInheritedConflicts(of: source, as: entry, catalog)
        if entry.isReplicated { transfers.noteClosed(entry.inode) }
    }

    /// Whether a save may be written to the catalog a moment later: after a sudden end the new file is the document's by its
    /// place (`Reconciliation`), and says all that the row would.
    private func isToldByFiles(_ source: Entry, over target: Entry, _ catalog: CatalogTransaction) -> Bool {
        source.container == .local && target.container == .local && target.isHere && target.naming == .given
            && target.mode == source.mode
    }

    /// Syncs a content that is about to take another one's place: after a loss of power it must not be empty there.
    private func synchronizeContent(of entry: Entry, _ catalog: CatalogTransaction) throws {
        guard entry.kind == .document || entry.kind == .scratch, entry.isHere else { return }
        try backing.folder(entry.parent, catalog).openUnnoticed(entry.filename).synchronize(dataOnly: true)
    }

    /// RENAME_EXCHANGE: identities stay with the names, contents change places.
    func exchange(_ first: Entry, _ second: Entry, by caller: Caller, _ catalog: CatalogTransaction) throws {
        var (newFirst, newSecond) = (first, second)
        newFirst.exchangePlace(with: second)
        newSecond.exchangePlace(with: first)
        // The unique names meet halfway: park one of them first.
        var parked = first
        parked.filename = "exchange/\(first.inode)"
        parked.id = nil
        try catalog.update(parked)
        for entry in [newSecond, newFirst] { try catalog.update(entry) }
        let firstFolder = try backing.folder(first.parent, catalog)
        let secondFolder = try backing.folder(second.parent, catalog)
        func swapFiles() throws(Errno) {
            try firstFolder.rename(first.filename, to: secondFolder, second.filename, flags: RENAME_EXCHANGE)
        }
        for entry in [first, second] { try synchronizeContent(of: entry, catalog) }
        try swapFiles()
        // The names stay with the places, also on the files.
        backing.mirror(displayName: first.name?.displayName, of: first.filename, in: firstFolder)
        backing.mirror(displayName: second.name?.displayName, of: second.filename, in: secondFolder)
        do {
            for entry in [newSecond, newFirst] where entry.kind == .document {
                try noteExchanged(entry, by: caller, catalog)
            }
        } catch {
            try swapFiles()
            throw error
        }
    }

    private func noteExchanged(_ exchanged: Entry, by caller: Caller, _ catalog: CatalogTransaction) throws {
        var entry = exchanged
        contents.noteBase(of: &entry, savedBy: caller, catalog)
        entry.notePending(.content)
        try contents.finishSave(&entry, catalog)
        try catalog.update(entry)
        if entry.isReplicated { transfers.noteClosed(entry.inode) }
    }
}

extension Entry {
    /// The mode belongs to the file: with its identity a document's may have changed.
    fileprivate mutating func noteOwnMode(inPlaceOf other: Entry) {
        if mode != other.mode { notePending(.mode) }
    }

    /// Takes the place of `other`: its names and, for a document, its identity.
    fileprivate mutating func exchangePlace(with other: Entry) {
        if kind == .document || kind == .scratch {
            adoptIdentity(of: other)
            noteOwnMode(inPlaceOf: other)
        } else {
            filename = other.filename
            position = other.position
            notePending(.place)
        }
        parent = other.parent
    }
}
