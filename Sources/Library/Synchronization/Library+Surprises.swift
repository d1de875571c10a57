import Catalog
import Documents
import Logging
import Replication
import SystemPackage

/// What is not in the store as its rows say must not keep other devices' changes out: a file that somebody took away, one that lies
/// where another shall be, or in a folder that goes (PRODUCT 10: never overwritten unseen).
extension Library {
    /// Does what a commit asks for; where files stand in its way, rows and files of the folders that it concerns are made to agree
    /// first: what is missing is a placeholder again, what is unknown becomes a document.
    ///
    /// - Throws: what `body` throws even then.
    func reconcilingSurprises<Value>(
        in folders: (CatalogTransaction) throws -> [InodeNumber], _ body: (CatalogTransaction) throws -> Value
    ) throws -> Value {
        do { return try write(body) } catch let surprise as Errno {
            logger.warning(
                "the store is not as its rows say; its folders are compared", metadata: ["error": "\(surprise)"])
            try write { catalog in
                var reconciliation = Reconciliation(self, catalog, .uncleanEnd, isRecursive: false)
                try reconciliation.run(Set(try folders(catalog)).sorted())
            }
            return try write(body)
        }
    }
}

extension CatalogTransaction {
    /// The folders in which a commit makes, moves or removes something.
    func folders(concernedBy commit: Commit) throws -> [InodeNumber] {
        var ids: [EntryID] = commit.changes.map(\.subject)
        for change in commit.changes {
            switch change {
            case .create(let entry): ids.append(entry.description.parent)
            case .describe(_, let change): ids += [change.place?.parent].compactMap { $0 }
            case .save, .delete, .resolve, .bequeath: break
            }
        }
        return try ids.compactMap { try entry($0) }.filter { $0.container == .cloud }.flatMap { entry in
            entry.kind == .folder && entry.inode > .cloud
                ? [entry.inode, entry.parent] : [entry.kind == .folder ? entry.inode : entry.parent]
        }
    }
}
