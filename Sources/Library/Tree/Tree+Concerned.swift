import Catalog
import Documents

extension Tree {
    /// Changes what some names mean. Writes to the entries that have them are recorded first, and to no others: see ``ConcernedEntries``.
    ///
    /// - Parameter body: must call `require` with each entry whose content it goes by. Another device's change may have given a name to
    ///   another entry meanwhile: then all open files are looked at, and `body` runs once more.
    func mutate<Value>(
        names: [(name: String?, folder: InodeNumber)],
        _ body: (Transaction, _ require: (Entry) throws -> Void) throws -> Value
    ) throws(Refusal) -> Value {
        transfers.noteChangeOfName()
        let concerned = try concerned(by: names)
        do throws(Refusal) {
            return try mutate(concerning: concerned) { transaction in
                try body(transaction) { if !concerned.contains($0.inode) { throw Refusal.staleInode } }
            }
        } catch {
            guard error == .staleInode, case .only = concerned else { throw error }
        }
        return try mutate { transaction in try body(transaction) { _ in } }
    }

    /// With a folder all are concerned, since it may have any of them in it, and where a document that had the name a moment ago may be
    /// continued.
    private func concerned(by names: [(name: String?, folder: InodeNumber)]) throws(Refusal) -> ConcernedEntries {
        if unseenWrites.isEmpty { return .all }
        return try inspect { rows in
            var inodes: [InodeNumber] = []
            for (name, folder) in names {
                // What is no name is refused by the change.
                guard let name else { continue }
                let asked = folder == .documents ? namespace.preferredFolder : folder
                if identities.recentlyRemoved.knows(name, in: asked) { return .all }
                guard let entry = try namespace.resolve(name, in: folder, rows)?.entry else { continue }
                if entry.kind == .folder { return .all }
                inodes.append(entry.inode)
            }
            return .only(inodes)
        }
    }
}
