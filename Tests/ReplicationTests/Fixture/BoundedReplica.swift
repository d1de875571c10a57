import Documents
import Replication
import TestSupport

/// A replica in memory that answers a bounded number of questions for each commit, so that an endless loop in `apply` fails a test
/// instead of hanging it.
struct BoundedReplica: ReplicaState {
    struct GoesRoundInCircles: Error {}

    private final class Budget {
        var questions = 0
    }

    private(set) var replica = InMemoryReplica()
    private let budget = Budget()

    init() {}

    init(_ replica: InMemoryReplica) { self.replica = replica }

    /// Applies a commit.
    ///
    /// - Returns: the entries that it touched.
    @discardableResult
    mutating func applyCommit(_ commit: Commit) throws -> [EntryID] {
        budget.questions = 20_000 + 1_000 * commit.changes.count
        return try apply(commit, to: &self)
    }

    private func ask() throws {
        budget.questions -= 1
        if budget.questions < 0 { throw GoesRoundInCircles() }
    }

    func entry(_ id: EntryID) throws -> ReplicaEntry? {
        try ask()
        return replica.entry(id)
    }

    func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool {
        try ask()
        return replica.isInUse(filename, in: parent, byOtherThan: id)
    }

    func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry] {
        try ask()
        return replica.liveDocuments(in: parent, fullName: fullName)
    }

    func hasLiveChildren(_ parent: EntryID) throws -> Bool {
        try ask()
        return replica.hasLiveChildren(parent)
    }

    mutating func store(_ entry: ReplicaEntry) throws { replica.store(entry) }
}

extension BoundedReplica {
    /// The state that a log of these commits makes.
    static func built(by commits: Commit...) throws -> BoundedReplica {
        var replica = BoundedReplica()
        for commit in commits { try replica.applyCommit(commit) }
        return replica
    }

    /// The entry with the id of that number.
    subscript(_ number: UInt8) -> ReplicaEntry? { replica.entries[EntryID(numbered: number)] }

    var liveNumbers: Set<UInt8> {
        Set(replica.entries.values.filter { !$0.isDeleted }.map { $0.id.bytes[15] })
    }
}
