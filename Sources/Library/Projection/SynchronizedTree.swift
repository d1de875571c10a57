import Catalog
import Documents
import Replica
import Replication

/// The result of a change of the replica: the entries that changed, and the documents whose saves made here it contained.
package struct ReplicaChange {
    let replica: CatalogReplica
    let touched: [EntryID]
    let saved: Set<EntryID>

    /// - Parameters:
    ///   - replica: with the change made in it.
    ///   - touched: the entries that changed.
    ///   - saved: the documents for which the change contained a save made on this device.
    package init(_ replica: CatalogReplica, touched: [EntryID], saved: Set<EntryID> = []) {
        self.replica = replica
        self.touched = touched
        self.saved = saved
    }
}

/// The tree as synchronization changes it. Called from any thread that may block.
package protocol SynchronizedTree: Sendable {
    /// Changes the replica and makes the tree agree with it, in one transaction. If that fails because of files without rows, the folders
    /// concerned are reconciled first.
    ///
    /// - Parameters:
    ///   - folders: those that the change concerns.
    ///   - change: may be called a second time.
    func follow<Value>(
        in folders: (Rows) throws -> [InodeNumber],
        _ change: (Transaction) throws -> (ReplicaChange, Value)
    ) throws -> Value

    /// Fills the tree with the entries of a checkpoint, in one transaction.
    ///
    /// - Parameter entries: calls `insert` with each entry, after the folder that contains it. `isEmpty` tells whether the tree was empty
    ///   before.
    func fill(
        _ entries: (Transaction, _ isEmpty: Bool, _ insert: (ReplicaEntry) throws -> Void) throws -> Void
    ) throws

    /// Records for deletions of very many entries at once the versions that each has seen. Must be called before the log is followed
    /// further.
    func finishWithdrawals() throws

    /// Removes folders that were kept because of scratch files in them, once these are gone.
    func removeEmptiedFolders() throws

    /// Starts to download contents that should be here: of documents that leave the cloud, and of those that are kept. Drops contents
    /// that take more room than they may.
    func bringContents(atMost limit: Int)
}
