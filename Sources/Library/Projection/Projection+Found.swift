import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Replication
import SystemPackage

/// A catalog that was made anew does not know which of the files that were found are the container's (`Crashes`). An entry of the container
/// joins the one that was found at its path: a folder, a link with the same target, or a document with the content of one of its versions.
/// Any other content may be an edit that was never sent: it stays a document of its own.
extension Projection {
    /// - Returns: whether the entry is in the tree now.
    mutating func joinFound(_ committed: ReplicaEntry, in folder: Entry) throws -> Bool {
        let filename = committed.description.filename
        guard let found = try transaction.entry(in: folder.inode, filename: filename),
            try transaction.wasFound(found.inode),
            found.pending.contains(.creation), let id = found.id, id != committed.id,
            try transaction.replicaIsDeleted(id) == nil, try !transaction.hasOutbox(),
            let version = try heldVersion(found, of: committed, in: folder)
        else { return false }
        var joined = found
        joined.id = committed.id
        joined.pending = []
        joined.revision += 1
        joined.currentVersion = version.id
        joined.contentVersion = version.id
        joined.created = committed.created
        tree.transfers.forget(found.inode)
        try transaction.update(joined)
        try update(joined, to: committed)
        return true
    }

    /// The version that the file of a found entry holds; nil if it cannot be the committed entry's.
    private func heldVersion(_ found: Entry, of committed: ReplicaEntry, in folder: Entry) throws -> HeldVersion? {
        switch (found.nature, committed.content) {
        case (.folder, .folder): return HeldVersion(id: nil)
        case (.symbolicLink(let target), .symbolicLink(let other)):
            return target == Array(other) ? HeldVersion(id: nil) : nil
        case (.document, .document(let versions)):
            if !found.isHere || tree.openFiles.isOpen(found.inode) { return nil }
            let file = try tree.backing.folder(folder.inode, transaction).openUnnoticed(found.filename)
            let length = try file.status().st_size
            let held = try withExtendedLifetime(file) {
                try versions.all.first {
                    try $0.size == Int64(length) && $0.isContent(of: FileDescriptor(rawValue: file.number))
                }
            }
            return held.map { HeldVersion(id: $0.id) }
        default: return nil
        }
    }

    /// The version that a file holds; of a folder or link none.
    private struct HeldVersion {
        let id: VersionID?
    }
}
