import Catalog
import Documents
import FoundationEssentials
import Replication

/// The committed state of the container in the catalog, for reading. It is used within one transaction.
package struct CatalogReplica {
    /// Applying a commit reads an entry several times, and decoding takes most of the time.
    fileprivate final class DecodedEntries {
        var entries: [EntryID: ReplicaEntry] = [:]
    }

    private let rows: Rows
    fileprivate let decoded = DecodedEntries()

    package init(_ rows: Rows) { self.rows = rows }

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

    package func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool {
        try rows.replicaHas(filename, in: parent, otherThan: id)
    }

    package func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry] {
        try rows.replicaRecords(in: parent, fullName: fullName).map(Self.decode)
    }

    package func hasLiveChildren(_ parent: EntryID) throws -> Bool { try rows.replicaHasChildren(parent) }

    private static func decode(_ record: [UInt8]) throws -> ReplicaEntry {
        try JSONDecoder().decode(ReplicaEntry.self, from: Data(record))
    }
}

/// The committed state of the container in the catalog, on which `apply` works. Within its transaction nothing else changes the state.
package struct ChangingReplica: ReplicaState {
    /// The state as it is now, for reading.
    package let committed: CatalogReplica
    private let transaction: Transaction
    /// The position of the commit that is being applied.
    private let position: LogPosition
    /// The hash of all entries.
    package private(set) var state: StateHash

    /// - Parameter head: the last entry of the log that was applied.
    package init(_ transaction: Transaction, after head: LogHead) {
        committed = CatalogReplica(transaction)
        self.transaction = transaction
        position = head.position.next
        state = head.state
    }

    package func entry(_ id: EntryID) throws -> ReplicaEntry? { try committed.entry(id) }

    package func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool {
        try committed.isInUse(filename, in: parent, byOtherThan: id)
    }

    package func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry] {
        try committed.liveDocuments(in: parent, fullName: fullName)
    }

    package func hasLiveChildren(_ parent: EntryID) throws -> Bool { try committed.hasLiveChildren(parent) }

    package mutating func store(_ entry: ReplicaEntry) throws {
        let former = try self.entry(entry.id)
        if let record = try transaction.replicaRecord(entry.id) { state.remove(record) }
        let record = try entry.record()
        state.add(record)
        try recordContents(of: entry, was: former)
        try transaction.store(entry, as: record)
        committed.decoded.entries[entry.id] = entry
    }

    /// Records the contents that are not needed any more because of the change, and those that are needed again.
    private func recordContents(of entry: ReplicaEntry, was former: ReplicaEntry?) throws {
        let (before, after) = (former?.neededVersions ?? [], entry.neededVersions)
        let known = Set(former?.versions?.all.map(\.id) ?? [])
        for version in entry.versions?.all ?? [] where !after.contains(version.id) {
            // A version that the commit both added and replaced was not known before.
            guard before.contains(version.id) || !known.contains(version.id) else { continue }
            try transaction.record(
                DepartedContent(
                    version: version.id, document: version.keeper ?? entry.id, filename: version.filename,
                    position: position.number))
        }
        for version in after.subtracting(before) {
            try transaction.forgetDepartedContent(version)
            try transaction.forgetUpload(version)
        }
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
    fileprivate var neededVersions: Set<VersionID> { isDeleted ? [] : Set(versions?.leaves.map(\.id) ?? []) }
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
