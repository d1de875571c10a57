import Catalog
import Documents
import FoundationEssentials
import Replication

/// The committed state of the container in the catalog, for reading. It is used within one transaction.
package struct CatalogReplica {
    /// Entries are read several times, and decoding takes most of the time.
    private final class DecodedEntries {
        var entries: [EntryID: ReplicaEntry]

        init(_ entries: [EntryID: ReplicaEntry]) { self.entries = entries }
    }

    private let rows: Rows
    private let decoded: DecodedEntries

    package init(_ rows: Rows) { self.init(rows, known: [:]) }

    /// - Parameter known: entries that need not be read.
    init(_ rows: Rows, known: [EntryID: ReplicaEntry]) {
        self.rows = rows
        decoded = DecodedEntries(known)
    }

    package func entry(_ id: EntryID) throws -> ReplicaEntry? {
        if let known = decoded.entries[id] { return known }
        let entry = try rows.replicaRecord(id).map(Self.decode)
        decoded.entries[id] = entry
        return entry
    }

    /// An entry as this device shows it: the committed one, with deletions and choices of versions that are pending here. Of one that is deleted
    /// and back here, it has the versions that it will have.
    package func visibleEntry(_ id: EntryID, at time: Timestamp) throws -> ReplicaEntry? {
        guard var entry = try entry(id) else { return nil }
        for withdrawal in try rows.withdrawals(inFavourOf: id) {
            let leaves = try self.entry(withdrawal.id)?.versions?.leaves ?? []
            entry = entry.inheriting(leaves.filter { withdrawal.bequest.contains($0.id) }, from: withdrawal.id)
        }
        guard let resolution = try rows.pendingResolution(of: id) else { return entry }
        guard let deleted = entry.deleted, try rows.entry(id)?.pending.contains(.creation) == true else {
            return entry.resolved(by: resolution, at: time)
        }
        // First it is created anew, then the choice is made among its versions (`CommitDraft`).
        entry.deleted = nil
        entry = entry.resolved(by: resolution, at: time)
        entry.deleted = deleted
        return entry
    }

    /// The leaves of a document as this device shows it, the current version first; none for what is no document. Without decoding the entry,
    /// which takes most of the time of a removal, unless a choice is pending or the leaves are not stored by themselves yet.
    package func visibleLeaves(of id: EntryID, at time: Timestamp) throws -> [VersionID] {
        let isAsCommitted = try rows.withdrawals(inFavourOf: id).isEmpty && rows.resolution(of: id) == nil
        if isAsCommitted, let leaves = try rows.replicaLeaves(of: id) { return leaves }
        return try visibleEntry(id, at: time)?.versions?.leaves.map(\.id) ?? []
    }

    static func decode(_ record: [UInt8]) throws -> ReplicaEntry {
        try JSONDecoder().decode(ReplicaEntry.self, from: Data(record))
    }
}

extension ReplicaEntry {
    /// The contents of the entry that nothing needs. Since when is not known, so `position` counts.
    package func departedContents(at position: Int64) -> [DepartedContent] {
        let needed = neededVersions
        return (versions?.all ?? []).filter { !needed.contains($0.id) }.map {
            DepartedContent(version: $0.id, document: $0.keeper ?? id, filename: $0.filename, position: position)
        }
    }

    /// The versions whose contents the container must keep.
    var neededVersions: Set<VersionID> { isDeleted ? [] : Set(versions?.leaves.map(\.id) ?? []) }
}

extension Rows {
    /// How far this device has read the log; nil before it has met the container.
    package func logHead() throws -> LogHead? {
        try setting(.logHead).map { try JSONDecoder().decode(LogHead.self, from: Data($0.utf8)) }
    }
}

extension Transaction {
    package func set(_ head: LogHead) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try set(.logHead, String(decoding: try encoder.encode(head), as: UTF8.self))
    }
}

extension Rows {
    package func pendingResolution(of id: EntryID) throws -> Resolution? {
        try resolution(of: id).map { try JSONDecoder().decode(Resolution.self, from: Data($0)) }
    }

    package func pendingResolutions() throws -> [EntryID: Resolution] {
        Dictionary(
            uniqueKeysWithValues: try resolutions().map {
                ($0.id, try JSONDecoder().decode(Resolution.self, from: Data($0.record)))
            })
    }
}

extension Transaction {
    /// - Parameter record: the entry as JSON.
    package func store(_ entry: ReplicaEntry, as record: [UInt8]) throws {
        try storeReplicaRecord(
            record, id: entry.id, parent: entry.description.parent, filename: entry.description.filename,
            fullName: entry.description.fullName, isDeleted: entry.isDeleted,
            leaves: entry.versions?.leaves.map(\.id) ?? [])
    }

    package func store(_ resolution: Resolution, of id: EntryID) throws {
        try setResolution(Array(try JSONEncoder().encode(resolution)), of: id)
    }
}
