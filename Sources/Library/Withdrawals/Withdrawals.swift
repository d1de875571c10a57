import Backing
import CLinux
import Catalog
import Documents
import Logging
import Replica
import Replication
import SystemPackage

/// Withdrawals: deletions that are pending for the container, and the versions that each of them has seen.
final class Withdrawals: Transacting {
    let transactions: Transactions
    let device: Device
    let backing: BackingStore
    let openFiles: OpenFiles
    let cloud: any ContentSource

    init(
        _ transactions: Transactions, device: Device, backing: BackingStore, openFiles: OpenFiles,
        cloud: any ContentSource
    ) {
        self.transactions = transactions
        self.device = device
        self.backing = backing
        self.openFiles = openFiles
        self.cloud = cloud
    }

    /// Records that an entry is gone from the cloud on this device, so that the container is told.
    ///
    /// - Parameters:
    ///   - bundle: the number of the pending changes that go into one commit with this one; nil if there are none.
    ///   - heir: the document that the entry was renamed over.
    ///   - leavesConflicts: whether its conflict versions stay a document.
    func withdraw(
        _ entry: Entry, togetherWith bundle: Int64? = nil, heir: EntryID? = nil, leavesConflicts: Bool = false,
        _ transaction: Transaction
    ) throws {
        guard entry.isReplicated, let id = entry.id else { return }
        let replica = CatalogReplica(transaction)
        // Before those pass on that were renamed over this one: a commit on its way may tell that this one inherits.
        var shown = try shownVersions(of: id, hidesNewest: entry.pending.contains(.content), replica)
        // Documents that were renamed over this one pass on to the same heir. Otherwise their versions become this one's before it is deleted,
        // so that they come back with it; that takes a document which the container knows.
        let isDeleted = try transaction.replicaIsDeleted(id)
        for var withdrawal in try transaction.withdrawals(inFavourOf: id) where heir != nil || isDeleted != false {
            withdrawal.heir = heir
            if leavesConflicts { withdrawal.seen.removeAll(where: withdrawal.bequest.contains) }
            try transaction.store(withdrawal)
        }
        if isDeleted == nil, try !transaction.hasOutbox() { return }
        let left = leavesConflicts ? Set(shown.prefix(entry.conflicts)) : []
        shown.removeAll(where: left.contains)
        // The deletion covers earlier versions as well: otherwise one of them would become the newest.
        let earlier =
            try heir == nil ? [] : replica.entry(id)?.versions?.superseded.map(\.version.id) ?? []
        let content = [entry.contentVersion].compactMap { $0 }.filter { !left.contains($0) }
        try transaction.store(
            Withdrawal(
                id: id, seen: shown + content + earlier, depth: try transaction.depth(of: entry), bundle: bundle,
                heir: heir,
                bequest: shown.filter { !content.contains($0) }))
        cloud.changesAreWaiting()
    }

    /// Whether the container knows nothing of an entry, so that it need not hear of its end either.
    func isUntold(_ entry: Entry, _ rows: Rows) throws -> Bool {
        guard entry.isReplicated, let id = entry.id else { return true }
        return try entry.currentVersion == nil && !containerMayKnow(id, rows)
            && rows.withdrawals(inFavourOf: id).isEmpty
    }

    /// Whether the container was told of an entry, or may be told by the commit that is on its way.
    func containerMayKnow(_ id: EntryID, _ rows: Rows) throws -> Bool {
        try rows.replicaIsDeleted(id) != nil || rows.hasOutbox()
    }

    /// The leaves that a listing, a state or an open could have shown. A removal removes the versions that were shown (`Semantics`,
    /// "Conflicts").
    ///
    /// - Parameter hidesNewest: whether a content that was saved here is shown instead of the newest version.
    private func shownVersions(of id: EntryID, hidesNewest: Bool, _ replica: CatalogReplica) throws -> [VersionID] {
        let leaves = try replica.visibleLeaves(of: id, at: surroundings.now())
        return Array(leaves.dropFirst() + (hidesNewest ? [] : leaves.prefix(1)))
    }

    /// The versions that this device has seen of a document that left the cloud with its folder.
    func seenVersions(of id: EntryID, _ rows: Rows) throws -> [VersionID] {
        guard let content = try rows.entry(id)?.contentVersion else {
            return try shownVersions(of: id, hidesNewest: false, CatalogReplica(rows))
        }
        return try shownVersions(of: id, hidesNewest: true, CatalogReplica(rows)) + [content]
    }

    /// A document that was removed is made anew. If the commit with its last content reached the log between, its withdrawal has seen that
    /// version, and what is saved now replaces it.
    func adoptVersionSentMeanwhile(_ entry: inout Entry, _ id: EntryID, _ rows: Rows) throws {
        guard let seen = try rows.withdrawal(of: id)?.seen,
            let current = try CatalogReplica(rows).entry(id)?.versions?.current, seen.contains(current.id),
            current.device == device.id, current.base == entry.contentVersion
        else { return }
        entry.currentVersion = current.id
        entry.contentVersion = current.id
    }

    /// The content that an entry waits for is here, or no longer needed. A document that was moved to `local` before its content was here is
    /// withdrawn from the cloud now (`Semantics`, "Moving between local and cloud").
    func withdrawIfLeavingCloud(_ entry: inout Entry, _ transaction: Transaction) throws {
        if entry.isHere { return }
        if entry.awaited != nil {
            // The deletion of the document that it was is recorded, and waited for the content by its bundle.
            entry.awaited = nil
            entry.bundle = nil
            return cloud.changesAreWaiting()
        }
        guard entry.location == .local else { return }
        try withdraw(entry.inCloud, togetherWith: entry.bundle, transaction)
        entry.bundle = nil
    }

    /// Ends the identity of an entry, which becomes scratch. For a document this is leaving the cloud: what is not here is fetched before the
    /// container hears of the deletion.
    ///
    /// - Parameters:
    ///   - source: the entry as it was.
    ///   - bundle: joins the deletion with the contents that it waits for.
    func leaveAsScratch(
        _ entry: inout Entry, from source: Entry, bundle: @autoclosure () throws -> Int64, _ transaction: Transaction
    ) throws {
        try requireKeptConflicts(of: source, transaction)
        entry.position = positionBeside(entry)
        guard let content = try contentToFetch(of: source, transaction) else {
            // A program renames a document in conflict to a backup only when it saves. If it does not make the document anew, the other
            // versions are the document.
            try withdraw(source, leavesConflicts: true, transaction)
            return entry.dropIdentity()
        }
        let bundle = try bundle()
        try withdraw(source.inCloud, togetherWith: bundle, leavesConflicts: true, transaction)
        try setOlderFileAside(of: source, transaction)
        entry.dropIdentity()
        try entry.wait(for: content)
        entry.bundle = bundle
    }

    /// The container cannot keep the conflict versions of a document that it has as deleted, which was brought back here a moment ago, when
    /// that document ends.
    func requireKeptConflicts(of source: Entry, _ rows: Rows) throws {
        guard source.conflicts > 0, source.pending.contains(.creation), let id = source.id,
            try rows.replicaIsDeleted(id) == true || rows.hasOutbox()
        else { return }
        throw RenameRefusal.migration(.inConflict)
    }

    /// The content that another entry must fetch if it takes over the content of `source`; nil if that is here.
    func contentToFetch(of source: Entry, _ rows: Rows) throws -> AwaitedContent? {
        if source.kind != .document || source.isBackingCurrent || openFiles.isOpenForWriting(source.inode) {
            return nil
        }
        if let awaited = try source.awaitedContent() { return awaited }
        guard let id = source.id,
            let version = try CatalogReplica(rows).visibleEntry(id, at: surroundings.now())?.versions?.current
        else { throw Refusal.noKnownContent }
        return AwaitedContent(document: id, version: version)
    }

    /// The newest content is to be fetched, so the file with an older one is not needed. Handles that read it keep it.
    func setOlderFileAside(of source: Entry, _ transaction: Transaction) throws {
        guard source.isHere else { return }
        openFiles.detach(source.inode, transaction)
        let folder = try backing.folder(source.parent, transaction)
        try folder.keepingTime { () throws(Errno) in
            try backing.setAside(source.filename, of: source.inode, in: folder, transaction)
        }
        backing.discardSetAside(source.inode, after: transaction)
    }

    /// Completes the withdrawals of a large deletion with the versions that were seen. Must be done before more of the log is applied.
    ///
    /// - Returns: whether more withdrawals may be incomplete.
    func finishWithdrawals(limit: Int, _ transaction: Transaction) throws -> Bool {
        let unfinished = try transaction.unfinishedWithdrawals(limit: limit)
        for var withdrawal in unfinished {
            withdrawal.seen = try seenVersions(of: withdrawal.id, transaction)
            try transaction.store(withdrawal)
        }
        return unfinished.count == limit
    }
}
