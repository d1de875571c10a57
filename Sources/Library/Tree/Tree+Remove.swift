import Backing
import Catalog
import Documents
import Logging
import SystemPackage

extension Tree {
    /// Removes a document, link or scratch file. Handles that hold it open keep its content.
    ///
    /// - Parameter isMeant: whether a person threw it away. Else a program may be saving it, and will soon create it again.
    /// - Throws: ENOENT, EISDIR, EPERM for virtual names.
    func remove(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by caller: Caller, isMeant: Bool = false
    ) throws(Refusal) {
        let removed = try mutate(names: [(String(validating: name, as: UTF8.self), parent)]) { catalog, require in
            let entry = try namespace.existing(name, in: parent, catalog)
            try require(entry)
            if entry.kind == .folder { throw Refusal.isFolder }
            try actions.willRemove(from: entry.parent, by: caller, catalog)
            try actions.joinChoice(toRemovalOf: entry, by: caller, catalog)
            // A link goes the other way: after a crash `Reconciliation` makes a link anew whose row is left.
            let isRebuilt = entry.location == .local && entry.isHere && entry.kind != .symbolicLink
            let removed: Entry
            if isRebuilt {
                removed = try removal.removeLocalFile(entry, catalog)
            } else {
                removed = try removal.removeFile(entry, keeps: true, catalog)
            }
            let step = try actions.recordRemoval(of: removed, by: caller, catalog)
            if entry.kind == .document, !isMeant {
                identities.recentlyRemoved.add(entry, isBackup: false, step: step, now: surroundings.now())
            }
            catalog.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
            if parent != entry.parent { catalog.announce(.listingChanged(of: entry.parent)) }
            return entry
        }
        if parent != removed.parent { observer?.waitUntilNamesAreForgotten() }
    }

    /// Removes an empty folder.
    ///
    /// - Throws: ENOENT, ENOTDIR, ENOTEMPTY, EBUSY for the tree's own folders.
    func removeFolder(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by caller: Caller
    ) throws(Refusal) {
        try mutate { catalog in
            if let text = String(validating: name, as: UTF8.self),
                try versionFiles.removeConflicts(text, in: parent, by: caller, catalog)
            {
                return
            }
            let entry = try namespace.existing(name, in: parent, catalog)
            try actions.willRemove(from: entry.parent, by: caller, catalog)
            try actions.recordRemoval(of: removal.removeFolder(entry, catalog), by: caller, catalog)
            catalog.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
        }
    }

    /// The kernel has forgotten an inode.
    func forget(_ inode: InodeNumber) {
        orphans.forget(inode)
        namespace.givenNames.forget(inode)
    }
}
