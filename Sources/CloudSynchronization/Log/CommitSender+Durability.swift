import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// State is durable on this device before other devices hear of it (Crashes, "A commit of this device").
extension CommitSender {
    /// Makes durable what a commit describes: files, folders and rows. To be called before the commit is appended to the log.
    ///
    /// The contents that it names were synced when they were uploaded. A document that it takes out of the cloud is synced here, because
    /// from now on only this device keeps it.
    func makeDurable(_ outgoing: OutgoingCommit) throws {
        let ids = outgoing.carried.sent.map(\.id) + outgoing.carried.withdrawn
        var folders: Set<InodeNumber> = []
        for id in ids {
            guard let entry = try store.read({ try $0.entry(id) }) else { continue }
            folders.insert(entry.parent)
            if entry.kind == .folder { folders.insert(entry.inode) }
            if entry.location == .local, entry.kind == .document, entry.isHere {
                try synchronize { try store.files.folder(entry.parent, $0).openUnnoticed(entry.filename) }
            }
        }
        for folder in folders {
            try synchronize { try store.files.folder(folder, $0).openFile(".", O_RDONLY | O_DIRECTORY) }
        }
        try store.catalog.synchronize()
    }

    /// One file or folder at a time, which needs one descriptor. The sync itself is done without the tree's lock.
    private func synchronize(_ open: (Rows) throws -> Descriptor) throws {
        let descriptor: Descriptor
        do { descriptor = try store.read(open) } catch let error as Errno {
            // It was moved or removed meanwhile; a later commit says so.
            if error == .noSuchFileOrDirectory || error == .staleNFSFileHandle { return }
            throw error
        }
        try descriptor.synchronize(dataOnly: false)
    }
}
