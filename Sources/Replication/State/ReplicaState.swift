import Documents

/// The state that the log builds: a table of entries. `apply` works on any that can answer these.
///
/// The cloud's top folder is not an entry; its id is `EntryID.cloudRoot`, and it always exists.
public protocol ReplicaState {
    func entry(_ id: EntryID) throws -> ReplicaEntry?
    /// Whether a live entry of a folder has that filename. Names are compared byte for byte.
    func isTaken(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool
    /// The live documents in a folder whose display name and extension make `fullName`, by id.
    func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry]
    func hasLiveChildren(_ parent: EntryID) throws -> Bool
    mutating func store(_ entry: ReplicaEntry) throws
}

/// The state in memory, for tests and simulation.
public struct InMemoryReplica: ReplicaState, Equatable, Sendable {
    public private(set) var entries: [EntryID: ReplicaEntry] = [:]

    public init() {}

    public func entry(_ id: EntryID) -> ReplicaEntry? { entries[id] }

    public func isTaken(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) -> Bool {
        liveChildren(parent).contains { $0.id != id && $0.description.filename.isIdentical(to: filename) }
    }

    public func liveDocuments(in parent: EntryID, fullName: String) -> [ReplicaEntry] {
        liveChildren(parent).filter { $0.description.fullName?.isIdentical(to: fullName) == true }
    }

    public func hasLiveChildren(_ parent: EntryID) -> Bool { !liveChildren(parent).isEmpty }

    public mutating func store(_ entry: ReplicaEntry) { entries[entry.id] = entry }

    public func liveChildren(_ parent: EntryID) -> [ReplicaEntry] {
        entries.values.filter { !$0.isDeleted && $0.description.parent == parent }.sorted { $0.id < $1.id }
    }
}
