import Catalog
import Documents

/// Folders that are at the preferred location already: what is in them moves into these.
extension PreferredLocation {
    /// The folder at the preferred location in which the entries of another folder belong, by the names of the folders that it is in; nil
    /// where there is none.
    func counterpart(of folder: InodeNumber, _ catalog: CatalogTransaction) throws -> InodeNumber? {
        let location = namespace.preferredLocation
        if folder == location.other.folder { return location.folder }
        guard folder > .cloud, let entry = try catalog.entry(folder), entry.kind == .folder,
            let parent = try counterpart(of: entry.parent, catalog),
            let twin = try catalog.entry(in: parent, filename: entry.filename), twin.kind == .folder
        else { return nil }
        return twin.inode
    }

    /// Moves a folder that the destination has already: first all that is in it, one by one, then it goes.
    ///
    /// - Returns: false for an entry that is to move as a whole.
    func merge(_ entry: Entry, _ id: EntryID, into destination: InodeNumber) throws(Refusal) -> Bool {
        guard entry.kind == .folder else { return false }
        let (isTwin, children) = try inspect { catalog in
            (
                try catalog.entry(in: destination, filename: entry.filename)?.kind == .folder,
                try catalog.children(of: entry.inode)
            )
        }
        guard isTwin, let twin = try inspect({ try counterpart(of: entry.inode, $0) }) else { return false }
        if children.contains(where: { $0.kind != .scratch }) {
            if try inspect({ try !$0.stayedEntries(in: entry.inode).isEmpty }) { throw .folderNotEmpty }
            try mutate { catalog in
                let more = try catalog.planPreferredMoves(of: entry, id)
                let count = try catalog.setting(.preferredMoveCount).flatMap { Int($0) } ?? 0
                try catalog.set(.preferredMoveCount, String(count + more))
            }
            return true
        }
        for file in children {
            let name = Array(file.filename.utf8)
            try tree.rename(name, in: entry.inode, to: name, in: twin, options: .noReplace, by: .preferredMove)
        }
        try tree.removeFolder(Array(entry.filename.utf8), in: entry.parent, by: .preferredMove)
        try mutate { catalog in
            try catalog.endPreferredMove(id, staysBecause: nil)
            // No system call did this, so the kernel must hear of it.
            catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
            catalog.announce(.listingChanged(of: entry.parent))
        }
        return true
    }
}
