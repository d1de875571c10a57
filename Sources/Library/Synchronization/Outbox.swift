import Catalog
import Documents
import FoundationEssentials
import Replication

/// A commit on its way, with what it settles here once the log has it. Kept durably before it is
/// sent: the store may take it without our hearing of it, and the next life of this process must
/// recognise it as its own.
struct OutgoingCommit: Codable, Sendable {
    /// What of an entry the commit carries.
    struct Sent: Codable, Sendable {
        var id: EntryID
        /// The entry's revision when the commit was made: later changes remain to be sent.
        var revision: Int64
        /// `PendingChanges.rawValue`
        var changes: Int
        /// The version it carries, if any.
        var version: VersionID?
    }

    var commit: Commit
    var sent: [Sent]
    /// Deletions that it carries.
    var withdrawn: [EntryID]
    /// Choices among versions that it carries.
    var resolved: [EntryID: Resolution]

    func store(in catalog: CatalogTransaction) throws {
        try catalog.setOutbox(Array(try JSONEncoder().encode(self)), commit: commit.id)
    }

    static func load(from catalog: CatalogTransaction) throws -> OutgoingCommit? {
        try catalog.outbox().map { try JSONDecoder().decode(OutgoingCommit.self, from: Data($0)) }
    }

    /// The log has the commit: what it carried is no longer pending.
    ///
    /// - Returns: the documents whose save it was.
    func settle(in catalog: CatalogTransaction) throws -> Set<EntryID> {
        for sent in sent {
            guard var entry = try catalog.entry(sent.id), entry.container == .cloud else { continue }
            let changes = PendingChanges(rawValue: sent.changes)
            if let version = sent.version { entry.contentVersion = version }
            if entry.revision == sent.revision {
                entry.pending.subtract(changes)
                if entry.pending.isEmpty { entry.step = nil }
                entry.error = nil
            } else {
                // It changed since: the container must still hear of the rest. It knows the entry now, also
                // one that somebody had deleted, and that had to be told of anew.
                let isKnown = try CatalogReplica(catalog).entry(sent.id)?.isDeleted == false
                if isKnown || changes.contains(.creation) { entry.pending.remove(.creation) }
            }
            try catalog.update(entry)
        }
        for id in withdrawn { try catalog.deleteWithdrawal(id) }
        for (id, resolution) in resolved where try catalog.pendingResolution(of: id) == resolution {
            try catalog.setResolution(nil, of: id)
        }
        try advanceWithdrawals(catalog)
        try catalog.setOutbox(nil, commit: commit.id)
        return Set(sent.filter { $0.version != nil }.map(\.id))
    }

    /// What was deleted here while its newest version was on its way out was deleted in sight of that.
    private func advanceWithdrawals(_ catalog: CatalogTransaction) throws {
        let versions = Dictionary(sent.compactMap { sent in sent.version.map { (sent.id, $0) } }) { $1 }
        guard !versions.isEmpty else { return }
        for var withdrawal in try catalog.withdrawals() {
            guard let version = versions[withdrawal.id] else { continue }
            withdrawal.seen.append(version)
            try catalog.store(withdrawal)
        }
    }
}
