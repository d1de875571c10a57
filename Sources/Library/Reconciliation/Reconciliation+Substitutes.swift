import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Substitutes: files at the path of a row that are not the row's own file. A save by renaming makes one, and so does an exchange; when the
/// process ended before the rows of these were committed, the file's own row is known here by its evidence.
extension Reconciliation {
    struct Substitute {
        /// The row at whose path the file is.
        let row: InodeNumber
        let found: IdentifiedStatus
    }

    func isSubstitute(_ found: IdentifiedStatus, for row: Entry) -> Bool {
        guard occasion == .uncleanEnd || occasion == .failedWrite, found.type == S_IFREG, let own = row.evidence,
            own.birth != 0
        else { return false }
        return found.evidence != own
    }

    /// Completes the saves, undoes the exchanges, and matches the files with the rows at their paths.
    mutating func resolveSubstitutes() throws {
        let rows = try Dictionary(
            substitutes.compactMap { substitute in
                try transaction.entry(substitute.row)?.evidence.map { ($0, substitute) }
            }, uniquingKeysWith: { first, _ in first })
        var resolved: Set<InodeNumber> = []
        for substitute in substitutes where !resolved.contains(substitute.row) {
            guard let row = try transaction.entry(substitute.row), let evidence = substitute.found.evidence else {
                continue
            }
            if let partner = rows[evidence], partner.found.evidence == row.evidence,
                let other = try transaction.entry(partner.row)
            {
                try undoExchange(row, other)
                resolved.insert(other.inode)
                continue
            }
            if occasion == .uncleanEnd, let source = missing[evidence] { try completeSave(of: row, with: source) }
            try match(
                row, substitute.found, in: try comparison.backing.folder(row.parent, transaction))
        }
        substitutes = []
    }

    /// The file of another document, or a scratch file, was renamed over a document's file. The other one ends, as it does after a save.
    private mutating func completeSave(of row: Entry, with source: Entry) throws {
        // The file may carry the name of the other document still.
        comparison.backing.writeDisplayName(
            row.name?.displayName, of: row.filename, in: try comparison.backing.folder(row.parent, transaction),
            transaction)
        missing.remove(source.inode)
        if source.kind == .document {
            try comparison.withdrawals.withdraw(source, heir: row.id, transaction)
        }
        try transaction.delete(source.inode)
        comparison.logger.notice("a save that had not ended was completed", metadata: ["filename": "\(row.filename)"])
    }

    /// Each of two files is at the path of the other one's row.
    private func undoExchange(_ first: Entry, _ second: Entry) throws {
        let folder = try comparison.backing.folder(first.parent, transaction)
        let otherFolder = try comparison.backing.folder(second.parent, transaction)
        try folder.exchange(first.filename, with: otherFolder, second.filename, transaction)
        for (row, directory) in [(first, folder), (second, otherFolder)] {
            // The file may carry the name of the other one already.
            comparison.backing.writeDisplayName(row.name?.displayName, of: row.filename, in: directory, transaction)
            try match(row, try directory.identify(row.filename), in: directory)
        }
        comparison.logger.notice(
            "an exchange that had not ended was undone", metadata: ["filename": "\(first.filename)"])
    }
}
