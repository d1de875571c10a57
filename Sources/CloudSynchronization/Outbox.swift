import Library
import Replica
import Catalog
import Documents
import FoundationEssentials
import Replication

/// A commit on its way, with what it settles here once the log has it. Kept durably before it is
/// sent: the store may take it without our hearing of it, and the next life of this process must
/// recognise it as its own.
struct OutgoingCommit: Sendable {
    /// What of an entry the commit carries.
    struct Sent: Codable, Sendable {
        var id: EntryID
        /// The entry's revision when the commit was made: later changes remain to be sent.
        var revision: Int64
        /// `PendingChanges.rawValue`
        var changes: Int
        /// The version it carries, if any.
        var version: VersionID?
        /// Whether it creates the entry without its extended attributes, which are too large for this commit.
        var postponesAttributes = false
    }

    /// What it settles here.
    struct Settlement: Codable, Sendable {
        var sent: [Sent]
        /// Deletions that it carries.
        var withdrawn: [EntryID]
        /// Choices among versions that it carries.
        var resolved: [EntryID: Resolution]
    }

    let commit: Commit
    /// The commit as the log gets it: made once, since that takes long where it is large.
    let encoded: [UInt8]
    let settlement: Settlement

    init(_ commit: Commit, _ settlement: Settlement) throws(CommitError) {
        self.commit = commit
        self.settlement = settlement
        encoded = try commit.encoded()
    }

    // Both parts are JSON, a line each.

    func store(in catalog: CatalogTransaction) throws {
        try catalog.setOutbox(encoded + [Self.newline] + Array(try JSONEncoder().encode(settlement)), commit: commit.id)
    }

    static func load(from catalog: CatalogTransaction) throws -> OutgoingCommit? {
        guard let record = try catalog.outbox() else { return nil }
        let lines = record.split(separator: newline, maxSplits: 1)
        guard lines.count == 2 else { throw CommitError.malformed("the commit on its way") }
        return try OutgoingCommit(
            try Commit.decode(Array(lines[0])), JSONDecoder().decode(Settlement.self, from: Data(lines[1])))
    }

    private static let newline = UInt8(ascii: "\n")

    /// The log has the commit: what it carried is no longer pending.
    ///
    /// - Returns: the documents whose save it was.
    func settle(in catalog: CatalogTransaction) throws -> Set<EntryID> {
        for sent in settlement.sent {
            guard var entry = try catalog.entry(sent.id), entry.container == .cloud else { continue }
            let changes = PendingChanges(rawValue: sent.changes)
            // Unless something was saved meanwhile that was made from an older version.
            if let version = sent.version, entry.contentVersion == base(of: version) { entry.contentVersion = version }
            let isCurrent = entry.revision == sent.revision
            if isCurrent {
                entry.pending.subtract(changes)
                entry.error = nil
            }
            // If it changed since, the container must still hear of the rest. It knows the entry now, also one that
            // somebody had deleted, and that had to be told of anew; unless that did not bring it back.
            if entry.pending.contains(.creation) {
                let isKnown = try CatalogReplica(catalog).entry(sent.id)?.isDeleted == false
                if isKnown || changes.contains(.creation) {
                    entry.pending.remove(.creation)
                } else if entry.kind == .document {
                    entry.pending.insert(.content)
                }
            }
            if sent.postponesAttributes { entry.pending.insert(.attributes) }
            if isCurrent, entry.pending.isEmpty { entry.step = nil }
            try catalog.update(entry)
        }
        for id in settlement.withdrawn { try catalog.deleteWithdrawal(id) }
        for (id, resolution) in settlement.resolved where try catalog.pendingResolution(of: id) == resolution {
            try catalog.setResolution(nil, of: id)
        }
        try advanceWithdrawals(catalog)
        try catalog.setOutbox(nil, commit: commit.id)
        return Set(settlement.sent.filter { $0.version != nil }.map(\.id))
    }

    /// Of a version that the commit carries.
    private func base(of version: VersionID) -> VersionID? {
        for change in commit.changes {
            switch change {
            case .save(_, let saved) where saved.id == version: return saved.base
            case .create(let entry) where entry.versions?.current.id == version: return entry.versions?.current.base
            default: continue
            }
        }
        return nil
    }

    /// What was deleted here while its newest version was on its way out was deleted in sight of that.
    private func advanceWithdrawals(_ catalog: CatalogTransaction) throws {
        let versions = Dictionary(settlement.sent.compactMap { sent in sent.version.map { (sent.id, $0) } }) { $1 }
        guard !versions.isEmpty else { return }
        for var withdrawal in try catalog.withdrawals() {
            guard let version = versions[withdrawal.id] else { continue }
            withdrawal.seen.append(version)
            try catalog.store(withdrawal)
        }
    }
}
