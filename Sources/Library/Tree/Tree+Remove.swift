import Backing
import Catalog
import Documents
import Logging
import SystemPackage

extension Tree {
    /// Removes a document, link or scratch file. Handles that hold it open keep its content.
    ///
    /// - Throws: ENOENT, EISDIR, EPERM for virtual names.
    func remove(_ name: some Collection<UInt8>, in parent: InodeNumber) throws(Refusal) {
        let removed = try mutate { catalog in
            let entry = try namespace.existing(name, in: parent, catalog)
            if entry.kind == .folder { throw Refusal.isFolder }
            // A link goes the other way: after a crash `Reconciliation` makes a link anew whose row is left.
            if entry.container == .local, entry.isHere, entry.kind != .symbolicLink {
                try removal.removeLocalFile(entry, catalog)
            } else {
                try removal.removeFile(entry, catalog)
            }
            if entry.kind == .document { identities.recentlyRemoved.add(entry, backup: nil, now: surroundings.now()) }
            catalog.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
            if parent != entry.parent { catalog.announce(.listingChanged(of: entry.parent)) }
            return entry
        }
        if parent != removed.parent { observer?.waitUntilNamesAreForgotten() }
        try Refusal.wrapping { try backing.discard(removed.inode) }
    }

    /// Removes an empty folder.
    ///
    /// - Throws: ENOENT, ENOTDIR, ENOTEMPTY, EBUSY for the tree's own folders.
    func removeFolder(_ name: some Collection<UInt8>, in parent: InodeNumber) throws(Refusal) {
        try mutate { catalog in
            if let text = String(validating: name, as: UTF8.self),
                try versionFiles.removeConflicts(text, in: parent, catalog)
            {
                return
            }
            let entry = try namespace.existing(name, in: parent, catalog)
            try removal.removeFolder(entry, catalog)
            catalog.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
        }
    }

    /// The kernel has forgotten an inode.
    func forget(_ inode: InodeNumber) {
        orphans.forget(inode)
        namespace.givenNames.forget(inode)
    }
}
