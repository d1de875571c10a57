import Library
import Replica
import Backing
import Catalog
import Documents
import Glibc
import Replication
import SystemPackage

/// A folder's time of modification travels (PRODUCT 10): set by a person, or moved by what happened in the folder. A commit that tells of
/// something in a folder tells of the folder's time, too; a device that gets it leaves the folder with that time (`Projection`).
extension Synchronizer {
    /// Adds to what is pending the folders whose time is another than the container was told.
    ///
    /// - Parameter ready: the entries that a commit can tell of now. Others will tell of their folder's time when they can be told.
    func noteFolderTimes(
        in pending: inout [InodeNumber: Entry], ready: [Entry], withdrawals: [Withdrawal], _ catalog: CatalogTransaction
    ) throws {
        var folders: Set<InodeNumber> = []
        for entry in ready {
            folders.insert(entry.kind == .folder ? entry.inode : entry.parent)
            folders.insert(entry.parent)
            if entry.pending.contains(.place),
                let former = try entry.id.flatMap({ try committedFolder(of: $0, catalog) })
            {
                folders.insert(former)
            }
        }
        for withdrawal in withdrawals {
            if let former = try committedFolder(of: withdrawal.id, catalog) { folders.insert(former) }
        }
        for inode in folders where inode > .cloud {
            guard var folder = try pending[inode] ?? catalog.entry(inode), folder.isReplicated, folder.kind == .folder,
                let time = try time(of: folder, catalog), time != folder.modified
            else { continue }
            folder.modified = time
            folder.notePending(.modified)
            try catalog.update(folder)
            pending[inode] = folder
        }
    }

    /// Where the container has an entry.
    private func committedFolder(of id: EntryID, _ catalog: CatalogTransaction) throws -> InodeNumber? {
        guard let entry = try CatalogReplica(catalog).entry(id), !entry.isDeleted else { return nil }
        return try catalog.entry(entry.description.parent)?.inode
    }

    /// Nil for a folder that somebody has taken out of the store, which is noticed elsewhere (`writeReconciling`).
    private func time(of folder: Entry, _ catalog: CatalogTransaction) throws -> Timestamp? {
        do {
            let status = try store.files.folder(folder.parent, catalog).status(folder.filename)
            return store.surroundings.folderTime(Timestamp(status.st_mtim))
        } catch let error as Errno {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }
}
