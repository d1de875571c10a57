import Backing
import LinuxFiles
import ObjectStore
import Replication

/// Sends what is pending, as commits at the end of the log.
struct CommitSender: Sendable {
    let store: DocumentStore
    private let container: ContainerAccess
    private let follower: LogFollower
    private let inspector: ContainerInspector
    private let uploads: FinishedUploads
    private let checkpointWriter: CheckpointWriter
    private let preparation: CommitPreparation

    init(
        _ container: ContainerAccess, _ follower: LogFollower, _ inspector: ContainerInspector,
        _ uploads: FinishedUploads, _ checkpointWriter: CheckpointWriter, _ limit: CommitLimit
    ) {
        store = container.store
        self.container = container
        self.follower = follower
        self.inspector = inspector
        self.uploads = uploads
        self.checkpointWriter = checkpointWriter
        preparation = CommitPreparation(container.store, uploads, limit)
    }

    /// Sends what is pending and ready.
    ///
    /// - Parameter goesOn: whether another commit may follow one that was sent. If not, something may be left.
    /// - Returns: whether anything was sent.
    func sendPending(while goesOn: () -> Bool = { true }) async throws -> Bool {
        try container.requireKeys()
        var hasSent = false
        while !hasSent || goesOn(), try await inspector.inspect(), let head = try container.head(),
            let outgoing = try preparation.prepareCommit() ?? introduction(after: head)
        {
            try await onBlockingThread { try makeDurable(outgoing) }
            let entry = try container.entry(outgoing.commit, encoded: outgoing.encoded, after: head)
            try await inspector.confirmEnd(of: head)
            switch try await container.log.append(entry, at: head.position.next) {
            case .appended(let entry):
                try follower.apply(entry, after: head, own: outgoing)
                uploads.forget(committedBy: outgoing)
                try await checkpointWriter.writeIfDue()
                hasSent = true
            case .taken:
                // Another device wrote to that position first. Its commit is applied; what is pending becomes a new commit after it.
                try preparation.dropOutgoing()
                try await follower.followLog()
            }
        }
        return hasSent
    }

    /// A commit without changes, by which a device that has nothing to send joins an encrypted container: its person can see it there, and nobody
    /// else can join in its name.
    private func introduction(after head: LogHead) throws(CommitError) -> OutgoingCommit? {
        guard container.mustJoin(head) else { return nil }
        return try OutgoingCommit(Commit([], from: store), .init(sent: [], withdrawn: [], resolved: [:]))
    }
}
