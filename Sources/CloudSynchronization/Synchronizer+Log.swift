import Library
import Replica
import Backing
import Catalog
import Documents
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Reading the log, and writing to it.
extension Synchronizer {
    /// Applies what other devices committed, up to the end of the log.
    func followLog() async throws {
        try tree.finishWithdrawals()
        var head = try await meetContainer()
        // Mostly there is nothing, or one commit; who is far behind reads more at once with each step.
        var count = 1
        while true {
            let entries = try await log.read(after: head.position, atMost: count)
            if entries.isEmpty { return }
            count = entries.count < count ? 1 : min(count * 2, ReplicatedLog.mostAtOnce)
            cloud.changesAreOfInterest()
            for entry in entries { head = try take(entry, after: head) }
        }
    }

    /// How far the log has been read here; nil before this device has met the container.
    func head() throws -> LogHead? { try store.read { try $0.logHead() } }

    func position() throws -> LogPosition { try head()?.position ?? .start }

    /// Applies one commit and brings the tree in line with it, in one transaction with its position: a
    /// crash can neither lose nor repeat it.
    ///
    /// - Parameter own: the same commit as it was made here, if that is known already.
    /// - Returns: the head of the log with it.
    /// - Throws: `LogError.container` for one that does not follow what was read before.
    @discardableResult
    private func take(_ entry: LogEntry, after head: LogHead, own: OutgoingCommit? = nil) throws -> LogHead {
        do throws(ContainerFault) { try head.check(entry) } catch { throw LogError.container(error) }
        let commit = entry.commit
        return try tree.follow(in: { try $0.folders(concernedBy: commit) }) { catalog in
            var replica = CatalogReplica(catalog, after: head)
            let touched = try apply(commit, to: &replica)
            let newHead = head.advanced(by: entry, state: replica.state)
            try catalog.set(newHead)
            var saved: Set<EntryID> = []
            if try own != nil || catalog.isInOutbox(commit.id) {
                saved = try (own ?? OutgoingCommit.load(from: catalog))?.settle(in: catalog) ?? []
            }
            return (ReplicaChange(replica, touched: touched, saved: saved), newHead)
        }
    }

    /// Sends what is pending and ready, as one commit at the end of the log.
    ///
    /// - Returns: whether there was anything to send.
    func sendPending() async throws -> Bool {
        var hasSent = false
        while try await inspectContainer(), let head = try head(), let outgoing = try prepareCommit() {
            try await onBlockingThread { [self] in try makeDurable(outgoing) }
            let entry = try LogEntry(outgoing.commit, encoded: outgoing.encoded, after: head.link)
            try await confirmEnd(of: head)
            switch try await log.append(entry, at: head.position.next) {
            case .appended:
                try take(entry, after: head, own: outgoing)
                forgetUploads(outgoing)
                try await writeCheckpointIfDue()
                hasSent = true
            case .taken:
                // Another device was first. What it did is applied; what is pending is made a new
                // commit on top of that.
                try dropOutbox(outgoing)
                try await followLog()
            }
        }
        return hasSent
    }

    /// Makes a commit and keeps it durably, so that it is recognised even if its answer is lost. One
    /// that was kept already, perhaps by an earlier life of the process, comes first.
    private func prepareCommit() throws -> OutgoingCommit? {
        try store.write { catalog in
            if let kept = try OutgoingCommit.load(from: catalog) { return kept }
            let draft = try draft(catalog)
            if draft.isEmpty { return nil }
            var random = store.surroundings.random()
            let commit = Commit(
                id: .random(using: &random), device: store.device.id, deviceName: store.device.name,
                time: store.surroundings.now(), changes: draft.changes)
            let outgoing = try OutgoingCommit(
                commit, .init(sent: draft.sent, withdrawn: draft.withdrawn, resolved: draft.resolved))
            try outgoing.store(in: catalog)
            return outgoing
        }
    }

    private func draft(_ catalog: CatalogTransaction) throws -> CommitDraft {
        let uploaded = try currentUploads(catalog)
        var pending: [InodeNumber: Entry] = [:]
        for inode in uploaded.keys {
            if let entry = try catalog.entry(inode), !entry.pending.isEmpty { pending[inode] = entry }
        }
        for entry in try catalog.entriesToDescribe(limit: Self.largestCommit) { pending[entry.inode] = entry }
        var folders = FolderPlaces()
        try folders.measure(&pending, catalog)
        let blocked = try blockedSteps(uploaded, pending, catalog)
        for step in Set(pending.values.compactMap(\.step)).subtracting(blocked) {
            for entry in try catalog.pendingEntries(inStep: step) { pending[entry.inode] = entry }
        }
        let withdrawals = try catalog.withdrawals()
        let ready = pending.values.filter { !$0.needsUpload || uploaded[$0.inode]?.revision == $0.revision }
        try noteFolderTimes(in: &pending, ready: ready, withdrawals: withdrawals, catalog)
        try folders.measure(&pending, catalog)
        return CommitDraft(
            pending: Array(pending.values), blockedSteps: blocked, withdrawals: withdrawals,
            resolutions: try catalog.pendingResolutions(),
            uploaded: uploaded, parents: folders.ids, depths: folders.depths,
            unknownFolders: Set(folders.unknown.map(\.inode)),
            heirs: Set(
                try withdrawals.compactMap(\.heir).filter { try CatalogReplica(catalog).entry($0)?.isDeleted == false }),
            emptied: try emptied(withdrawals, catalog), device: store.device.id)
    }

    /// Of folders that go, what the container still has in them and this device has put elsewhere or removed.
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

    private static let largestCommit = 4096

    /// Contents of which the document still is what they were made from. A commit that was on its way, perhaps
    /// since an earlier life of the process, may have made another one its base: then it is looked at anew.
    private func currentUploads(_ catalog: CatalogTransaction) throws -> [InodeNumber: CommitDraft.Uploaded] {
        let all = uploaded.withLock { $0 }
        let current = try all.filter { inode, content in
            if let entry = try catalog.entry(inode), entry.contentVersion == content.version.base { return true }
            try catalog.abandonUpload(content.version.id)
            return false
        }
        // None is added meanwhile: `keep` takes the catalog's queue, too.
        uploaded.withLock { $0 = current }
        return current
    }

    /// The steps of which some content has not been uploaded, or has not arrived.
    private func blockedSteps(
        _ uploaded: [InodeNumber: CommitDraft.Uploaded], _ pending: [InodeNumber: Entry],
        _ catalog: CatalogTransaction
    ) throws -> Set<Int64> {
        var missing = try catalog.uploadsByStep()
        for (inode, content) in uploaded {
            guard let entry = pending[inode], let step = entry.step, content.revision == entry.revision else {
                continue
            }
            missing[step, default: 0] -= 1
        }
        return Set(missing.filter { $0.value > 0 }.keys).union(try catalog.arrivingSteps())
            .union(try catalog.stepsOfUnfinishedWithdrawals())
    }

    private func dropOutbox(_ outgoing: OutgoingCommit) throws {
        try store.write { try $0.setOutbox(nil, commit: outgoing.commit.id) }
    }
}

/// The folders that pending entries lie in.
private struct FolderPlaces {
    private(set) var ids: [InodeNumber: EntryID] = [:]
    private(set) var depths: [InodeNumber: Int] = [.cloud: 0]
    /// Those that the container does not know yet.
    private(set) var unknown: [Entry] = []

    /// Measures where the entries lie, and adds the folders that must be made for them.
    mutating func measure(_ pending: inout [InodeNumber: Entry], _ catalog: CatalogTransaction) throws {
        for entry in pending.values { try measure(entry.parent, catalog) }
        for folder in unknown { pending[folder.inode] = folder }
    }

    private mutating func measure(_ folder: InodeNumber, _ catalog: CatalogTransaction) throws {
        if ids[folder] != nil { return }
        guard let entry = try catalog.entry(folder), let id = entry.id else { return }
        ids[folder] = id
        if folder == .cloud { return }
        if entry.pending.contains(.creation) || entry.pending.contains(.revival) {
            var missing = entry
            missing.pending.insert(.creation)
            unknown.append(missing)
        }
        try measure(entry.parent, catalog)
        depths[folder] = (depths[entry.parent] ?? 0) + 1
    }
}
