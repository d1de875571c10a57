import Catalog
import Documents
import Replication

extension Rows {
    /// The folders in which a commit creates, moves or removes something.
    func folders(changedBy commit: Commit) throws -> [InodeNumber] {
        var ids: [EntryID] = commit.changes.map(\.subject)
        for change in commit.changes {
            switch change {
            case .create(let entry): ids.append(entry.description.parent)
            case .describe(_, let change): ids += [change.place?.parent].compactMap { $0 }
            case .save, .delete, .resolve, .bequeath: break
            }
        }
        return try ids.compactMap { try entry($0) }.filter { $0.location == .cloud }.flatMap { entry in
            entry.kind == .folder && entry.inode > .cloud
                ? [entry.inode, entry.parent] : [entry.kind == .folder ? entry.inode : entry.parent]
        }
    }
}
