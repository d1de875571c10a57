import Backing
import Documents
import Encryption
import LinuxFiles
import Logging
import ObjectStore
import Replication
import Synchronization

/// Gives an encrypted container a new key for what comes (the page Secrecy, "A new key").
struct KeyRotation: Sendable {
    private let container: ContainerAccess
    private let follower: LogFollower
    private let inspector: ContainerInspector
    private let checkpointWriter: CheckpointWriter

    private var store: DocumentStore { container.store }

    init(
        _ container: ContainerAccess, _ follower: LogFollower, _ inspector: ContainerInspector,
        _ checkpointWriter: CheckpointWriter
    ) {
        self.container = container
        self.follower = follower
        self.inspector = inspector
        self.checkpointWriter = checkpointWriter
    }

    /// Why there is no new key, in one line for a person.
    enum Refusal: Error, CustomStringConvertible {
        case plain, notYet

        var description: String {
            switch self {
            case .plain: "the container is not encrypted"
            case .notYet: "the cloud could not be read to its end yet; try again"
            }
        }
    }

    /// Follows the log with the keys that another process has kept, and announces the one that it has offered, if it has.
    ///
    /// Once the entry is in the log, the key counts. Whoever is interrupted before it was published finds its own entry, and goes on.
    func run() async throws {
        guard let encryption = container.encryption else { throw Refusal.plain }
        try await onBlockingThread { try encryption.keys.reload() }
        while true {
            try await follower.followLog()
            guard let head = try container.head() else { throw Refusal.notYet }
            let position = head.position.next
            guard let announced = try encryption.announcement(at: position.number) else {
                return try await publishIfNeeded()
            }
            while try await !inspector.inspect() {}
            // Nobody sees it before the entry is there, and everybody needs it then.
            _ = try await ContainerIdentity(head.container).establish(in: announced.store)
            let commit = Commit(newKey: announced.keyObject, removing: announced.removed, from: store)
            let entry = try container.entry(commit, after: head)
            try await inspector.confirmEnd(of: head)
            if case .appended(let entry) = try await container.log.append(entry, at: position) {
                try follower.apply(entry, after: head)
                inspector.restart()
                return try await publishIfNeeded()
            }
        }
    }

    /// Gives newcomers what they need to begin with the newest key, if that is not sure: a checkpoint, and then the key object.
    func publishIfNeeded() async throws(LogError) {
        if container.encryption?.keys.kept.isUnpublished == true { try await publish(repairs: false) }
    }

    /// - Parameter repairs: whether what is there is looked through, too.
    func publish(repairs: Bool) async throws(LogError) {
        do { try await writeWhatIsMissing(repairs: repairs) } catch {
            switch error {
            case let error as LogError: throw error
            case let error as ObjectStoreError: throw .store(error)
            case CheckpointError.store(let error): throw .store(error)
            default: throw .store(.unusable("the new key cannot be published: \(error)"))
            }
        }
    }

    private func writeWhatIsMissing(repairs: Bool) async throws {
        guard let encryption = container.encryption, encryption.keys.kept.ring.hasFormer,
            let head = try container.head()
        else { return }
        if try await !hasCheckpoint(for: head, repairs: repairs) {
            if repairs { try await container.checkpoints.remove(at: head.position) }
            let snapshot = try await onBlockingThread { [store] in
                try CheckpointSnapshot(of: store.catalog, in: store.files)
            }
            try await checkpointWriter.write(snapshot, at: head)
        }
        let isNew = encryption.keys.kept.isUnpublished
        try await encryption.publishKeyObject()
        if isNew { store.logger.notice("the key of the cloud container was changed") }
    }

    /// Whether there is a checkpoint that a newcomer can begin with.
    private func hasCheckpoint(for head: LogHead, repairs: Bool) async throws -> Bool {
        guard repairs else {
            return try await container.latestCheckpointHead(for: head).map { $0.position >= container.founding }
                ?? false
        }
        let isUsed = Mutex(false)
        try await container.useLatestCheckpoint(of: head.container) { checkpoint in
            try checkpoint.forEach { _, _ in }
            isUsed.withLock { $0 = true }
        }
        return isUsed.withLock { $0 }
    }
}
