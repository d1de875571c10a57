import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Replication
import SystemPackage

/// A row and the file that is its own: what of the file is news.
extension Reconciliation {
    /// Takes over into a row what its file says: its name, and content that changed unseen.
    func match(_ row: Entry, _ found: IdentifiedStatus, in directory: BackingFolder) throws {
        var entry = row
        if occasion != .failedWrite, row.backing != found.evidence {
            entry.backing = found.evidence
            try catalog.update(entry)
        }
        guard row.kind == .document else { return }
        try matchName(&entry, in: directory)
        if occasion != .failedWrite {
            _ = try comparison.foundFiles.noteChangeInStore(of: &entry, found.status, occasion, catalog)
        }
    }

    /// After an unclean end the name that a file carries is later than its row's.
    private func matchName(_ entry: inout Entry, in directory: BackingFolder) throws {
        guard entry.hasGeneratedFilename, let name = entry.name,
            let carried = directory.displayName(of: entry.filename),
            !carried.isIdentical(to: name.displayName)
        else { return }
        if occasion == .failedWrite {
            comparison.backing.mirror(displayName: name.displayName, of: entry.filename, in: directory)
            return
        }
        guard let later = try? DocumentName(displayName: carried, pathExtension: name.pathExtension) else { return }
        entry.document?.name = later
        entry.notePending(.name)
        try catalog.update(entry)
    }
}
