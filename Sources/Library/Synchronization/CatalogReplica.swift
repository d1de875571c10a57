import Catalog
import Documents
import FoundationEssentials
import Replication

/// The committed state of the container as the catalog keeps it, for `apply` to work on. For use within
/// one transaction, of which it is the only one that changes the state.
struct CatalogReplica: ReplicaState {
    /// A commit asks for an entry several times, and decoding takes most of the time.
    private final class DecodedEntries {
        var entries: [EntryID: ReplicaEntry] = [:]
    }

    private let catalog: CatalogTransaction
    private let decoded = DecodedEntries()
    private let encoder = JSONEncoder()

    init(_ catalog: CatalogTransaction) {
        self.catalog = catalog
        // One form for each state: checkpoints are called after what they hold.
        encoder.outputFormatting = .sortedKeys
    }

    func entry(_ id: EntryID) throws -> ReplicaEntry? {
        if let known = decoded.entries[id] { return known }
        let entry = try catalog.replicaRecord(id).map(Self.decode)
        decoded.entries[id] = entry
        return entry
    }

    /// An entry as it is seen here: what is committed, with what was chosen here on top.
    func visibleEntry(_ id: EntryID, at time: Timestamp) throws -> ReplicaEntry? {
        guard let entry = try entry(id) else { return nil }
        guard let resolution = try catalog.pendingResolution(of: id) else { return entry }
        return entry.resolved(by: resolution, at: time)
    }

    func isTaken(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool {
        try catalog.replicaHas(filename, in: parent, otherThan: id)
    }

    func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry] {
        try catalog.replicaRecords(in: parent, fullName: fullName).map(Self.decode)
    }

    func hasLiveChildren(_ parent: EntryID) throws -> Bool { try catalog.replicaHasChildren(parent) }

    mutating func store(_ entry: ReplicaEntry) throws {
        try catalog.store(entry, as: Array(try encoder.encode(entry)))
        decoded.entries[entry.id] = entry
    }

    private static func decode(_ record: [UInt8]) throws -> ReplicaEntry {
        try JSONDecoder().decode(ReplicaEntry.self, from: Data(record))
    }
}

extension CatalogTransaction {
    /// - Parameter record: the entry as JSON.
    func store(_ entry: ReplicaEntry, as record: [UInt8]) throws {
        try storeReplicaRecord(
            record, id: entry.id, parent: entry.description.parent, filename: entry.description.filename,
            fullName: entry.description.fullName, isDeleted: entry.isDeleted)
    }

    func pendingResolution(of id: EntryID) throws -> Resolution? {
        try resolution(of: id).map { try JSONDecoder().decode(Resolution.self, from: Data($0)) }
    }

    func pendingResolutions() throws -> [EntryID: Resolution] {
        Dictionary(
            uniqueKeysWithValues: try resolutions().map { ($0.id, try JSONDecoder().decode(Resolution.self, from: Data($0.record))) })
    }

    func store(_ resolution: Resolution, of id: EntryID) throws {
        try setResolution(Array(try JSONEncoder().encode(resolution)), of: id)
    }
}
