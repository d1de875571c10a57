import Backing
import Catalog
import Documents
import Logging
import SystemPackage

extension Library {
    /// Removes a document, link or scratch file. Handles that hold it open keep its content.
    ///
    /// - Throws: ENOENT, EISDIR, EPERM for virtual names.
    public func remove(_ name: some Collection<UInt8>, in parent: InodeNumber) throws(Errno) {
        let removed = try mutate { catalog in
            let entry = try existing(name, in: parent, catalog)
            if entry.kind == .folder { throw Errno.isDirectory }
            // A link that is gone would be made anew after a sudden end.
            if entry.container == .local, entry.isHere, entry.kind != .symbolicLink {
                try removeLocalFile(entry, catalog)
            } else {
                try removeFile(entry, catalog)
            }
            if entry.kind == .document { departed.add(entry, holder: nil, now: surroundings.now()) }
            catalog.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
            if parent != entry.parent { catalog.announce(.listingChanged(of: entry.parent)) }
            return entry
        }
        if parent != removed.parent { observer?.settleNames() }
        try backing.discard(removed.inode)
    }

    /// Removes an empty folder.
    ///
    /// - Throws: ENOENT, ENOTDIR, ENOTEMPTY, EBUSY for the tree's own folders.
    public func removeFolder(_ name: some Collection<UInt8>, in parent: InodeNumber) throws(Errno) {
        try mutate { catalog in
            if let text = String(validating: name, as: UTF8.self), try removeConflicts(text, in: parent, catalog) {
                return
            }
            let entry = try existing(name, in: parent, catalog)
            try removeFolder(entry, catalog)
            catalog.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
        }
    }

    /// The entry that a name means in a call that changes it. Virtual files cannot be changed so.
    func existing(
        _ name: some Collection<UInt8>, in parent: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> Entry {
        guard let text = String(validating: name, as: UTF8.self) else { throw Errno.illegalByteSequence }
        guard let found = try resolve(text, in: parent, catalog) else {
            throw VirtualName(text) == nil ? Errno.noSuchFileOrDirectory : Errno.notPermitted
        }
        return found.entry
    }

    /// Removes a file that no other device has. A row whose file is gone is dropped after a sudden end
    /// (`Reconciliation`): so the row's removal may be committed later.
    private func removeLocalFile(_ entry: Entry, _ catalog: CatalogTransaction) throws {
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
        try withdrawDeparting(&leaving, catalog)
        try withdraw(leaving, step: nil, catalog)
        try noteDeparture(of: entry, catalog)
        try catalog.delete(entry.inode)
        detach(entry.inode, catalog)
        try backing.setAside(entry.filename, of: entry.inode, in: backing.folder(entry.parent, catalog))
        transfers.forget(entry.inode)
    }

    /// Whoever holds what loses its name here goes on holding it.
    ///
    /// - Parameter content: the file, where it must still be possible to open it.
    func noteDeparture(of entry: Entry, content: Descriptor? = nil, _ catalog: CatalogTransaction) throws {
        // Its file may be gone already, by a hand other than ours.
        let last = (try? attributes(of: entry, catalog)) ?? .placeholder(entry)
        departedNodes.add(entry, last, content: content)
    }

    /// The kernel holds an inode no longer.
    public func forget(_ inode: InodeNumber) {
        departedNodes.forget(inode)
        givenNames.forget(inode)
    }

    func removeFolder(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        if entry.kind != .folder { throw Errno.notDirectory }
        if entry.inode <= .cloud { throw Errno.resourceBusy }
        if try catalog.hasChildren(entry.inode) { throw Errno.directoryNotEmpty }
        try withdraw(entry, step: nil, catalog)
        try noteDeparture(of: entry, catalog)
        try catalog.delete(entry.inode)
        try backing.folder(entry.parent, catalog).removeFolder(entry.filename)
        backing.forget(entry.inode)
    }
}
