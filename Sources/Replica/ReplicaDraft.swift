import Catalog
import Documents
import FoundationEssentials
import Replication

/// The committed state of the container with changes that are not stored yet, for `apply` to work on.
///
/// Decoding entries and coding them anew takes most of the time of a commit. So that happens here, before the transaction that stores them
/// (``ReplicaUpdate``) and keeps everybody waiting. In between nothing else changes the committed state: only the synchronizer does, one thing
/// after the other.
package struct ReplicaDraft: ReplicaState {
    private let catalog: Catalog
    private let stored = StoredEntries()
    private let state: StateHash
    private var changed: [EntryID: ReplicaEntry] = [:]
    /// In which order they were changed first.
    private var order: [EntryID] = []
    private var live = LiveEntries()

    /// - Parameter state: the hash of all entries as they are stored.
    package init(_ catalog: Catalog, state: StateHash) {
        self.catalog = catalog
        self.state = state
    }

    // MARK: ReplicaState

    package func entry(_ id: EntryID) throws -> ReplicaEntry? {
        if let entry = changed[id] { return entry }
        return try storedEntry(id)?.entry
    }

    package func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool {
        if live.filenames[.init(parent, filename), default: []].contains(where: { $0 != id }) { return true }
        let holders = try catalog.read { try $0.replicaEntries(in: parent, filename: filename) }
        return holders.contains { $0 != id && changed[$0] == nil }
    }

    package func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry] {
        let namesakes = try catalog.read { try $0.replicaDocuments(in: parent, fullName: fullName) }
        let ids = live.fullNames[.init(parent, fullName), default: []].union(namesakes.filter { changed[$0] == nil })
        return try ids.sorted().compactMap(entry)
    }

    package func hasLiveChildren(_ parent: EntryID) throws -> Bool {
        if live.counts[parent, default: 0] > 0 { return true }
        return try catalog.read { try $0.replicaHasChild(of: parent) { changed[$0] == nil } }
    }

    package mutating func store(_ entry: ReplicaEntry) throws {
        if let former = changed.updateValue(entry, forKey: entry.id) {
            live.remove(former)
        } else {
            order.append(entry.id)
        }
        live.add(entry)
    }

    // MARK: What is to be stored

    /// The changed entries as they are to be stored.
    package func update() throws -> ReplicaUpdate {
        var state = state
        let entries = try order.compactMap { id -> ReplicaUpdate.ChangedEntry? in
            guard let entry = changed[id] else { return nil }
            let former = try storedEntry(id)
            let record = try entry.record()
            if let former { state.remove(former.record) }
            state.add(record)
            return .init(entry: entry, record: record, former: former?.entry)
        }
        return ReplicaUpdate(entries: entries, state: state)
    }

    private func storedEntry(_ id: EntryID) throws -> StoredEntries.Stored? {
        if let known = stored.entries[id] { return known }
        let record = try catalog.read { try $0.replicaRecord(id) }
        let found = try record.map { StoredEntries.Stored(entry: try CatalogReplica.decode($0), record: $0) }
        stored.entries[id] = .some(found)
        return found
    }
}

/// The entries that were read, each of which `apply` asks for several times; nil for one that is not there.
private final class StoredEntries {
    struct Stored {
        let entry: ReplicaEntry
        let record: [UInt8]
    }

    var entries: [EntryID: Stored?] = [:]
}

/// The changed entries that are not deleted, by what they are asked for.
private struct LiveEntries {
    struct Name: Hashable {
        let parent: EntryID
        let text: ExactName

        init(_ parent: EntryID, _ text: String) {
            self.parent = parent
            self.text = ExactName(text)
        }
    }

    private(set) var filenames: [Name: Set<EntryID>] = [:]
    private(set) var fullNames: [Name: Set<EntryID>] = [:]
    /// How many lie in each folder.
    private(set) var counts: [EntryID: Int] = [:]

    mutating func add(_ entry: ReplicaEntry) {
        if entry.isDeleted { return }
        let description = entry.description
        filenames[Name(description.parent, description.filename), default: []].insert(entry.id)
        if let name = description.fullName { fullNames[Name(description.parent, name), default: []].insert(entry.id) }
        counts[description.parent, default: 0] += 1
    }

    mutating func remove(_ entry: ReplicaEntry) {
        if entry.isDeleted { return }
        let description = entry.description
        filenames[Name(description.parent, description.filename)]?.remove(entry.id)
        if let name = description.fullName { fullNames[Name(description.parent, name)]?.remove(entry.id) }
        counts[description.parent, default: 0] -= 1
    }
}
