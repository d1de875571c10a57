import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// A row and its file have different paths: either the file is moved back, or the row is updated.
extension Reconciliation {
    /// Moves a file back to the path of its row.
    ///
    /// - Returns: nil where that cannot be done.
    func moveBack(_ stray: Stray, to row: Entry) throws -> (Entry, BackingFolder)? {
        let source = try comparison.backing.folder(stray.folder, transaction)
        // The row's folder may not exist yet, or be another one.
        guard let target = try? comparison.backing.folder(row.parent, transaction) else { return nil }
        do throws(Errno) {
            try source.move(stray.name, to: target, row.filename, transaction)
        } catch {
            if error != .noSuchFileOrDirectory {
                comparison.logger.warning(
                    "a file could not be moved back to its path",
                    metadata: ["filename": "\(row.filename)", "error": "\(error)"])
            }
            return nil
        }
        // The file may carry the name that the move gave it.
        comparison.backing.writeDisplayName(row.name?.displayName, of: row.filename, in: target, transaction)
        comparison.logger.notice("a move that had not ended was undone", metadata: ["filename": "\(row.filename)"])
        return (row, target)
    }

    /// Updates a row to the path at which its file was found.
    ///
    /// - Returns: nil where the document cannot be moved between the containers now.
    mutating func follow(_ row: Entry, to stray: Stray, in folder: Entry) throws -> (Entry, BackingFolder)? {
        let migrates = row.location != folder.location
        if migrates, try comparison.migration.obstacle(toMigrating: row, transaction) != nil { return nil }
        try freeName(stray.name, in: folder.inode, besides: row.inode)
        var entry = row
        entry.parent = folder.inode
        entry.location = folder.location
        entry.filename = stray.name
        if row.parent != folder.inode {
            entry.position = try comparison.nextPosition(in: folder.inode, transaction)
        }
        entry.markPending([.place, .position])
        let name = try EntryName(stray.name)
        if row.kind == .document, !row.hasGeneratedFilename { entry.document?.name = DocumentName(splitting: name) }
        comparison.backing.forget(row.inode)
        try transaction.update(entry)
        if row.kind == .folder {
            try comparison.migration.updateDescendants(
                of: entry, from: row, to: folder.namingContext.folder(name), transaction)
            entry = try transaction.entry(entry.inode) ?? entry
        }
        if migrates { try comparison.migration.migrate(entry, from: row, transaction) }
        comparison.logger.notice("a file was found at another place", metadata: ["filename": "\(entry.filename)"])
        return (try transaction.entry(entry.inode) ?? entry, try comparison.backing.folder(folder.inode, transaction))
    }
}
