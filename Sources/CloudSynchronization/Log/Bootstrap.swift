import Backing
import CLinux
import Catalog
import Documents
import Library
import ObjectStore
import Replica
import Replication

/// The first contact of a device with a container. The device gives the container its id, unless another has, and begins with the newest
/// checkpoint.
struct Bootstrap: Sendable {
    private let container: ContainerAccess
    private let tree: any SynchronizedTree
    private var store: DocumentStore { container.store }

    init(_ container: ContainerAccess, _ tree: any SynchronizedTree) {
        self.container = container
        self.tree = tree
    }

    /// Where to begin with reading the log.
    func begin() async throws -> LogHead {
        try container.requireKeys()
        let identity = try await identifyContainer()
        try await takeOverLatestCheckpoint(of: identity.id)
        if let head = try container.head() { return head }
        guard container.founding == .start else { throw LogError.container(.unfounded) }
        try store.write { try $0.set(identity.emptyLog) }
        return identity.emptyLog
    }

    private func identifyContainer() async throws(LogError) -> ContainerIdentity {
        if let identity = try await ContainerIdentity.read(from: container.objects) {
            // With one bit changed on the way it would be another valid id, and the device would never know the container again.
            guard try await ContainerIdentity.read(from: container.objects) == identity else {
                throw .store(.corrupted(ContainerIdentity.key, "it was read twice, and differed"))
            }
            return identity
        }
        // A container that has a log has lost the object with its id, and must not get another id.
        guard try await container.log.positions(after: .start, atMost: 1).isEmpty else { throw .container(.unnamed) }
        var random = store.surroundings.random()
        return try await container.establish(ContainerIdentity(.random(using: &random)))
    }

    private func takeOverLatestCheckpoint(of id: ContainerID) async throws {
        let now = store.surroundings.now()
        try await container.useLatestCheckpoint(of: id) { [tree] checkpoint in
            try tree.fill { transaction, isEmpty, insert in
                let next = checkpoint.head.position.next.number
                try transaction.addMany(indexingAfterwards: isEmpty) {
                    try checkpoint.forEach { entry, record in
                        try transaction.store(entry, as: record)
                        for content in entry.departedContents(at: next) { try transaction.record(content) }
                        if let deleted = entry.deleted {
                            // A checkpoint does not tell who did it.
                            guard entry.versions != nil, !Retention.isOver(departed: deleted, now: now) else { return }
                            try transaction.recordDeletion(of: entry.id, by: nil)
                        } else {
                            try insert(entry)
                        }
                    }
                }
                try transaction.set(checkpoint.head)
            }
            // So much memory is not needed again.
            malloc_trim(0)
        }
    }
}
