import Documents
import ObjectStore
@testable import Replication

extension ChainLink {
    static let sample = ChainLink(container: ContainerID(numbered: 9), previous: ObjectHash(of: [1]), state: .empty)
}

extension ReplicatedLog {
    /// For tests in which it does not matter what the entry follows.
    func append(_ commit: Commit, at position: LogPosition) async throws(LogError) -> AppendOutcome {
        let entry: LogEntry
        do throws(CommitError) { entry = try LogEntry(commit, after: .sample) } catch { throw .entry(position, error) }
        return try await append(entry, at: position)
    }

    func commit(at position: LogPosition) async throws(LogError) -> Commit? { try await read(position)?.commit }

    func commits(after position: LogPosition) async throws(LogError) -> [Commit] {
        try await read(after: position).map(\.commit)
    }
}

extension LogHead {
    /// The head of a container that was never begun anew, at some position.
    static func sample(at position: Int64, state: StateHash = .empty) -> LogHead {
        LogHead(
            container: ContainerID(numbered: 9), root: LogPosition(1), readFrom: LogPosition(1),
            position: LogPosition(position),
            hash: ObjectHash(of: [UInt8(truncatingIfNeeded: position)]), commit: CommitID(numbered: 1), state: state)
    }
}
