import Catalog
import Documents
import FoundationEssentials
import Replication

/// The committed state of the container in the catalog, on which `apply` works. It is used within one transaction, in which nothing else
/// changes the state.
package struct CatalogReplica: ReplicaState {
    /// Applying a commit reads an entry several times, and decoding takes most of the time.
    private final class DecodedEntries {
        var entries: [EntryID: ReplicaEntry] = [:]
    }

    private let catalog: CatalogTransaction
    private let decoded = DecodedEntries()
    /// The position of the commit that is being applied.
    private let position: LogPosition
    /// The hash of all entries.
    package private(set) var state: StateHash

    /// - Parameter head: the last entry of the log that was applied.
    package init(_ catalog: CatalogTransaction, after head: LogHead) {
        self.init(catalog, head.position.next, head.state)
    }

    /// For reading only.
    package init(_ catalog: CatalogTransaction) { self.init(catalog, .start, .empty) }

    private init(_ catalog: CatalogTransaction, _ position: LogPosition, _ state: StateHash) {
        self.catalog = catalog
        self.position = position
        self.state = state
    }

    package func entry(_ id: EntryID) throws -> ReplicaEntry? {
        if let known = decoded.entries[id] { return known }
        let entry = try catalog.replicaRecord(id).map(Self.decode)
        decoded.entries[id] = entry
        return entry
    }

    /// An entry as this device shows it: the committed one, with deletions and choices of versions that are pending here. Of one that is deleted
    /// and back here, it has the versions that it will have.
    package func visibleEntry(_ id: EntryID, at time: Timestamp) throws -> ReplicaEntry? {
        guard var entry = try entry(id) else { return nil }
        for withdrawal in try catalog.withdrawals(inFavourOf: id) {
            let heads = try self.entry(withdrawal.id)?.versions?.heads ?? []
            entry = entry.inheriting(heads.filter { withdrawal.bequest.contains($0.id) }, from: withdrawal.id)
        }
        guard let resolution = try catalog.pendingResolution(of: id) else { return entry }
        guard let deleted = entry.deleted, try catalog.entry(id)?.pending.contains(.creation) == true else {
            return entry.resolved(by: resolution, at: time)
        }
        // First it is created anew, then the choice is made among its versions (`CommitDraft`).
        entry.deleted = nil
        entry = entry.resolved(by: resolution, at: time)
        entry.deleted = deleted
        return entry
    }

    package func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool {
        try catalog.replicaHas(filename, in: parent, otherThan: id)
    }

    package func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry] {
        try catalog.replicaRecords(in: parent, fullName: fullName).map(Self.decode)
    }

    package func hasLiveChildren(_ parent: EntryID) throws -> Bool { try catalog.replicaHasChildren(parent) }

    package mutating func store(_ entry: ReplicaEntry) throws {
        let former = try self.entry(entry.id)
        if let record = try catalog.replicaRecord(entry.id) { state.remove(record) }
        let record = try entry.record()
        state.add(record)
        try recordContents(of: entry, was: former)
        try catalog.store(entry, as: record)
        decoded.entries[entry.id] = entry
    }

    /// Records the contents that are not needed any more because of the change, and those that are needed again.
    private func recordContents(of entry: ReplicaEntry, was former: ReplicaEntry?) throws {
        let (before, after) = (former?.neededVersions ?? [], entry.neededVersions)
        let known = Set(former?.versions?.all.map(\.id) ?? [])
        for version in entry.versions?.all ?? [] where !after.contains(version.id) {
            // A version that the commit both added and replaced was not known before.
            guard before.contains(version.id) || !known.contains(version.id) else { continue }
            try catalog.record(
                DepartedContent(
                    version: version.id, document: version.keeper ?? entry.id, filename: version.filename,
                    position: position.number))
        }
        for version in after.subtracting(before) {
            try catalog.forgetDepartedContent(version)
            try catalog.forgetUpload(version)
        }
    }

    private static func decode(_ record: [UInt8]) throws -> ReplicaEntry {
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
    fileprivate var neededVersions: Set<VersionID> { isDeleted ? [] : Set(versions?.heads.map(\.id) ?? []) }
}

extension CatalogTransaction {
    /// How far this device has read the log; nil before it has met the container.
    package func logHead() throws -> LogHead? {
        try setting(.logHead).map { try JSONDecoder().decode(LogHead.self, from: Data($0.utf8)) }
    }

    package func set(_ head: LogHead) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try set(.logHead, String(decoding: try encoder.encode(head), as: UTF8.self))
    }
}

extension CatalogTransaction {
    /// - Parameter record: the entry as JSON.
    package func store(_ entry: ReplicaEntry, as record: [UInt8]) throws {
        try storeReplicaRecord(
            record, id: entry.id, parent: entry.description.parent, filename: entry.description.filename,
            fullName: entry.description.fullName, isDeleted: entry.isDeleted)
    }

    package func pendingResolution(of id: EntryID) throws -> Resolution? {
        try resolution(of: id).map { try JSONDecoder().decode(Resolution.self, from: Data($0)) }
    }

    package func pendingResolutions() throws -> [EntryID: Resolution] {
        Dictionary(
            uniqueKeysWithValues: try resolutions().map {
                ($0.id, try JSONDecoder().decode(Resolution.self, from: Data($0.record)))
            })
    }

    package func store(_ resolution: Resolution, of id: EntryID) throws {
        try setResolution(Array(try JSONEncoder().encode(resolution)), of: id)
    }
}
