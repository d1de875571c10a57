import Backing
import CLinux
import Catalog
import Documents
import Replica
import Replication
import SystemPackage

/// Withdrawals: deletions that are pending for the container, and the versions that each of them has seen.
final class Withdrawals: LibraryPart {
    let transactions: Transactions

    init(_ transactions: Transactions) { self.transactions = transactions }

    /// Records that an entry is gone from the cloud on this device, so that the container is told.
    ///
    /// - Parameters:
    ///   - step: the number of the pending changes that go into one commit with this one; nil if there are none.
    ///   - heir: the document that the entry was renamed over.
    func withdraw(_ entry: Entry, togetherWith step: Int64? = nil, heir: EntryID? = nil, _ catalog: CatalogTransaction)
        throws
    {
        guard entry.isReplicated, let id = entry.id else { return }
        // Documents that were renamed over this one pass on to the same heir, or end with it.
        for var withdrawal in try catalog.withdrawals(inFavourOf: id) {
            withdrawal.heir = heir
            try catalog.store(withdrawal)
        }
        if try !containerMayKnow(id, catalog) { return }
        let shown = try shownVersions(of: id, hidesNewest: entry.pending.contains(.content), catalog)
        // The deletion covers earlier versions as well: otherwise one of them would become the newest.
        let earlier =
            try heir == nil ? [] : CatalogReplica(catalog).entry(id)?.versions?.superseded.map(\.version.id) ?? []
        let content = [entry.contentVersion].compactMap { $0 }
        try catalog.store(
            Withdrawal(
                id: id, seen: shown + content + earlier, depth: try catalog.depth(of: entry), step: step, heir: heir,
                bequest: shown.filter { !content.contains($0) }))
        cloud.changesAreWaiting()
    }

    /// Whether the container was told of an entry, or may be told by the commit that is on its way.
    func containerMayKnow(_ id: EntryID, _ catalog: CatalogTransaction) throws -> Bool {
        try catalog.replicaRecord(id) != nil || catalog.outbox() != nil
    }

    /// The heads that a listing, a state or an open could have shown. A removal removes the versions that were shown (`Semantics`,
    /// "Conflicts").
    ///
    /// - Parameter hidesNewest: whether a content that was saved here is shown instead of the newest version.
    private func shownVersions(of id: EntryID, hidesNewest: Bool, _ catalog: CatalogTransaction) throws -> [VersionID] {
        guard let versions = try CatalogReplica(catalog).visibleEntry(id, at: surroundings.now())?.versions else {
            return []
        }
        return versions.conflicts.map(\.id) + (hidesNewest ? [] : [versions.current.id])
    }

    /// The versions that this device has seen of a document that left the cloud with its folder.
    func seenVersions(of id: EntryID, _ catalog: CatalogTransaction) throws -> [VersionID] {
        guard let content = try catalog.entry(id)?.contentVersion else {
            return try shownVersions(of: id, hidesNewest: false, catalog)
        }
        return try shownVersions(of: id, hidesNewest: true, catalog) + [content]
    }

    /// Withdraws a document from the cloud that was moved to `local` before its content was here, now that the content is here or not needed
    /// (`Semantics`, "Moving between local and cloud").
    func withdrawIfLeavingCloud(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        guard entry.container == .local, !entry.isHere else { return }
        try withdraw(entry.inCloud, togetherWith: entry.step, catalog)
        entry.step = nil
    }

    /// Completes the withdrawals of a large deletion with the versions that were seen. Must be done before more of the log is applied.
    ///
    /// - Returns: whether more withdrawals may be incomplete.
    func finishWithdrawals(limit: Int, _ catalog: CatalogTransaction) throws -> Bool {
        let unfinished = try catalog.unfinishedWithdrawals(limit: limit)
        for var withdrawal in unfinished {
            withdrawal.seen = try seenVersions(of: withdrawal.id, catalog)
            try catalog.store(withdrawal)
        }
        return unfinished.count == limit
    }
}
