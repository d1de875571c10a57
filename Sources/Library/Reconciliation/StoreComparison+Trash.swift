import Backing
import Catalog
import Documents
import Logging

/// Documents that the container knows, and whose removal was not committed although their files are in the trash.
///
/// Their removal is committed before the file goes there, so the power was lost, and the commit with it. Without that nothing tells the
/// container of a removal, nor of which versions: it did not happen.
extension StoreComparison {
    /// Whether the trash has the file that a row tells of.
    func isRemovalUncommitted(of entry: Entry, _ rows: Rows) throws -> Bool {
        guard entry.kind == .document, entry.isHere, let known = entry.evidence,
            try backing.trash.identifyIfPresent(BackingStore.trashName(entry.inode))?.evidence == known
        else { return false }
        return try !withdrawals.isUntold(entry, rows)
    }

    /// Gives a document its file back, under the name that its row tells.
    ///
    /// - Returns: its folder; nil if the file is not in the trash, or something else is at its path.
    func takeBackFromTrash(_ entry: Entry, _ transaction: Transaction) throws -> BackingFolder? {
        guard try isRemovalUncommitted(of: entry, transaction) else { return nil }
        // A folder that cannot be read is compared at the next mount.
        guard let folder = try? backing.folder(entry.parent, transaction), try !folder.exists(entry.filename),
            try backing.takeBack(entry.filename, of: entry.inode, to: folder)
        else { return nil }
        backing.writeDisplayName(entry.name?.displayName, of: entry.filename, in: folder, transaction)
        logger.notice("a removal that had not ended was undone", metadata: ["filename": "\(entry.filename)"])
        return folder
    }
}
