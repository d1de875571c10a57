import Catalog
import Documents
import FoundationEssentials
import Replica
import Replication

/// A commit that is being sent, with the pending work that it carries. It is stored durably before it is sent: the object store may
/// accept it and the answer may be lost, and then the next life of this process must recognize the commit as its own.
struct OutgoingCommit: Sendable {
    /// The part of an entry's pending changes that the commit carries.
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

    /// The pending work that the commit carries.
    struct Carried: Codable, Sendable {
        var sent: [Sent]
        /// Deletions.
        var withdrawn: [EntryID]
        /// Choices among conflict versions.
        var resolved: [EntryID: Resolution]
    }

    let commit: Commit
    /// The commit as the log gets it: made once, since that takes long where it is large.
    let encoded: [UInt8]
    let carried: Carried

    init(_ commit: Commit, _ carried: Carried) throws(CommitError) {
        self.commit = commit
        self.carried = carried
        encoded = try commit.encoded()
    }

    // Both parts are stored as JSON, one line each.

    func store(in transaction: Transaction) throws {
        try transaction.setOutbox(
            encoded + [Self.newline] + Array(try JSONEncoder().encode(carried)), commit: commit.id)
    }

    static func load(from rows: Rows) throws -> OutgoingCommit? {
        guard let record = try rows.outbox() else { return nil }
        let lines = record.split(separator: newline, maxSplits: 1)
        guard lines.count == 2 else { throw CommitError.malformed("the stored commit that is being sent") }
        return try OutgoingCommit(
            try Commit.decode(Array(lines[0])), JSONDecoder().decode(Carried.self, from: Data(lines[1])))
    }

    private static let newline = UInt8(ascii: "\n")

    /// The log has the commit, so the work that it carried is no longer pending.
    ///
    /// - Returns: the documents of which it carried a content.
    func clearPending(in transaction: Transaction) throws -> Set<EntryID> {
        for sent in carried.sent {
            guard var entry = try transaction.entry(sent.id), entry.location == .cloud else { continue }
            let changes = PendingChanges(rawValue: sent.changes)
            // Not if the document meanwhile got a content that was made from an older version.
            if let version = sent.version, entry.contentVersion == base(of: version) { entry.contentVersion = version }
            if let version = sent.version { try discard(version, unlessWantedFor: entry, transaction) }
            let isCurrent = entry.revision == sent.revision
            if isCurrent {
                entry.pending.subtract(changes)
                entry.error = nil
            }
            // If the entry changed since, the rest is still pending. The container knows the entry now, even one that another device had
            // deleted and that was sent again, unless sending it did not restore it.
            if entry.pending.contains(.creation) {
                let isKnown = try transaction.replicaIsDeleted(sent.id) == false
                if isKnown || changes.contains(.creation) {
                    entry.pending.remove(.creation)
                } else if entry.kind == .document {
                    entry.pending.insert(.content)
                }
            }
            if sent.postponesAttributes { entry.pending.insert(.attributes) }
            if isCurrent, entry.pending.isEmpty { entry.bundle = nil }
            try transaction.update(entry)
        }
        for id in carried.withdrawn { try transaction.deleteWithdrawal(id) }
        for (id, resolution) in carried.resolved where try transaction.pendingResolution(of: id) == resolution {
            try transaction.setResolution(nil, of: id)
        }
        try advanceWithdrawals(transaction)
        try transaction.emptyOutbox()
        return Set(carried.sent.filter { $0.version != nil }.map(\.id))
    }

    /// Somebody chose another version while the commit with the newest one was being sent: the choice has seen that one.
    private func discard(_ version: VersionID, unlessWantedFor entry: Entry, _ transaction: Transaction) throws {
        guard !entry.pending.contains(.content), let id = entry.id,
            var choice = try transaction.pendingResolution(of: id), choice != carried.resolved[id]
        else { return }
        choice.discarded.append(version)
        try transaction.store(choice, of: id)
    }

    /// The base of a version that the commit carries.
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

    /// A document that was deleted here while the commit with its newest version was being sent: the deletion has seen that version.
    private func advanceWithdrawals(_ transaction: Transaction) throws {
        let versions = Dictionary(carried.sent.compactMap { sent in sent.version.map { (sent.id, $0) } }) { $1 }
        for (id, version) in versions {
            guard var withdrawal = try transaction.withdrawal(of: id) else { continue }
            withdrawal.seen.append(version)
            try transaction.store(withdrawal)
        }
    }
}
