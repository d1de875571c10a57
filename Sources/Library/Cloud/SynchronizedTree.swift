import Catalog
import Documents
import Replica
import Replication

/// What a change of the replica did: the entries that are others now, and the documents of which it carried a save made here.
package struct ReplicaChange {
    let replica: CatalogReplica
    let touched: [EntryID]
    let saved: Set<EntryID>

    package init(_ replica: CatalogReplica, touched: [EntryID], saved: Set<EntryID> = []) {
        self.replica = replica
        self.touched = touched
        self.saved = saved
    }
}

/// What synchronization does to the tree. Called from any thread that may block.
package protocol SynchronizedTree: Sendable {
    /// Changes the replica and brings the tree in line with it, in one transaction. Where files stand in the way, the rows and files
    /// of the folders concerned are made to agree first.
    ///
    /// - Parameters:
    ///   - folders: those that the change concerns.
    ///   - change: may be run a second time.
    func follow<Value>(
        in folders: (CatalogTransaction) throws -> [InodeNumber],
        _ change: (CatalogTransaction) throws -> (ReplicaChange, Value)
    ) throws -> Value

    /// Fills the tree with the entries of a checkpoint, in one transaction.
    ///
    /// - Parameter entries: calls `insert` with each entry, after the folder that the entry lies in. Is told whether nothing was in
    ///   the tree before.
    func fill(
        _ entries: (CatalogTransaction, _ isEmpty: Bool, _ insert: (ReplicaEntry) throws -> Void) throws -> Void
    ) throws

    /// Notes of deletions of very many entries at once what each has seen. To be done before the log is followed further.
    func finishWithdrawals() throws

    /// Removes folders that were kept for the sake of scratch files, when these have gone.
    func removeEmptiedFolders() throws

    /// Begins to download the contents of documents that are on their way out of the cloud.
    func startArrivals(atMost limit: Int)
}
