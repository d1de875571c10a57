import Catalog
import CLinux
import Documents
import Glibc

extension Entry {
    /// Records that a change must be sent to the container. Local entries and scratch files are not sent, and the top folder is no entry
    /// of the container.
    package mutating func markPending(_ changes: PendingChanges) {
        guard isReplicated, id != .cloudRoot else { return }
        pending.formUnion(changes)
        revision += 1
    }

    /// The entry as `RenameRule` sees it.
    ///
    /// The age of a generated filename is that of its document. Few filenames are generated later, and none of these for a temporary name.
    func renamed(at now: Timestamp) -> RenamedEntry {
        RenamedEntry(
            kind: kind, filename: filename, hasGeneratedFilename: hasGeneratedFilename,
            isFilenameFresh: hasGeneratedFilename && SavingInterval.contains(now, from: created), name: name,
            naming: naming,
            isContentHere: isBackingCurrent, isOfTheTree: inode <= .cloud, isScratch: id == nil)
    }
}
