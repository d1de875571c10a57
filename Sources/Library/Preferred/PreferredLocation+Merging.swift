import Catalog
import Documents

/// Folders that are at the preferred location already: what is in them moves into these.
extension PreferredLocation {
    /// The folder at the preferred location in which the entries of another folder belong, by the names of the folders that it is in; nil
    /// where there is none.
    func counterpart(of folder: InodeNumber, _ rows: Rows) throws -> InodeNumber? {
        let location = namespace.preferredLocation
        // Without recursion: folders may lie in each other thousands of levels deep.
        var names: [String] = []
        var above = folder
        while above != location.other.folder {
            guard above > .cloud, let entry = try rows.entry(above), entry.kind == .folder else { return nil }
            names.append(entry.filename)
            above = entry.parent
        }
        var twin = location.folder
        for name in names.reversed() {
            guard let entry = try rows.entry(in: twin, filename: name), entry.kind == .folder else { return nil }
            twin = entry.inode
        }
        return twin
    }

    /// Moves a folder that the destination has already: first all that is in it, one by one, then it goes.
    ///
    /// - Returns: false for an entry that is to move as a whole.
    func merge(_ entry: Entry, _ id: EntryID, into destination: InodeNumber) throws(Refusal) -> Bool {
        guard entry.kind == .folder else { return false }
        let (isTwin, children) = try inspect { rows in
            (
                try rows.entry(in: destination, filename: entry.filename)?.kind == .folder,
                try rows.children(of: entry.inode)
            )
        }
        guard isTwin, let twin = try inspect({ try counterpart(of: entry.inode, $0) }) else { return false }
        // What has no id is not sent, and is not planned: it goes with the folder.
        if children.contains(where: \.isPlannable) {
            if try inspect({ try !$0.stayedEntries(in: entry.inode).isEmpty }) { throw .folderNotEmpty }
            return try plan(entry, id)
        }
        for file in children {
            let name = Array(file.filename.utf8)
            do throws(Refusal) {
                try tree.rename(name, in: entry.inode, to: name, in: twin, options: .noReplace, by: .preferredMove)
            } catch {
                // A scratch file of this name is there, too. Neither is thrown away.
                throw .folderNotEmpty
            }
        }
        do throws(Refusal) {
            try tree.removeFolder(Array(entry.filename.utf8), in: entry.parent, by: .preferredMove)
        } catch {
            // Something was put into it a moment ago.
            if error == .folderNotEmpty,
                try inspect({ try $0.children(of: entry.inode).contains(where: \.isPlannable) })
            {
                return try plan(entry, id)
            }
            throw error
        }
        try mutate { transaction in
            try transaction.endPreferredMove(id, staysBecause: nil)
            // No system call did this, so the kernel must hear of it.
            transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
            transaction.announce(.listingChanged(of: entry.parent))
        }
        return true
    }

    /// Plans to move what is in a folder, and then the folder. Each entry that is planned moves, or stays for a reason, before the folder's turn
    /// comes again.
    private func plan(_ folder: Entry, _ id: EntryID) throws(Refusal) -> Bool {
        try mutate { transaction in
            let more = try transaction.planPreferredMoves(of: folder, id)
            let count = try transaction.setting(.preferredMoveCount).flatMap { Int($0) } ?? 0
            try transaction.set(.preferredMoveCount, String(count + more))
        }
        return true
    }
}

extension Entry {
    /// Whether its move is planned by its id.
    fileprivate var isPlannable: Bool { id != nil && kind != .scratch }
}
