import Catalog
import Documents

/// The names in the container of documents that are on their way out of the cloud, or to another name. If another document got such a name now,
/// devices would see two of one name, and give the second another one.
struct LeavingNames {
    /// How long an entry waits for a name that does not become free, since the content of the document that has it does not come.
    static let longestWait = Duration.seconds(600)
    private static let lookahead = 4096

    private let rows: Rows
    private let now: Timestamp
    /// The documents whose content should have come by now.
    private let late: Set<EntryID>
    private let lateBundles: Set<Int64>

    init(now: Timestamp, _ rows: Rows) throws {
        self.rows = rows
        let arriving = try rows.arrivingEntries(limit: Self.lookahead)
        self.now = now
        let latecomers = arriving.filter { Self.isLate($0, now) }
        late = Set(latecomers.compactMap(\.id))
        lateBundles = Set(latecomers.compactMap(\.bundle))
    }

    /// The deletion of a document, if it can be sent.
    private func withdrawal(of id: EntryID) throws -> Withdrawal? {
        guard let withdrawal = try rows.withdrawal(of: id)?.withLivingHeir(rows),
            !(withdrawal.bundle.map(lateBundles.contains) ?? false)
        else { return nil }
        // It is sent together with an heir that the container does not know, and that one may be waiting for a name.
        if let heir = withdrawal.heir, try rows.replicaIsDeleted(heir) != false { return nil }
        return withdrawal
    }

    private static func isLate(_ entry: Entry, _ now: Timestamp) -> Bool {
        now - entry.changed > longestWait
    }

    /// Leaves out the documents that wait for a name. Each of them keeps the name that it had, so that others may wait for that.
    func leaveOut(_ pending: inout [InodeNumber: Entry], _ folders: [InodeNumber: EntryID]) throws {
        var claims: [Claim] = []
        let ready = Set(pending.keys)
        for entry in pending.values where entry.bundle == nil {
            if let claim = try claim(entry, folders, ready) { claims.append(claim) }
        }
        var leftOut: Set<EntryID> = []
        while let index = claims.firstIndex(where: { $0.isOfLeavingName || !$0.rivals.isDisjoint(with: leftOut) }) {
            let claim = claims.remove(at: index)
            pending[claim.inode] = nil
            leftOut.insert(claim.id)
        }
    }

    /// A document that is to get a name which others have in the container.
    private struct Claim {
        let inode: InodeNumber
        let id: EntryID
        let rivals: Set<EntryID>
        let isOfLeavingName: Bool
    }

    /// - Parameter ready: the entries that can go into the commit.
    private func claim(
        _ entry: Entry, _ folders: [InodeNumber: EntryID], _ ready: Set<InodeNumber>
    ) throws -> Claim? {
        guard !entry.pending.isDisjoint(with: [.creation, .name, .place]), let id = entry.id,
            let name = entry.name?.full, let folder = folders[entry.parent]
        else { return nil }
        let rivals = try rows.replicaDocuments(in: folder, fullName: name).filter { $0 != id }
        if rivals.isEmpty { return nil }
        let isOfLeavingName = try rivals.contains { try isLeaving($0, besides: id, ready) }
        return Claim(inode: entry.inode, id: id, rivals: Set(rivals), isOfLeavingName: isOfLeavingName)
    }

    /// - Parameter heir: is sent together with the deletion of which it is the heir.
    private func isLeaving(_ id: EntryID, besides heir: EntryID, _ ready: Set<InodeNumber>) throws -> Bool {
        if let withdrawal = try withdrawal(of: id) { return withdrawal.heir != heir }
        if late.contains(id) { return false }
        guard let entry = try rows.entry(id) else { return false }
        // A document that a program saved by way of a backup takes its name back together with its content.
        if entry.isReplicated, entry.pending.contains(.creation), !ready.contains(entry.inode) {
            return !Self.isLate(entry, now)
        }
        return entry.location == .local && entry.kind == .document && !entry.isHere
    }
}
