import Backing
import Catalog
import Documents
import Logging
import Replication
import SystemPackage

extension StoreComparison {
    /// Does what a commit asks for; where files stand in its way, rows and files of the folders that it concerns are made to agree
    /// first: what is missing is a placeholder again, what is unknown becomes a document.
    ///
    /// - Throws: what `body` throws even then.
    func reconcilingSurprises<Value>(
        in folders: (CatalogTransaction) throws -> [InodeNumber], _ body: (CatalogTransaction) throws -> Value
    ) throws -> Value {
        do { return try store.write(body) } catch let surprise as Errno {
            logger.warning(
                "the store is not as its rows say; its folders are compared", metadata: ["error": "\(surprise)"])
            try store.write { catalog in
                var reconciliation = Reconciliation(self, catalog, .uncleanEnd, isRecursive: false)
                try reconciliation.run(Set(try folders(catalog)).sorted())
            }
            return try store.write(body)
        }
    }
}
