import Backing
import Catalog
import Documents
import Replica
import Replication
import SystemPackage

/// Shows the container's state in the tree, with the changes that are pending on this device on top (`Projection`).
final class ReplicatedTree: Transacting {
    let transactions: Transactions
    let store: DocumentStore
    let backing: BackingStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let transfers: Transfers
    let cloud: any ContentSource
    let notices: ChangeNotices
    let namespace: Namespace
    let contents: Contents
    let withdrawals: Withdrawals
    let removal: Removal
    let arrivals: Arrivals
    let evictions: Evictions
    let foundFiles: FoundFiles
    let comparison: StoreComparison

    init(
        _ transactions: Transactions, store: DocumentStore, backing: BackingStore, openFiles: OpenFiles,
        unseenWrites: UnseenWrites, transfers: Transfers, cloud: any ContentSource, notices: ChangeNotices,
        namespace: Namespace, contents: Contents, withdrawals: Withdrawals,
        removal: Removal, arrivals: Arrivals, evictions: Evictions, foundFiles: FoundFiles,
        comparison: StoreComparison
    ) {
        self.transactions = transactions
        self.store = store
        self.backing = backing
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.transfers = transfers
        self.cloud = cloud
        self.notices = notices
        self.namespace = namespace
        self.contents = contents
        self.withdrawals = withdrawals
        self.removal = removal
        self.arrivals = arrivals
        self.evictions = evictions
        self.foundFiles = foundFiles
        self.comparison = comparison
    }

    /// Shows a document after a choice among its versions was made on this device.
    func show(_ id: EntryID, in folder: InodeNumber, _ transaction: Transaction) throws {
        let replica = CatalogReplica(transaction)
        var projection = Projection(self, transaction, replica, saved: [])
        if let entry = try transaction.entry(id), var committed = try replica.visibleEntry(id, at: surroundings.now()),
            committed.isDeleted
        {
            // It is back here, and the container does not know of it yet.
            committed.deleted = nil
            try projection.update(entry, to: committed)
        } else {
            try projection.project([id])
        }
        transaction.announce(.listingChanged(of: folder))
    }

    /// A document was renamed over another one, or continues it: its conflict versions become that document's.
    func showInheritedConflicts(of source: Entry, as entry: Entry, _ transaction: Transaction) throws {
        guard source.conflicts > 0, let id = entry.id else { return }
        try show(id, in: entry.parent, transaction)
    }
}

extension ReplicatedTree: SynchronizedTree {
    /// The number of withdrawals in one transaction: other calls wait for it.
    private static let withdrawalsAtOnce = 500

    package func follow<Value>(
        in folders: (Rows) throws -> [InodeNumber],
        _ change: (Transaction) throws -> (ReplicaChange, Value)
    ) throws -> Value {
        try transactions.recordUnseenWrites()
        let value = try comparison.writeReconciling(in: folders) { transaction in
            while try withdrawals.finishWithdrawals(limit: Self.withdrawalsAtOnce, transaction) {}
            let (replica, value) = try change(transaction)
            var projection = Projection(self, transaction, replica.replica, saved: replica.saved)
            try projection.project(replica.touched)
            let changes = try projection.remoteChanges()
            if !changes.isEmpty { transaction.announce(.remoteChanges(changes)) }
            return value
        }
        notices.stateChanged()
        return value
    }

    package func fill(
        _ entries: (Transaction, _ isEmpty: Bool, _ insert: (ReplicaEntry) throws -> Void) throws -> Void
    ) throws {
        try store.write { transaction in
            var projection = Projection(self, transaction, CatalogReplica(transaction), saved: [])
            let isEmpty = try !transaction.hasChildren(.cloud)
            try entries(transaction, isEmpty) { try projection.insertNew($0, intoEmptyTree: isEmpty) }
            try projection.setFolderTimes()
            transaction.announce(.listingChanged(of: .cloud))
        }
        notices.stateChanged()
    }

    package func finishWithdrawals() throws {
        while try store.write({ try withdrawals.finishWithdrawals(limit: Self.withdrawalsAtOnce, $0) }) {}
    }

    package func removeEmptiedFolders() throws {
        guard try !store.read({ try $0.foldersToForget().isEmpty }) else { return }
        try mutate { transaction in
            for folder in try transaction.foldersToForget() {
                // The store's folder may hold a file without a row. It is removed when the file has been adopted or removed.
                do { try removal.removeFolder(folder, transaction) } catch Errno.directoryNotEmpty { continue }
                if let id = folder.id { try transaction.deleteWithdrawal(id) }
                transaction.announce(.listingChanged(of: folder.parent))
                transaction.announce(.entryChanged(EntryNames(folder), besides: nil))
            }
        }
    }

    package func bringContents(atMost limit: Int) {
        arrivals.startForDocumentsLeavingCloud(atMost: limit)
        arrivals.startForKeptDocuments(atMost: limit)
        evictions.keepWithinLimit()
        evictions.recordOpenings(evenIfEarly: false)
    }
}
