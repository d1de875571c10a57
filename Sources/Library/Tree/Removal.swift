import Backing
import Catalog
import Documents
import SystemPackage

/// Takes entries out of the tree. Whoever holds them open goes on holding them.
final class Removal: LibraryPart {
    let transactions: Transactions
    let withdrawals: Withdrawals
    let fileAttributes: Attributes
    let departedNodes: DepartedNodes

    init(
        _ transactions: Transactions, withdrawals: Withdrawals, fileAttributes: Attributes, departedNodes: DepartedNodes
    ) {
        self.transactions = transactions
        self.withdrawals = withdrawals
        self.fileAttributes = fileAttributes
        self.departedNodes = departedNodes
    }

    /// Removes a file that no other device has. A row whose file is gone is dropped after a sudden end
    /// (`Reconciliation`): so the row's removal may be committed later.
    func removeLocalFile(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        try noteDeparture(of: entry, catalog)
        let folder = try backing.folder(entry.parent, catalog)
        catalog.durability = .soon
        try catalog.delete(entry.inode)
        detach(entry.inode, catalog)
        // A hand other than ours may have done it.
        do throws(Errno) { try folder.removeFile(entry.filename) } catch .noSuchFileOrDirectory {}
    }

    /// Lets open handles keep what they have while its name goes, unless that fails.
    private func detach(_ inode: InodeNumber, _ catalog: CatalogTransaction) {
        openFiles.detach(inode)
        catalog.ifFailed { [openFiles] in openFiles.reattach(inode) }
    }

    /// Takes a file out of the tree; `BackingStore.discard` frees its content once that is certain.
    func removeFile(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        var leaving = entry
        try withdrawals.withdrawDeparting(&leaving, catalog)
        try withdrawals.withdraw(leaving, step: nil, catalog)
        try noteDeparture(of: entry, catalog)
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
        try withdrawals.withdraw(entry, step: nil, catalog)
        try noteDeparture(of: entry, catalog)
        try catalog.delete(entry.inode)
        try backing.folder(entry.parent, catalog).removeFolder(entry.filename)
        backing.forget(entry.inode)
    }

    /// Whoever holds what loses its name here goes on holding it.
    ///
    /// - Parameter content: the file, where it must still be possible to open it.
    func noteDeparture(of entry: Entry, content: Descriptor? = nil, _ catalog: CatalogTransaction) throws {
        // Its file may be gone already, by a hand other than ours.
        let last = (try? fileAttributes.attributes(of: entry, catalog)) ?? .placeholder(entry)
        departedNodes.add(entry, last, content: content)
    }
}
