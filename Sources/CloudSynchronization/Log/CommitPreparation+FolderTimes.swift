import Backing
import Catalog
import Documents
import Glibc
import Library
import Replica
import Replication
import SystemPackage

/// A folder's modification time is replicated, whether a person set it or a change in the folder did. A commit that describes a change in
/// a folder also describes the folder's time; a device that receives it sets that time (`Projection`).
extension CommitPreparation {
    /// Adds the folders to `pending` whose time differs from the one that the container has.
    ///
    /// - Parameter ready: the entries that can go into a commit now. The others bring their folder's time when they can.
    func addFolderTimes(
        to pending: inout [InodeNumber: Entry], ready: [Entry], withdrawals: [Withdrawal], _ transaction: Transaction
    ) throws {
        var folders: Set<InodeNumber> = []
        for entry in ready {
            folders.insert(entry.kind == .folder ? entry.inode : entry.parent)
            folders.insert(entry.parent)
            if entry.pending.contains(.place),
                let former = try entry.id.flatMap({ try committedFolder(of: $0, transaction) })
            {
                folders.insert(former)
            }
        }
        for withdrawal in withdrawals {
            if let former = try committedFolder(of: withdrawal.id, transaction) { folders.insert(former) }
        }
        for inode in folders where inode > .cloud {
            guard var folder = try pending[inode] ?? transaction.entry(inode), folder.isReplicated,
                folder.kind == .folder,
                let time = try time(of: folder, transaction), time != folder.modified
            else { continue }
            // It would bring its new name or place with it, and not what these need (`CommitScope`). It brings its time when it goes itself.
            if pending[inode] == nil, !folder.pending.isDisjoint(with: [.creation, .revival, .name, .place]) {
                continue
            }
            folder.modified = time
            folder.markPending(.modified)
            try transaction.update(folder)
            pending[inode] = folder
        }
    }

    /// The folder that an entry lies in as the container has it.
    private func committedFolder(of id: EntryID, _ rows: Rows) throws -> InodeNumber? {
        try rows.replicaParent(of: id).flatMap { try rows.entry($0)?.inode }
    }

    /// Nil for a folder that was removed from the store behind docfs's back, which `StoreComparison` finds.
    private func time(of folder: Entry, _ rows: Rows) throws -> Timestamp? {
        do {
            let status = try store.files.folder(folder.parent, rows).status(folder.filename)
            return store.surroundings.folderTime(Timestamp(status.st_mtim))
        } catch let error as Errno {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }
}
