import Backing
import Catalog
import Documents
import Logging
import Replication
import SystemPackage

extension StoreComparison {
    /// What a call says where a file is missing, or where there is one that no row names. Any other errno tells of the disk.
    private static let differences: Set<Errno> = [
        .noSuchFileOrDirectory, .fileExists, .notDirectory, .isDirectory, .directoryNotEmpty,
        .tooManySymbolicLinkLevels,
    ]

    /// Writes to the tree. If files of the store are in the way, the folders in question are reconciled and `body` runs once more: a
    /// document whose file is missing becomes a placeholder, a file without a row becomes a document.
    ///
    /// - Throws: the error of the second attempt, or of the first where it tells of the disk.
    func writeReconciling<Value>(
        in folders: (Rows) throws -> [InodeNumber], _ body: (Transaction) throws -> Value
    ) throws -> Value {
        do { return try store.write(body) } catch let error as Errno where Self.differences.contains(error) {
            logger.warning(
                "the store's files differ from the catalog; its folders are compared", metadata: ["error": "\(error)"])
            try store.write { transaction in
                var reconciliation = Reconciliation(self, transaction, .uncleanEnd, isRecursive: false)
                try reconciliation.run(Set(try folders(transaction)).sorted())
            }
            return try store.write(body)
        }
    }
}
