import Backing
import Catalog
import Documents
import Logging
import SystemPackage

/// Removes entries from the tree. A removed entry that is still open becomes an orphan (`Orphans`).
final class Removal: LibraryPart {
    let transactions: Transactions
    let withdrawals: Withdrawals
    let fileAttributes: Attributes
    let orphans: Orphans

    init(
        _ transactions: Transactions, withdrawals: Withdrawals, fileAttributes: Attributes, orphans: Orphans
    ) {
        self.transactions = transactions
        self.withdrawals = withdrawals
        self.fileAttributes = fileAttributes
        self.orphans = orphans
    }

    /// Removes a file that no other device has. The row's removal may be committed later: after a crash the row is dropped, because its file
    /// is in the trash or gone (`TrashReconciliation`, `Reconciliation`).
    ///
    /// - Returns: the entry as it was. If it was a document, its file is in the trash.
    @discardableResult
    func removeLocalFile(_ entry: Entry, _ transaction: Transaction) throws -> Entry {
        let attributes = try addOrphan(entry, transaction)
        let folder = try backing.folder(entry.parent, transaction)
        transaction.durability = .soon
        try transaction.delete(entry.inode)
        detach(entry.inode, transaction)
        let isInTrash = try removeFile(of: entry, from: folder, transaction)
        return entry.asRemoved(attributes, isHere: isInTrash)
    }

    /// Takes the file from a document that stays in the tree, and moves it to the trash after the commit. Handles that read it keep it.
    ///
    /// - Throws: ENOSPC.
    func giveUpFile(of entry: Entry, _ transaction: Transaction) throws {
        // After a kill the row tells whose file is in `staging`.
        try transaction.writeIfWaiting(entry.inode)
        detach(entry.inode, transaction)
        let folder = try backing.folder(entry.parent, transaction)
        try folder.keepingTime { () throws(Errno) in try setAside(entry, in: folder, transaction) }
        transfers.forget(entry.inode)
        keepWhenDone(entry.inode, transaction)
    }

    /// - Returns: whether the file is in the trash.
    private func removeFile(
        of entry: Entry, from folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) -> Bool {
        if entry.isKeptInTrash {
            transaction.ifFailed { [backing] in _ = try? backing.takeBack(entry.filename, of: entry.inode, to: folder) }
            if let isInTrash = try throwAway(entry, from: folder) { return isInTrash }
        }
        try removeForGood(entry, from: folder, transaction)
        return false
    }

    /// - Returns: whether the file is in the trash; nil where the disk has no room for a name in it. A removal is never refused: that one
    ///   cannot be undone.
    private func throwAway(_ entry: Entry, from folder: BackingFolder) throws(Errno) -> Bool? {
        do throws(Errno) { return try backing.throwAway(entry.filename, of: entry.inode, in: folder) } catch {
            if error.isLackOfRoom { return nil }
            throw error
        }
    }

    /// Sets the file aside until the rows are committed. Where the disk has no room for that, it is gone at once.
    private func removeForGood(
        _ entry: Entry, from folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) {
        do throws(Errno) { try setAside(entry, in: folder, transaction) } catch {
            if !error.isLackOfRoom { throw error }
            try folder.removeFile(entry.filename)
        }
        discardWhenDone(entry.inode, transaction)
    }

    /// Moves a file to `staging`. If the transaction fails, it is moved back.
    private func setAside(_ entry: Entry, in folder: BackingFolder, _ transaction: Transaction) throws(Errno) {
        transaction.ifFailed { [backing, logger] in
            do throws(Errno) { try backing.putBack(entry.filename, of: entry.inode, in: folder) } catch {
                logger.error("a removed file could not be put back", metadata: ["error": "\(error)"])
            }
        }
        try backing.setAside(entry.filename, of: entry.inode, in: folder)
    }

    /// Lets open handles keep the content of a file that loses its name. If the transaction fails, they are attached again.
    func detach(_ inode: InodeNumber, _ transaction: Transaction) {
        openFiles.detach(inode)
        transaction.ifFailed { [openFiles] in openFiles.reattach(inode) }
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
        let attributes = try addOrphan(entry, transaction)
        try transaction.delete(entry.inode)
        detach(entry.inode, transaction)
        try setAside(entry, in: backing.folder(entry.parent, transaction), transaction)
        transfers.forget(entry.inode)
        if keeps, entry.isKeptInTrash {
            keepWhenDone(entry.inode, transaction)
        } else {
            discardWhenDone(entry.inode, transaction)
        }
        return entry.asRemoved(attributes, isHere: entry.isHere)
    }

    /// Moves a file that was set aside to the trash.
    private func keepWhenDone(_ inode: InodeNumber, _ transaction: Transaction) {
        whenDone(transaction) { [backing] () throws(Errno) in try backing.keepSetAside(inode) }
    }

    /// Unlinks a file that was set aside.
    func discardWhenDone(_ inode: InodeNumber, _ transaction: Transaction) {
        whenDone(transaction) { [backing] () throws(Errno) in try backing.discard(inode) }
    }

    private func whenDone(_ transaction: Transaction, _ finish: @escaping () throws(Errno) -> Void) {
        transaction.whenDone { [logger] in
            do throws(Errno) { try finish() } catch {
                logger.warning(
                    "a file that was set aside stays in staging until the next mount", metadata: ["error": "\(error)"])
            }
        }
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
        try withdrawals.withdraw(entry, transaction)
        let attributes = try addOrphan(entry, transaction)
        try transaction.delete(entry.inode)
        try backing.folder(entry.parent, transaction).removeFolder(entry.filename)
        backing.forget(entry.inode)
        return entry.asRemoved(attributes, isHere: entry.isHere)
    }

    /// Keeps an entry that loses its name as an orphan, for the processes that hold it.
    ///
    /// - Parameter content: the file, where it must still be possible to open it.
    /// - Returns: its last attributes.
    @discardableResult
    func addOrphan(
        _ entry: Entry, content: Descriptor? = nil, _ rows: Rows
    ) throws -> FileAttributes {
        // Another program may have removed its file already; then the row tells the attributes.
        let last = (try? fileAttributes.attributes(of: entry, rows)) ?? .placeholder(entry)
        orphans.add(entry, last, content: content)
        return last
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
