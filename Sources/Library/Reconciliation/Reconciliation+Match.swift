import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Replication
import SystemPackage

/// Updates a row from the file that was matched with it.
extension Reconciliation {
    /// Updates a row with the name that its file carries, and records content that changed unseen.
    func match(_ row: Entry, _ found: IdentifiedStatus, in directory: BackingFolder) throws {
        var entry = row
        if occasion != .failedWrite, row.evidence != found.evidence {
            entry.evidence = found.evidence
            try transaction.update(entry)
        }
        guard row.kind == .document else { return }
        try matchName(&entry, in: directory)
        if occasion != .failedWrite {
            _ = try comparison.foundFiles.recordChangeInStore(of: &entry, found.status, occasion, transaction)
        }
    }

    /// After a crash the name that a file carries is newer than the one in its row.
    private func matchName(_ entry: inout Entry, in directory: BackingFolder) throws {
        guard entry.hasGeneratedFilename, let name = entry.name,
            let carried = directory.displayName(of: entry.filename),
            !carried.isIdentical(to: name.displayName)
        else { return }
        if occasion == .failedWrite {
            comparison.backing.writeDisplayName(name.displayName, of: entry.filename, in: directory, transaction)
            return
        }
        // A name that no document can have was not set by docfs.
        guard let later = try? DocumentName(displayName: carried, pathExtension: name.pathExtension) else { return }
        entry.document?.name = later
        entry.markPending(.name)
        try transaction.update(entry)
    }
}
