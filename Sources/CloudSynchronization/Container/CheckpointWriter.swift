import Backing
import Catalog
import Ciphers
import LinuxFiles
import Logging
import ObjectStore
import Replica
import Replication
import Synchronization

/// Writes checkpoints, in the background.
final class CheckpointWriter: Sendable {
    private let container: ContainerAccess
    private var store: DocumentStore { container.store }
    private let writing = Mutex(false)

    init(_ container: ContainerAccess) { self.container = container }

    var isWriting: Bool { writing.withLock { $0 } }

    /// Writes a checkpoint in the background if one is due after the commit that this device has just written.
    func writeIfDue() async throws {
        guard let head = try container.head() else { return }
        let position = head.position
        // The first check is cheap and rules out most commits before any entries are counted.
        guard container.checkpoints.isDue(at: position, entries: 0), !isWriting,
            container.checkpoints.isDue(at: position, entries: try store.read { try $0.replicaCount() })
        else { return }
        let snapshot = try await onBlockingThread { [store] in
            try CheckpointSnapshot(of: store.catalog, in: store.files)
        }
        writing.withLock { $0 = true }
        Task {
            do throws(CheckpointError) { try await write(snapshot, at: head) } catch {
                // Another is written when the next one is due.
                store.logger.warning("a checkpoint could not be written", metadata: ["error": "\(error)"])
            }
            writing.withLock { $0 = false }
        }
    }

    /// Writes a checkpoint. If another device has written one of that position before, that one stays.
    func write(_ snapshot: CheckpointSnapshot, at head: LogHead) async throws(CheckpointError) {
        var parts: [String] = []
        for part in snapshot.parts {
            parts.append(try await container.checkpoints.write(try snapshot.read(part), at: head.position))
        }
        let manifest = CheckpointManifest(head: head, count: snapshot.count, parts: parts)
        try await container.checkpoints.finish(try signed(manifest))
    }

    private func signed(_ manifest: CheckpointManifest) throws(CheckpointError) -> CheckpointManifest {
        guard let key = container.signingKey else { return manifest }
        let known = manifest.head.members?[container.store.device.id]
        guard known.map({ $0.key == key.publicKey }) ?? true else {
            throw .invalid("\(ContainerFault.otherKey)")
        }
        do { return try manifest.signed(by: container.store.device.id, with: key) } catch {
            throw .invalid("its manifest cannot be written: \(error)")
        }
    }
}
