import Replica
import Backing
import Catalog
import CLinux
import Documents
import Replication
import SystemPackage

/// Deletions that the container must hear of, and the versions that each of them has seen.
final class Withdrawals: LibraryPart {
    let transactions: Transactions

    init(
        _ transactions: Transactions
    ) {
        self.transactions = transactions
    }
    /// Tells the container that what this device knew under an id is gone from it.
    ///
    /// - Parameter heir: the document that it was renamed over.
    func withdraw(_ entry: Entry, step: Int64?, heir: EntryID? = nil, _ catalog: CatalogTransaction) throws {
        guard entry.isReplicated, let id = entry.id else { return }
        // What it got from others goes with it, or on with its own.
        for var withdrawal in try catalog.withdrawals(inFavourOf: id) {
            withdrawal.heir = heir
            try catalog.store(withdrawal)
        }
        // What the container never heard of needs no farewell.
        if try catalog.replicaRecord(id) == nil, try catalog.outbox() == nil { return }
        let shown = try shownVersions(of: id, hidesNewest: entry.pending.contains(.content), catalog)
        // What is taken out of it must not leave an earlier version as the newest.
        let earlier =
            try heir == nil ? [] : CatalogReplica(catalog).entry(id)?.versions?.superseded.map(\.version.id) ?? []
        let content = [entry.contentVersion].compactMap { $0 }
        try catalog.store(
            Withdrawal(
                id: id, seen: shown + content + earlier, depth: try catalog.depth(of: entry), step: step, heir: heir,
                bequest: shown.filter { !content.contains($0) }))
        cloud.changesAreWaiting()
    }

    /// The heads that a listing, a state or an open could have told of (PRODUCT 6: what is removed is what was shown).
    ///
    /// - Parameter hidesNewest: whether a content that was made here stands in the place of the newest version.
    private func shownVersions(of id: EntryID, hidesNewest: Bool, _ catalog: CatalogTransaction) throws -> [VersionID] {
        guard let versions = try CatalogReplica(catalog).visibleEntry(id, at: surroundings.now())?.versions else {
            return []
        }
        return versions.conflicts.map(\.id) + (hidesNewest ? [] : [versions.current.id])
    }

    /// The versions of a document that left the cloud with a folder, its content here, that this has seen.
    func seenVersions(of id: EntryID, _ catalog: CatalogTransaction) throws -> [VersionID] {
        guard let content = try catalog.entry(id)?.contentVersion else {
            return try shownVersions(of: id, hidesNewest: false, catalog)
        }
        return try shownVersions(of: id, hidesNewest: true, catalog) + [content]
    }

    /// A document on its way out of the cloud gets its content here, or has no further use for it: the
    /// copy in the cloud goes (PRODUCT 4).
    func withdrawDeparting(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        guard entry.container == .local, !entry.isHere else { return }
        try withdraw(entry.inCloud, step: entry.step, catalog)
        entry.step = nil
    }

    /// Notes of deletions of very many entries at once what was seen of these. To be done before the log is followed further.
    ///
    /// - Returns: whether there may be more.
    func finishWithdrawals(limit: Int, _ catalog: CatalogTransaction) throws -> Bool {
        let unfinished = try catalog.unfinishedWithdrawals(limit: limit)
        for var withdrawal in unfinished {
            withdrawal.seen = try seenVersions(of: withdrawal.id, catalog)
            try catalog.store(withdrawal)
        }
        return unfinished.count == limit
    }
}
