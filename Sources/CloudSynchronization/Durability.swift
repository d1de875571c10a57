import Library
import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Makes state durable on this device before other devices are told of it (PRODUCT 10).
extension Synchronizer {
    /// Makes durable what a commit speaks of: the files and folders, and the rows. To be called before the log gets it.
    ///
    /// Contents that it names were synced when they were uploaded; one that has left the cloud is kept by this device alone from
    /// now on.
    func makeDurable(_ outgoing: OutgoingCommit) throws {
        let ids = outgoing.settlement.sent.map(\.id) + outgoing.settlement.withdrawn
        var folders: Set<InodeNumber> = []
        for id in ids {
            guard let entry = try store.read({ try $0.entry(id) }) else { continue }
            folders.insert(entry.parent)
            if entry.kind == .folder { folders.insert(entry.inode) }
            if entry.container == .local, entry.kind == .document, entry.isHere {
                try synchronize { try store.files.folder(entry.parent, $0).openUnnoticed(entry.filename) }
            }
        }
        for folder in folders {
            try synchronize { try store.files.folder(folder, $0).openFile(".", O_RDONLY | O_DIRECTORY) }
        }
        try store.catalog.synchronize()
    }

    /// One file or folder at a time, which takes one descriptor, and not with the tree's lock.
    private func synchronize(_ open: (CatalogTransaction) throws -> Descriptor) throws {
        let descriptor: Descriptor
        do { descriptor = try store.read(open) } catch let error as Errno {
            // It has moved or gone meanwhile, which a later commit tells.
            if error == .noSuchFileOrDirectory || error == .staleNFSFileHandle { return }
            throw error
        }
        try descriptor.synchronize(dataOnly: false)
    }
}
