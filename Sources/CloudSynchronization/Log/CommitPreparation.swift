import Backing
import Catalog
import Documents
import Replica
import Replication

/// Makes a commit of the rows that are pending and of the contents that are uploaded, and keeps it durably until the log has it. `CommitScope`
/// decides what goes together, `CommitDraft` what is ready, and in which order it goes.
struct CommitPreparation: Sendable {
    let store: DocumentStore
    private let uploads: FinishedUploads

    private let limit: CommitLimit
    private let nameWaits = NameWaits()
    /// Entries that are looked at where the first ones cannot go.
    private static let mostDescribed = 4096

    init(_ store: DocumentStore, _ uploads: FinishedUploads, _ limit: CommitLimit) {
        self.store = store
        self.uploads = uploads
        self.limit = limit
    }

    /// Makes a commit and stores it in the catalog, so that this device recognizes it even if the answer of the object store is lost.
    /// A commit that is stored already, perhaps by an earlier life of the process, comes first.
    ///
    /// - Returns: nil if nothing is ready to be sent.
    func prepareCommit() throws -> OutgoingCommit? {
        try store.write { transaction in
            if let stored = try OutgoingCommit.load(from: transaction) { return stored }
            guard let draft = try draft(transaction) else { return nil }
            let outgoing = try OutgoingCommit(
                Commit(draft.changes, from: store),
                .init(sent: draft.sent, withdrawn: draft.withdrawn, resolved: draft.resolved))
            try outgoing.store(in: transaction)
            return outgoing
        }
    }

    /// Another commit got the position: this one is made anew.
    func dropOutgoing() throws { try store.write { try $0.emptyOutbox() } }

    /// How many of the first ones are looked at.
    private struct Share {
        var described: Int
        var single: Int
        var inherited: Int

        /// Whether more must be looked at, since none of these can go: they may wait for others, as a folder does for what was moved out of it and
        /// deleted then.
        mutating func grow(afterNoneOf described: [EntryID], _ deleted: [Withdrawal], in draft: CommitDraft) -> Bool {
            let going = Set(draft.sent.map(\.id) + draft.withdrawn)
            func grow(_ share: inout Int, _ looked: [EntryID]) -> Bool {
                guard looked.count >= share, going.isDisjoint(with: looked) else { return false }
                share *= 16
                return true
            }
            let single = deleted.filter { $0.bundle == nil }
            // Each of them, whatever the others do.
            return [
                grow(&self.described, described), grow(&self.single, single.filter { $0.heir == nil }.map(\.id)),
                grow(&inherited, single.filter { $0.heir != nil }.map(\.id)),
            ].contains(true)
        }
    }

    /// - Returns: nil if nothing is ready to be sent.
    private func draft(_ transaction: Transaction) throws -> CommitDraft? {
        var share = Share(described: limit.entries, single: limit.entries, inherited: limit.entries)
        try nameWaits.forgetGone(transaction)
        while true {
            let described = try transaction.entriesToDescribe(limit: min(share.described, Self.mostDescribed))
            let deleted = try transaction.withdrawals(single: share.single, inherited: share.inherited)
            let draft = try draft(described, deleted, transaction)
            if !share.grow(afterNoneOf: described.compactMap(\.id), deleted, in: draft) {
                return draft.isEmpty ? nil : draft
            }
        }
    }

    /// - Parameters:
    ///   - described: entries that need no upload.
    ///   - deleted: deletions; those of bundles are among them.
    private func draft(
        _ described: [Entry], _ deleted: [Withdrawal], _ transaction: Transaction
    ) throws -> CommitDraft {
        let now = store.surroundings.now()
        var facts = try facts(described, deleted, now: now, transaction)
        let needs = try CommitNeeds(of: facts, transaction)
        func settle(_ facts: CommitFacts) -> CommitDraft {
            needs.settle(nameWaits, now: now) { waiting in
                CommitDraft(facts, without: waiting, device: store.device.id, mostBytes: limit.bytes)
            }
        }
        var ready = facts.pending.values.filter(facts.isReady)
        if !needs.isEmpty {
            let first = settle(facts)
            let going = Set(first.sent.map(\.id))
            // What waits for its name changes nothing in a folder yet.
            ready.removeAll { entry in
                entry.id.map { !(entry.isToBeNamed ? first.named : going).contains($0) } ?? true
            }
        }
        try addFolderTimes(to: &facts.pending, ready: ready, withdrawals: facts.withdrawals, transaction)
        try facts.folders.add(foldersOf: &facts.pending, transaction)
        return settle(facts)
    }

    /// Reads what the changes need that were chosen, and what is known of them.
    private func facts(
        _ described: [Entry], _ deleted: [Withdrawal], now: Timestamp, _ transaction: Transaction
    ) throws -> CommitFacts {
        var facts = CommitFacts()
        facts.uploaded = try uploads.current(transaction)
        facts.resolutions = try transaction.pendingResolutions()
        var withContent: [InodeNumber: Entry] = [:]
        for inode in facts.uploaded.keys {
            if let entry = try transaction.entry(inode), !entry.pending.isEmpty { withContent[inode] = entry }
        }
        facts.blockedBundles = try blockedBundles(facts.uploaded, withContent, transaction)
        var scope = CommitScope(blocked: facts.blockedBundles, limit, now: now, transaction)
        for entry in withContent.values { try scope.add(entry) }
        for bundle in try transaction.pendingBundles().subtracting(facts.blockedBundles) {
            try scope.add(bundle: bundle)
        }
        for entry in described { try scope.add(entry) }
        for withdrawal in deleted { try scope.add(withdrawal) }
        for id in facts.resolutions.keys { try scope.addBequests(to: id) }
        try scope.complete()
        facts.pending = scope.pending
        facts.withdrawals = scope.withdrawals
        (facts.rivals, facts.namesakes) = (scope.rivals, scope.namesakes)
        try facts.folders.add(foldersOf: &facts.pending, transaction)
        facts.heirs = Set(
            try facts.withdrawals.compactMap(\.heir).filter { try transaction.replicaIsDeleted($0) == false })
        facts.kept = try keptVersions(of: facts.pending.values, now: now, transaction)
        facts.revived = try revived(facts.pending.values, transaction)
        facts.emptied = try emptied(facts.withdrawals, transaction)
        return facts
    }

    /// The versions of documents whose deletion was undone. Their contents are in the container still.
    private func keptVersions(
        of pending: some Sequence<Entry>, now: Timestamp, _ rows: Rows
    ) throws -> [EntryID: VersionHistory] {
        var kept: [EntryID: VersionHistory] = [:]
        for entry in pending where entry.kind == .document && entry.pending.contains(.creation) && !entry.needsUpload {
            guard let id = entry.id else { continue }
            // As they are after a choice that goes out with them.
            kept[id] = try CatalogReplica(rows).visibleEntry(id, at: now)?.versions
        }
        return kept
    }

    private func revived(_ pending: some Sequence<Entry>, _ rows: Rows) throws -> Set<EntryID> {
        Set(
            try pending.filter { $0.pending.contains(.creation) }.compactMap(\.id).filter {
                try rows.replicaIsDeleted($0) == true
            })
    }

    /// For each deleted folder, the entries that the container still has in it and this device has moved elsewhere or deleted.
    private func emptied(_ withdrawals: [Withdrawal], _ rows: Rows) throws -> [EntryID: [EntryID]] {
        var emptied: [EntryID: [EntryID]] = [:]
        for withdrawal in withdrawals where withdrawal.seen.isEmpty {
            let children = try rows.replicaChildren(of: withdrawal.id).filter { child in
                try rows.isToLeaveItsPlace(child)
            }
            if !children.isEmpty { emptied[withdrawal.id] = children }
        }
        return emptied
    }

    /// The bundles of which some content has not been uploaded or downloaded yet.
    private func blockedBundles(
        _ uploaded: [InodeNumber: CommitFacts.Uploaded], _ pending: [InodeNumber: Entry],
        _ rows: Rows
    ) throws -> Set<Int64> {
        var missing = try rows.uploadsByBundle()
        for (inode, content) in uploaded {
            guard let entry = pending[inode], let bundle = entry.bundle, content.goes(with: entry) else {
                continue
            }
            missing[bundle, default: 0] -= 1
        }
        return Set(missing.filter { $0.value > 0 }.keys).union(try rows.arrivingBundles())
            .union(try rows.bundlesOfUnfinishedWithdrawals())
    }
}

extension Commit {
    /// A commit that this device makes now.
    init(_ changes: [Change], from store: DocumentStore) {
        var random = store.surroundings.random()
        self.init(
            id: .random(using: &random), device: store.device.id, deviceName: store.device.name,
            time: store.surroundings.now(), changes: changes)
    }

    /// - Parameters:
    ///   - newKey: the key object of the key that is announced.
    ///   - removed: the devices that it is kept from.
    init(newKey: [UInt8], removing removed: [DeviceID], from store: DocumentStore) {
        var random = store.surroundings.random()
        self.init(
            id: .random(using: &random), device: store.device.id, deviceName: store.device.name,
            time: store.surroundings.now(), newKey: newKey, removing: removed)
    }
}

extension Withdrawal {
    /// An heir that was deleted meanwhile inherits nothing.
    func withLivingHeir(_ rows: Rows) throws -> Withdrawal {
        guard let heir, try rows.entry(heir)?.isReplicated != true,
            try rows.replicaIsDeleted(heir) == true
        else { return self }
        var withdrawal = self
        (withdrawal.heir, withdrawal.bequest) = (nil, [])
        return withdrawal
    }
}
