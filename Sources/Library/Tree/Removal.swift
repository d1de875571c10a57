import Backing
import Catalog
import Documents
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

    /// Removes a file that no other device has. The row's removal may be committed later: after a crash `Reconciliation` drops a row whose
    /// file is gone.
    func removeLocalFile(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        try addOrphan(entry, catalog)
        let folder = try backing.folder(entry.parent, catalog)
        catalog.durability = .soon
        try catalog.delete(entry.inode)
        detach(entry.inode, catalog)
        // Another program may have removed it from the store.
        do throws(Errno) { try folder.removeFile(entry.filename) } catch .noSuchFileOrDirectory {}
    }

    /// Lets open handles keep the content of a file that loses its name. If the transaction fails, they are attached again.
    private func detach(_ inode: InodeNumber, _ catalog: CatalogTransaction) {
        openFiles.detach(inode)
        catalog.ifFailed { [openFiles] in openFiles.reattach(inode) }
    }

    /// Removes a file from the tree and moves it to `staging`. After the commit `BackingStore.discard` deletes it there.
    func removeFile(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        var leaving = entry
        try withdrawals.withdrawIfLeavingCloud(&leaving, catalog)
        try withdrawals.withdraw(leaving, catalog)
        try addOrphan(entry, catalog)
        try catalog.delete(entry.inode)
        detach(entry.inode, catalog)
        try backing.setAside(entry.filename, of: entry.inode, in: backing.folder(entry.parent, catalog))
        transfers.forget(entry.inode)
    }

    /// Removes an empty folder.
    ///
    /// - Throws: ENOTDIR, ENOTEMPTY, EBUSY for the tree's own folders.
    func removeFolder(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        if entry.kind != .folder { throw Refusal.notFolder }
        if entry.inode <= .cloud { throw Refusal.isOfTheTree }
        if try catalog.hasChildren(entry.inode) { throw Refusal.folderNotEmpty }
        try withdrawals.withdraw(entry, catalog)
        try addOrphan(entry, catalog)
        try catalog.delete(entry.inode)
        try backing.folder(entry.parent, catalog).removeFolder(entry.filename)
        backing.forget(entry.inode)
    }

    /// Keeps an entry that loses its name as an orphan, for the processes that hold it.
    ///
    /// - Parameter content: the file, where it must still be possible to open it.
    func addOrphan(_ entry: Entry, content: Descriptor? = nil, _ catalog: CatalogTransaction) throws {
        // Another program may have removed its file already; then the row tells the attributes.
        let last = (try? fileAttributes.attributes(of: entry, catalog)) ?? .placeholder(entry)
        orphans.add(entry, last, content: content)
    }
}
