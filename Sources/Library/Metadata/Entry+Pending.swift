import Backing
import Catalog
import CLinux
import Documents
import Glibc
import SystemPackage

extension Entry {
    /// Remembers that the container must hear of a change. Local entries and scratch have no one to tell.
    package mutating func notePending(_ changes: PendingChanges) {
        guard isReplicated else { return }
        pending.formUnion(changes)
        revision += 1
    }

    /// What the rules of renaming want to know of it.
    ///
    /// A filename is as old as its document: hardly any is generated later, and none of those for a temporary name.
    func renamed(at now: Timestamp) -> RenamedEntry {
        RenamedEntry(
            kind: kind, filename: filename, hasGeneratedFilename: hasGeneratedFilename,
            isFilenameFresh: hasGeneratedFilename && SavingInterval.contains(now, from: created), name: name,
            naming: naming,
            isContentHere: isBackingCurrent, isOfTheTree: inode <= .cloud)
    }
}
