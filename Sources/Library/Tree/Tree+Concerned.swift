import Catalog
import Documents

extension Tree {
    /// The entries whose contents a change of these names goes by: those that have them. Of a document that had one a moment ago and is
    /// continued by the change, a write to its backup counts at the close, as of any open file. With a folder all are concerned, since it
    /// may have any of them in it.
    func concerned(by names: [(name: String?, folder: InodeNumber)]) throws(Refusal) -> ConcernedEntries {
        if unseenWrites.isEmpty { return .only([]) }
        return try inspect { catalog in
            var inodes: [InodeNumber] = []
            for (name, folder) in names {
                // What is no name is refused by the change.
                guard let name, let entry = try namespace.resolve(name, in: folder, catalog)?.entry else { continue }
                if entry.kind == .folder { return .all }
                inodes.append(entry.inode)
            }
            return .only(inodes)
        }
    }
}
