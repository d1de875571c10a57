import Backing
import Catalog
import Documents
import Logging
import SystemPackage

/// Removes entries from the tree. A removed entry that is still open becomes an orphan (`Orphans`).
final class Removal: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let transfers: Transfers
    let withdrawals: Withdrawals
    let fileAttributes: Attributes
    let orphans: Orphans

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, transfers: Transfers,
        withdrawals: Withdrawals, fileAttributes: Attributes, orphans: Orphans
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.transfers = transfers
        self.withdrawals = withdrawals
        self.fileAttributes = fileAttributes
        self.orphans = orphans
    }

    /// Removes a file of which the container knows nothing (`Withdrawals.isUntold`). The row's removal may be committed later: after a crash the row is dropped, because its file
    /// is in the trash or gone (`TrashReconciliation`, `Reconciliation`).
    ///
    /// - Returns: the entry as it was. If it was a document, its file is in the trash.
    @discardableResult
    func removeUntoldFile(_ entry: Entry, _ transaction: Transaction) throws -> Entry {
        let attributes = addOrphan(entry, transaction)
        let folder = try backing.folder(entry.parent, transaction)
        transaction.durability = .soon
        try transaction.delete(entry.inode)
        openFiles.detach(entry.inode, transaction)
        transfers.forget(entry.inode)
        let isInTrash = try removeFile(of: entry, from: folder, transaction)
        return entry.asRemoved(attributes, isHere: isInTrash)
    }

    /// Takes the file from a document that stays in the tree, and moves it to the trash after the commit. Handles that read it keep it.
    ///
    /// - Throws: ENOSPC.
    func giveUpFile(of entry: Entry, _ transaction: Transaction) throws {
        // After a kill the row tells whose file is in `staging`.
        try transaction.requireWritten(entry.inode)
        openFiles.detach(entry.inode, transaction)
        let folder = try backing.folder(entry.parent, transaction)
        try folder.keepingTime { () throws(Errno) in
            try backing.setAside(entry.filename, of: entry.inode, in: folder, transaction)
        }
        transfers.forget(entry.inode)
        backing.keepSetAside(entry.inode, after: transaction)
    }

    /// - Returns: whether the file is in the trash.
    private func removeFile(
        of entry: Entry, from folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) -> Bool {
        if entry.isKeptInTrash {
            if let isInTrash = try throwAway(entry, from: folder, transaction) { return isInTrash }
        }
        try removeForGood(entry, from: folder, transaction)
        return false
    }

    /// - Returns: whether the file is in the trash; nil where the disk has no room for a name in it. A removal is never refused: that one
    ///   cannot be undone.
    private func throwAway(
        _ entry: Entry, from folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) -> Bool? {
        do throws(Errno) {
            return try backing.throwAway(entry.filename, of: entry.inode, in: folder, transaction)
        } catch {
            if error.isLackOfRoom { return nil }
            throw error
        }
    }

    /// Sets the file aside until the rows are committed. Where the disk has no room for that, it is gone at once.
    private func removeForGood(
        _ entry: Entry, from folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) {
        do throws(Errno) { try backing.setAside(entry.filename, of: entry.inode, in: folder, transaction) } catch {
            if !error.isLackOfRoom { throw error }
            try folder.removeFile(entry.filename)
        }
        backing.discardSetAside(entry.inode, after: transaction)
    }

    /// Removes a file from the tree and moves it to `staging`. After the commit it is moved to the trash, or deleted.
    ///
    /// - Parameter keeps: whether a document's file is kept in the trash.
    /// - Returns: the entry as it was.
    @discardableResult
    func removeFile(_ entry: Entry, keeps: Bool, _ transaction: Transaction) throws -> Entry {
        var leaving = entry
        try withdrawals.withdrawIfLeavingCloud(&leaving, transaction)
        try withdrawals.withdraw(leaving, transaction)
        let attributes = addOrphan(entry, transaction)
        try transaction.delete(entry.inode)
        openFiles.detach(entry.inode, transaction)
        try backing.setAside(
            entry.filename, of: entry.inode, in: backing.folder(entry.parent, transaction), transaction)
        transfers.forget(entry.inode)
        if keeps, entry.isKeptInTrash {
            backing.keepSetAside(entry.inode, after: transaction)
        } else {
            backing.discardSetAside(entry.inode, after: transaction)
        }
        return entry.asRemoved(attributes, isHere: entry.isHere)
    }

    /// Removes an empty folder.
    ///
    /// - Returns: the entry as it was.
    /// - Throws: ENOTDIR, ENOTEMPTY, EBUSY for the tree's own folders.
    @discardableResult
    func removeFolder(_ entry: Entry, _ transaction: Transaction) throws -> Entry {
        if entry.kind != .folder { throw Refusal.notFolder }
        if entry.inode <= .cloud { throw Refusal.isOfTheTree }
        if try transaction.hasChildren(entry.inode) { throw Refusal.folderNotEmpty }
        let attributes = lastAttributes(of: entry, transaction)
        // Before anything else changes, since the store's folder may hold a file that no row tells of.
        try backing.folder(entry.parent, transaction).removeFolder(entry.filename, transaction)
        backing.forget(entry.inode)
        addOrphan(entry, attributes, transaction)
        try withdrawals.withdraw(entry, transaction)
        try transaction.delete(entry.inode)
        return entry.asRemoved(attributes, isHere: entry.isHere)
    }

    /// Keeps an entry that loses its name as an orphan, for the processes that hold it.
    ///
    /// - Parameter content: the file, where it must still be possible to open it.
    /// - Returns: its last attributes.
    @discardableResult
    func addOrphan(
        _ entry: Entry, content: Descriptor? = nil, _ transaction: Transaction
    ) -> FileAttributes {
        let last = lastAttributes(of: entry, transaction)
        addOrphan(entry, last, content: content, transaction)
        return last
    }

    private func addOrphan(
        _ entry: Entry, _ attributes: FileAttributes, content: Descriptor? = nil, _ transaction: Transaction
    ) {
        orphans.add(entry, attributes, content: content)
        transaction.ifFailed { [orphans] in orphans.forget(entry.inode) }
    }

    /// An entry has a name again under the inode number that it had.
    func endOrphan(_ inode: InodeNumber, _ transaction: Transaction) {
        transaction.whenDone { [orphans] in orphans.forget(inode) }
    }

    /// Another program may have removed its file already; then the row tells the attributes.
    private func lastAttributes(of entry: Entry, _ rows: Rows) -> FileAttributes {
        (try? fileAttributes.attributes(of: entry, rows)) ?? .placeholder(entry)
    }
}

extension Entry {
    /// Whether its file goes to the trash when it is removed.
    fileprivate var isKeptInTrash: Bool { kind == .document && id != nil }

    /// The entry as the undo list keeps it: a row without the container's sizes and times gets those of its file.
    fileprivate func asRemoved(_ attributes: FileAttributes, isHere: Bool) -> Entry {
        var removed = self
        removed.isHere = isHere
        if location != .cloud || kind != .document {
            removed.size = attributes.size
            removed.modified = attributes.modified
        }
        return removed
    }
}
