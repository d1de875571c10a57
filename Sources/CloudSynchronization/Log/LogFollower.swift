import Backing
import Catalog
import Documents
import Encryption
import Library
import ObjectStore
import Replica
import Replication

/// Reads the log and applies its commits.
struct LogFollower: Sendable {
    private let container: ContainerAccess
    private let tree: any SynchronizedTree
    private let cloud: CloudConnection

    init(_ container: ContainerAccess, _ tree: any SynchronizedTree, _ cloud: CloudConnection) {
        self.container = container
        self.tree = tree
        self.cloud = cloud
    }

    /// Applies what other devices committed, up to the end of the log.
    func followLog() async throws {
        try tree.finishWithdrawals()
        if container.encryption?.keys.kept.isLockedByKeyObject == true {
            try await lookForAnnouncement()
            try await container.requireNewestKeys()
        }
        var head: LogHead
        if let known = try container.head() {
            head = known
        } else {
            head = try await Bootstrap(container, tree).begin()
        }
        // Usually there is no new entry or one. A device that is far behind reads more entries at once with each turn.
        var count = 1
        while true {
            let entries = try await container.log.read(after: head.position, atMost: count)
            if entries.isEmpty { return }
            count = entries.count < count ? 1 : min(count * 2, ReplicatedLog.mostAtOnce)
            cloud.changesAreOfInterest()
            for entry in entries {
                head = try apply(entry, after: head)
                // Those after it were asked for under the former key.
                if entry.commit.newKey != nil { break }
            }
        }
    }

    /// Only the container's key object told so far that its key was changed. The next entry may tell who changed it, and whether this device was removed.
    private func lookForAnnouncement() async throws {
        do {
            guard let head = try container.head(), let entry = try await container.log.read(head.position.next),
                entry.commit.newKey != nil
            else { return }
            try container.admit(entry, after: head)
        } catch let error as LogError where error.isDamage {
            // Who was shut out may have written it.
        }
    }

    /// Applies one commit and brings the tree in line with it, in one transaction with its position: a crash can neither lose nor
    /// repeat it. What becomes of the entries is decided before the transaction (``ReplicaDraft``).
    ///
    /// - Parameter own: the same commit as it was made here, if the caller has it.
    /// - Returns: the head of the log with it.
    /// - Throws: `LogError.container` for an entry that does not follow `head`.
    @discardableResult
    func apply(_ entry: LogEntry, after head: LogHead, own: OutgoingCommit? = nil) throws -> LogHead {
        try container.admit(entry, after: head)
        let commit = entry.commit
        var draft = ReplicaDraft(container.store.catalog, state: head.state)
        let touched = try Replication.apply(commit, to: &draft)
        let update = try draft.update()
        let newHead = head.advanced(by: entry, state: update.state)
        return try tree.follow(in: { try $0.folders(changedBy: commit) }) { transaction in
            // The synchronizer alone changes the committed state.
            assert((try? transaction.logHead()) == head)
            try update.write(at: newHead.position, transaction)
            try recordDeletions(of: update.deletedDocuments, in: commit, transaction)
            try transaction.set(newHead)
            var saved: Set<EntryID> = []
            if try own != nil || transaction.isInOutbox(commit.id) {
                saved = try (own ?? OutgoingCommit.load(from: transaction))?.clearPending(in: transaction) ?? []
            }
            return (ReplicaChange(update.replica(transaction), touched: touched, saved: saved), newHead)
        }
    }

    /// Records for the trash which documents another device deleted. Of what this device deleted the undo list knows. A document that was renamed
    /// over another one lives on in that.
    private func recordDeletions(
        of documents: [EntryID], in commit: Commit, _ transaction: Transaction
    ) throws {
        if documents.isEmpty { return }
        let isOwn = commit.device == container.store.device.id
        var livingOn: Set<EntryID> = []
        for case .bequeath(let id, _, _) in commit.changes { livingOn.insert(id) }
        for id in documents {
            if isOwn || livingOn.contains(id) {
                try transaction.forgetDeletion(of: id)
            } else {
                try transaction.recordDeletion(of: id, by: commit.deviceName)
            }
        }
    }
}
