import Documents
import Replication

/// The state of a container in memory.
public struct InMemoryReplica: ReplicaState, Equatable, Sendable {
    public private(set) var entries: [EntryID: ReplicaEntry] = [:]

    public init() {}

    public func entry(_ id: EntryID) -> ReplicaEntry? { entries[id] }

    public func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) -> Bool {
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
