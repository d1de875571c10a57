import Backing
import Catalog
import Documents
import SystemPackage

/// What others are told survives here whatever happens (PRODUCT 10).
extension Library {
    /// Makes durable what a commit speaks of: the files and folders, and the rows. To be called before the log gets it.
    ///
    /// Contents that it names were synced when they were uploaded; one that has left the cloud is kept by this device alone from
    /// now on.
    func makeDurable(_ outgoing: OutgoingCommit) throws {
        let ids = outgoing.settlement.sent.map(\.id) + outgoing.settlement.withdrawn
        let (folders, contents) = try catalog.read { catalog in
            var folders: [InodeNumber: BackingFolder] = [:]
            var contents: [Descriptor] = []
            for entry in try ids.compactMap({ try catalog.entry($0) }) {
                for inode in [entry.parent] + (entry.kind == .folder ? [entry.inode] : []) where folders[inode] == nil {
                    folders[inode] = try? backing.folder(inode, catalog)
                }
                guard entry.container == .local, entry.kind == .document, entry.isHere else { continue }
                contents.append(try backing.folder(entry.parent, catalog).openUnnoticed(entry.filename))
            }
            return (Array(folders.values), contents)
        }
        for content in contents { try content.synchronize(dataOnly: true) }
        for folder in folders { try folder.synchronize() }
        try catalog.synchronize()
    }
}
