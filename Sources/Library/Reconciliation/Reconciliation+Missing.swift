import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Missing rows: rows without a file at their path.
extension Reconciliation {
    /// Adds the descendants of missing folders to the missing rows.
    mutating func expandMissingFolders() throws {
        for folder in missing.rows where folder.kind == .folder && expanded.insert(folder.inode).inserted {
            for row in try transaction.descendants(of: folder.inode) where row.hasFile {
                expanded.insert(row.inode)
                missing.insert(row)
            }
        }
    }

    /// Makes missing folders anew, outer ones first.
    mutating func remakeMissingFolders() throws {
        try expandMissingFolders()
        let folders = missing.rows.filter { $0.kind == .folder }
        let depths = try folders.map { ($0, try transaction.depth(of: $0)) }
        for (folder, _) in depths.sorted(by: { $0.1 < $1.1 }) { try remake(folder) }
    }

    /// Makes a missing folder or link anew.
    private mutating func remake(_ missingRow: Entry) throws {
        let directory = try comparison.backing.folder(missingRow.parent, transaction)
        if try directory.exists(missingRow.filename) { try freeName(missingRow.filename, in: missingRow.parent) }
        guard let row = try transaction.entry(missingRow.inode) else { return }
        if row.kind == .folder {
            try directory.makeFolder(row.filename, mode: row.mode == 0 ? 0o755 : row.mode)
        } else {
            try directory.makeSymbolicLink(row.filename, target: row.target ?? [])
        }
        missing.remove(row.inode)
        var entry = row
        entry.evidence = try directory.identify(row.filename).evidence
        try transaction.update(entry)
    }

    /// Gives documents back whose removal was not committed.
    mutating func takeBackFromTrash() throws {
        for row in missing.rows {
            guard let folder = try comparison.takeBackFromTrash(row, transaction),
                let found = try identifyIfPresent(row.filename, in: folder)
            else { continue }
            missing.remove(row.inode)
            try match(row, found, in: folder)
        }
    }

    /// Ends the rows whose files were found nowhere, or makes folders and links anew. Inner rows go first: a folder goes after its entries.
    mutating func resolveMissing() throws {
        let rows = try missing.rows.map { ($0, try transaction.depth(of: $0)) }.sorted { $0.1 > $1.1 }.map(\.0)
        for row in rows {
            switch (occasion, row.kind) {
            case (.failedWrite, .document), (.failedWrite, .scratch):
                comparison.logger.error("a file of the store is gone", metadata: ["filename": "\(row.filename)"])
            case (.edits, .folder) where try transaction.hasChildren(row.inode): try remake(row)
            case (.edits, _): try comparison.foundFiles.dropRemoved(row, transaction)
            case (_, .folder), (_, .symbolicLink): try remake(row)
            default: try comparison.foundFiles.dropMissing(row, transaction)
            }
        }
    }
}
