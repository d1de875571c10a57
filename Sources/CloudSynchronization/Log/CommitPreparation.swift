import Backing
import Catalog
import Documents
import Replica
import Replication

/// Makes a commit of the rows that are pending and of the contents that are uploaded (`CommitDraft` decides which go into it), and keeps
/// it durably until the log has it.
struct CommitPreparation: Sendable {
    let store: DocumentStore
    private let uploads: FinishedUploads

    /// Entries that a commit describes, besides those with a content and those of steps.
    private static let largestCommit = 4096

    init(_ store: DocumentStore, _ uploads: FinishedUploads) {
        self.store = store
        self.uploads = uploads
    }

    /// Makes a commit and stores it in the catalog, so that this device recognizes it even if the answer of the object store is lost.
    /// A commit that is stored already, perhaps by an earlier life of the process, comes first.
    ///
    /// - Returns: nil if nothing is ready to be sent.
    func prepareCommit() throws -> OutgoingCommit? {
        try store.write { catalog in
            if let stored = try OutgoingCommit.load(from: catalog) { return stored }
            let draft = try draft(catalog)
            if draft.isEmpty { return nil }
            let outgoing = try OutgoingCommit(
                Commit(draft.changes, from: store),
                .init(sent: draft.sent, withdrawn: draft.withdrawn, resolved: draft.resolved))
            try outgoing.store(in: catalog)
            return outgoing
        }
    }

    /// Another commit got the position: this one is made anew.
    func dropOutgoing() throws { try store.write { try $0.emptyOutbox() } }

    private func draft(_ catalog: CatalogTransaction) throws -> CommitDraft {
        let uploaded = try uploads.current(catalog)
        var pending: [InodeNumber: Entry] = [:]
        for inode in uploaded.keys {
            if let entry = try catalog.entry(inode), !entry.pending.isEmpty { pending[inode] = entry }
        }
        for entry in try catalog.entriesToDescribe(limit: Self.largestCommit) { pending[entry.inode] = entry }
        var folders = ParentFolders()
        try folders.add(foldersOf: &pending, catalog)
        let withdrawals = try withdrawals(catalog)
        try LeavingNames(withdrawals, now: store.surroundings.now(), catalog).leaveOut(&pending, folders.ids)
        let blocked = try blockedSteps(uploaded, pending, catalog)
        for step in Set(pending.values.compactMap(\.step)).subtracting(blocked) {
            for entry in try catalog.pendingEntries(inStep: step) { pending[entry.inode] = entry }
        }
        let ready = pending.values.filter { !$0.needsUpload || uploaded[$0.inode]?.goes(with: $0) == true }
        try addFolderTimes(to: &pending, ready: ready, withdrawals: withdrawals, catalog)
        try folders.add(foldersOf: &pending, catalog)
        return CommitDraft(
            pending: Array(pending.values), blockedSteps: blocked, withdrawals: withdrawals,
            resolutions: try catalog.pendingResolutions(),
            uploaded: uploaded, parents: folders.ids, depths: folders.depths,
            unknownFolders: Set(folders.unknown.map(\.inode)),
            heirs: Set(
                try withdrawals.compactMap(\.heir).filter { try CatalogReplica(catalog).entry($0)?.isDeleted == false }),
            kept: try keptVersions(of: pending.values, catalog), revived: try revived(pending.values, catalog),
            known: try known(pending.values, catalog),
            emptied: try emptied(withdrawals, catalog),
            device: store.device.id)
    }

    private func withdrawals(_ catalog: CatalogTransaction) throws -> [Withdrawal] {
        try catalog.withdrawals().map { withdrawal in
            // An heir that was deleted meanwhile inherits nothing.
            guard let heir = withdrawal.heir, try catalog.entry(heir)?.isReplicated != true,
                try CatalogReplica(catalog).entry(heir)?.isDeleted == true
            else { return withdrawal }
            var withdrawal = withdrawal
            (withdrawal.heir, withdrawal.bequest) = (nil, [])
            return withdrawal
        }
    }

    /// The versions of documents whose deletion was undone. Their contents are in the container still.
    private func keptVersions(
        of pending: some Sequence<Entry>, _ catalog: CatalogTransaction
    ) throws -> [EntryID: VersionHistory] {
        var kept: [EntryID: VersionHistory] = [:]
        for entry in pending where entry.kind == .document && entry.pending.contains(.creation) && !entry.needsUpload {
            guard let id = entry.id else { continue }
            // As they are after a choice that goes out with them.
            kept[id] = try CatalogReplica(catalog).visibleEntry(id, at: store.surroundings.now())?.versions
        }
        return kept
    }

    private func revived(_ pending: some Sequence<Entry>, _ catalog: CatalogTransaction) throws -> Set<EntryID> {
        Set(
            try pending.filter { $0.pending.contains(.creation) }.compactMap(\.id).filter {
                try CatalogReplica(catalog).entry($0)?.isDeleted == true
            })
    }

    /// A document that a program saved by way of a backup is to be created, since it is not told here whether its removal was sent.
    private func known(_ pending: some Sequence<Entry>, _ catalog: CatalogTransaction) throws -> Set<EntryID> {
        // A new document has no version.
        let continued = pending.filter { $0.pending.contains(.creation) && $0.currentVersion != nil }.compactMap(\.id)
        return Set(try continued.filter { try catalog.replicaRecord($0) != nil })
    }

    /// For each deleted folder, the entries that the container still has in it and this device has moved elsewhere or deleted.
    private func emptied(_ withdrawals: [Withdrawal], _ catalog: CatalogTransaction) throws -> [EntryID: [EntryID]] {
        var emptied: [EntryID: [EntryID]] = [:]
        for withdrawal in withdrawals where withdrawal.seen.isEmpty {
            let children = try catalog.replicaChildren(of: withdrawal.id).filter { child in
                try catalog.hasWithdrawal(child) || catalog.entry(child)?.pending.contains(.place) == true
            }
            if !children.isEmpty { emptied[withdrawal.id] = children }
        }
        return emptied
    }

    /// The steps of which some content has not been uploaded or downloaded yet.
    private func blockedSteps(
        _ uploaded: [InodeNumber: CommitDraft.Uploaded], _ pending: [InodeNumber: Entry],
        _ catalog: CatalogTransaction
    ) throws -> Set<Int64> {
        var missing = try catalog.uploadsByStep()
        for (inode, content) in uploaded {
            guard let entry = pending[inode], let step = entry.step, content.goes(with: entry) else {
                continue
            }
            missing[step, default: 0] -= 1
        }
        return Set(missing.filter { $0.value > 0 }.keys).union(try catalog.arrivingSteps())
            .union(try catalog.stepsOfUnfinishedWithdrawals())
    }
}

/// The folders that pending entries lie in, and the folders above these.
private struct ParentFolders {
    private(set) var ids: [InodeNumber: EntryID] = [:]
    private(set) var depths: [InodeNumber: Int] = [.cloud: 0]
    /// The folders that the container does not know yet.
    private(set) var unknown: [Entry] = []

    /// Adds the folders that the entries lie in. Those that the container does not know become pending, too.
    mutating func add(foldersOf pending: inout [InodeNumber: Entry], _ catalog: CatalogTransaction) throws {
        for entry in pending.values { try add(entry.parent, catalog) }
        for folder in unknown { pending[folder.inode] = folder }
    }

    private mutating func add(_ folder: InodeNumber, _ catalog: CatalogTransaction) throws {
        if ids[folder] != nil { return }
        guard let entry = try catalog.entry(folder), let id = entry.id else { return }
        ids[folder] = id
        if folder == .cloud { return }
        if entry.pending.contains(.creation) || entry.pending.contains(.revival) {
            var missing = entry
            missing.pending.insert(.creation)
            unknown.append(missing)
        }
        try add(entry.parent, catalog)
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
}
