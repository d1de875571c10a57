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

    /// - Returns: nil if nothing is ready to be sent.
    private func draft(_ transaction: Transaction) throws -> CommitDraft? {
        var share = limit.entries
        while true {
            let (draft, goesOn) = try draft(transaction, share: share)
            if !goesOn { return draft.isEmpty ? nil : draft }
            share *= 16
        }
    }

    /// - Returns: also whether more must be looked at, since none of the first ones can go: they may wait for others, as a folder does for what
    ///   was moved out of it and deleted then.
    private func draft(_ transaction: Transaction, share: Int) throws -> (CommitDraft, goesOn: Bool) {
        let uploaded = try uploads.current(transaction)
        var withContent: [InodeNumber: Entry] = [:]
        for inode in uploaded.keys {
            if let entry = try transaction.entry(inode), !entry.pending.isEmpty { withContent[inode] = entry }
        }
        let blocked = try blockedBundles(uploaded, withContent, transaction)
        let bundles = try transaction.pendingBundles().subtracting(blocked)
        let described = try transaction.entriesToDescribe(limit: min(share, Self.mostDescribed))
        let resolutions = try transaction.pendingResolutions()
        let deleted = try transaction.withdrawals(atMost: share)
        var scope = CommitScope(blocked: blocked, transaction)
        for entry in withContent.values { try scope.add(entry) }
        for bundle in bundles { try scope.add(bundle: bundle) }
        for entry in described { try scope.add(entry) }
        for withdrawal in deleted { try scope.add(withdrawal) }
        for id in resolutions.keys { try scope.addBequests(to: id) }
        try scope.complete()
        var (pending, withdrawals) = (scope.pending, scope.withdrawals)
        var folders = ParentFolders()
        try folders.add(foldersOf: &pending, transaction)
        try LeavingNames(now: store.surroundings.now(), transaction).leaveOut(&pending, folders.ids)
        let ready = pending.values.filter { !$0.needsUpload || uploaded[$0.inode]?.goes(with: $0) == true }
        try addFolderTimes(to: &pending, ready: ready, withdrawals: withdrawals, transaction)
        try folders.add(foldersOf: &pending, transaction)
        let draft = CommitDraft(
            pending: Array(pending.values), blockedBundles: blocked, withdrawals: withdrawals,
            resolutions: resolutions,
            uploaded: uploaded, parents: folders.ids, depths: folders.depths,
            unknownFolders: Set(folders.unknown.map(\.inode)),
            heirs: Set(
                try withdrawals.compactMap(\.heir).filter { try transaction.replicaIsDeleted($0) == false }),
            kept: try keptVersions(of: pending.values, transaction), revived: try revived(pending.values, transaction),
            known: try known(pending.values, transaction),
            emptied: try emptied(withdrawals, transaction),
            device: store.device.id, mostBytes: limit.bytes)
        let going = Set(draft.sent.map(\.id) + draft.withdrawn)
        let single = deleted.filter { $0.bundle == nil }
        let first = [
            described.compactMap(\.id), single.filter { $0.heir == nil }.map(\.id),
            single.filter { $0.heir != nil }.map(\.id),
        ]
        return (draft, goesOn: first.contains { $0.count >= share && going.isDisjoint(with: $0) })
    }

    /// The versions of documents whose deletion was undone. Their contents are in the container still.
    private func keptVersions(
        of pending: some Sequence<Entry>, _ rows: Rows
    ) throws -> [EntryID: VersionHistory] {
        var kept: [EntryID: VersionHistory] = [:]
        for entry in pending where entry.kind == .document && entry.pending.contains(.creation) && !entry.needsUpload {
            guard let id = entry.id else { continue }
            // As they are after a choice that goes out with them.
            kept[id] = try CatalogReplica(rows).visibleEntry(id, at: store.surroundings.now())?.versions
        }
        return kept
    }

    private func revived(_ pending: some Sequence<Entry>, _ rows: Rows) throws -> Set<EntryID> {
        Set(
            try pending.filter { $0.pending.contains(.creation) }.compactMap(\.id).filter {
                try rows.replicaIsDeleted($0) == true
            })
    }

    /// A document that a program saved by way of a backup is to be created, since it is not told here whether its removal was sent.
    private func known(_ pending: some Sequence<Entry>, _ rows: Rows) throws -> Set<EntryID> {
        // A new document has no version.
        let continued = pending.filter { $0.pending.contains(.creation) && $0.currentVersion != nil }.compactMap(\.id)
        return Set(try continued.filter { try rows.replicaIsDeleted($0) != nil })
    }

    /// For each deleted folder, the entries that the container still has in it and this device has moved elsewhere or deleted.
    private func emptied(_ withdrawals: [Withdrawal], _ rows: Rows) throws -> [EntryID: [EntryID]] {
        var emptied: [EntryID: [EntryID]] = [:]
        for withdrawal in withdrawals where withdrawal.seen.isEmpty {
            let children = try rows.replicaChildren(of: withdrawal.id).filter { child in
                try rows.hasWithdrawal(child) || rows.entry(child)?.pending.contains(.place) == true
            }
            if !children.isEmpty { emptied[withdrawal.id] = children }
        }
        return emptied
    }

    /// The bundles of which some content has not been uploaded or downloaded yet.
    private func blockedBundles(
        _ uploaded: [InodeNumber: CommitDraft.Uploaded], _ pending: [InodeNumber: Entry],
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

/// The folders that pending entries lie in, and the folders above these.
private struct ParentFolders {
    private(set) var ids: [InodeNumber: EntryID] = [:]
    private(set) var depths: [InodeNumber: Int] = [.cloud: 0]
    /// The folders that the container does not know yet.
    private(set) var unknown: [Entry] = []

    /// Adds the folders that the entries lie in. Those that the container does not know become pending, too.
    mutating func add(foldersOf pending: inout [InodeNumber: Entry], _ rows: Rows) throws {
        for entry in pending.values { try add(entry.parent, rows) }
        // Its time may have been added meanwhile.
        for folder in unknown { pending[folder.inode, default: folder].pending.insert(.creation) }
    }

    private mutating func add(_ folder: InodeNumber, _ rows: Rows) throws {
        if ids[folder] != nil { return }
        guard let entry = try rows.entry(folder), let id = entry.id else { return }
        ids[folder] = id
        if folder == .cloud { return }
        if entry.pending.contains(.creation) || entry.pending.contains(.revival) {
            var missing = entry
            missing.pending.insert(.creation)
            unknown.append(missing)
        }
        try add(entry.parent, rows)
        depths[folder] = (depths[entry.parent] ?? 0) + 1
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
