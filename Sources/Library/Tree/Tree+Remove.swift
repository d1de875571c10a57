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
        try mutate(names: [(String(validating: name, as: UTF8.self), parent)]) { transaction, require in
            let entry = try namespace.existing(name, in: parent, transaction)
            try require(entry)
            if entry.kind == .folder { throw Refusal.isFolder }
            try actions.willRemove(from: entry.parent, by: caller, transaction)
            try actions.joinChoice(toRemovalOf: entry, by: caller, transaction)
            // A link goes the other way: after a crash `Reconciliation` makes a link anew whose row is left.
            // Of one in the cloud whose row was never written nothing would tell where it was.
            let isPlaceKnown = entry.location == .local || !transaction.isUnwritten(entry.inode)
            let isRebuilt =
                try entry.isHere && entry.kind != .symbolicLink && isPlaceKnown
                && withdrawals.isUntold(entry, transaction)
            let removed: Entry
            if isRebuilt {
                removed = try removal.removeUntoldFile(entry, transaction)
            } else {
                removed = try removal.removeFile(entry, keeps: true, transaction)
            }
            let step = try actions.recordRemoval(of: removed, by: caller, transaction)
            if entry.kind == .document, !isMeant {
                identities.recentlyRemoved.add(
                    entry, byAlias: entry.isCalledByAlias(name), isBackup: false,
                    step: step, now: surroundings.now(), transaction)
            }
            transaction.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
            if parent != entry.parent {
                transaction.announce(.listingChanged(of: entry.parent))
                transaction.announce(.callAwaitsNames)
            }
        }
    }

    /// Removes an empty folder.
    ///
    /// - Throws: ENOENT, ENOTDIR, ENOTEMPTY, EBUSY for the tree's own folders.
    func removeFolder(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by caller: Caller
    ) throws(Refusal) {
        transfers.noteChangeOfName()
        try mutate { transaction in
            if let text = String(validating: name, as: UTF8.self),
                try versionFiles.removeConflicts(text, in: parent, by: caller, transaction)
            {
                return
            }
            let entry = try namespace.existing(name, in: parent, transaction)
            try actions.willRemove(from: entry.parent, by: caller, transaction)
            try actions.recordRemoval(of: removal.removeFolder(entry, transaction), by: caller, transaction)
            transaction.announce(.entryChanged(EntryNames(entry), besides: UsedName(name, in: parent)))
        }
    }

    /// The kernel has forgotten an inode.
    func forget(_ inode: InodeNumber) {
        orphans.forget(inode)
        namespace.givenNames.forget(inode)
    }
}
