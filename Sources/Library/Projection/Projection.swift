import Backing
import Catalog
import Documents
import Glibc
import Replica
import Replication

/// Projects the replica onto the tree: a person sees the committed state of the container with this device's pending changes on top
/// (`ContainerFormat`, `Architecture`).
///
/// A projection runs inside one transaction. The files that it removed from the tree are deleted after it.
struct Projection {
    let tree: ReplicatedTree
    let transaction: Transaction
    let replica: CatalogReplica
    /// The documents that this device saved with the commit that is applied.
    let saved: Set<EntryID>
    var changes = TreeChanges()
    var inherited: InheritedVersions
    var folderTimes = FolderTimes()
    /// Folders to which the entries of a checkpoint are added.
    var checkpointFolders: [EntryID: Entry] = [:]

    init(_ tree: ReplicatedTree, _ transaction: Transaction, _ replica: CatalogReplica, saved: Set<EntryID>) {
        self.tree = tree
        self.transaction = transaction
        self.replica = replica
        self.saved = saved
        inherited = InheritedVersions(replica, among: [])
    }

    /// The changes that other devices made, with the names that listings show when all of them are done.
    func remoteChanges() throws -> [RemoteChange] {
        try changes.listed { id in
            try transaction.entry(id).flatMap { try tree.namespace.listedPath(of: $0, transaction) }
        }
    }

    mutating func project(_ touched: [EntryID]) throws {
        inherited = InheritedVersions(replica, among: touched)
        for id in touched { try projectLive(id) }
        let gone = try touched.filter { try replica.entry($0)?.isDeleted != false }
        for id in gone { try projectDeleted(id, isFolder: false) }
        // Folders last, the inner ones first: only an empty folder can be removed.
        for id in try deepestFirst(gone) { try projectDeleted(id, isFolder: true) }
        try setFolderTimes()
    }

    mutating func projectLive(_ id: EntryID) throws {
        let committed = try replica.visibleEntry(id, at: tree.surroundings.now())
        guard let committed, !committed.isDeleted, try !transaction.hasWithdrawal(id) else { return }
        guard var entry = try transaction.entry(id) else { return try insertWithChildren(committed) }
        if entry.location == .cloud {
            try bring(entry, to: committed)
        } else if !entry.isHere, entry.awaited == nil {
            try updateLeavingCloud(entry, to: committed)
        } else {
            // This device moved it out of the cloud, and an edit on another device that did not know of it brought it back: both are kept.
            var random = tree.surroundings.random()
            entry.id = .random(using: &random)
            try transaction.update(entry)
            try insertWithChildren(committed)
        }
    }

    /// The folder with this id, inserted if it is not there.
    ///
    /// - Returns: nil if it was deleted, or moved out of the cloud on this device.
    mutating func folder(_ id: EntryID) throws -> Entry? {
        if let folder = try transaction.entry(id) { return folder.location == .cloud ? folder : nil }
        guard let committed = try replica.visibleEntry(id, at: tree.surroundings.now()) else { return nil }
        try insert(committed)
        return try transaction.entry(id)
    }

    /// An entry of `folder` is about to be added, moved or removed.
    mutating func willChangeEntries(of folder: Entry) throws {
        let tree = tree, transaction = transaction
        if try folderTimes.willChangeEntries(of: folder, storeTime: tree.storeTime(of: folder, transaction)) {
            try tree.backing.folder(folder.inode, transaction).touch()
        }
    }

    /// Gives folders their times. To be called when all entries are in their folders.
    mutating func setFolderTimes() throws {
        for (inode, time) in folderTimes.removeAll() {
            guard let entry = try transaction.entry(inode) else { continue }
            try tree.backing.folder(entry.parent, transaction).setModified(entry.filename, time.timespec)
            transaction.announce(.attributesChanged(of: inode))
        }
    }
}

extension ReplicatedTree {
    /// The time of a folder in the store, in the precision that the container keeps.
    func storeTime(of folder: Entry, _ rows: Rows) throws -> Timestamp {
        let status = try backing.folder(folder.inode, rows).descriptor.status()
        return surroundings.folderTime(Timestamp(status.st_mtim))
    }
}
