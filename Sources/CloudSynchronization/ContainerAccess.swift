import Backing
import Catalog
import Documents
import LinuxFiles
import Logging
import ObjectStore
import Replica
import Replication
import SystemPackage

/// The container as this device reads and writes it, and what the device keeps of it. The parts of the synchronization share it.
struct ContainerAccess: Sendable {
    let store: DocumentStore
    let objects: any ObjectStore
    let log: ReplicatedLog
    let checkpoints: Checkpoints

    init(_ store: DocumentStore, _ objects: any ObjectStore, checkpointInterval: Int64) {
        self.store = store
        self.objects = objects
        log = ReplicatedLog(store: objects)
        checkpoints = Checkpoints(store: objects, interval: checkpointInterval)
    }

    /// How far this device has read the log; nil before it has met the container.
    func head() throws -> LogHead? { try store.read { try $0.logHead() } }

    /// Gives the container its id, unless another device has.
    ///
    /// - Throws: `ContainerFault.encrypted` where a container is there which this device cannot read: it must not make a plain one beside it.
    func establish(_ identity: ContainerIdentity) async throws(LogError) -> ContainerIdentity {
        objects.isEncrypted
            ? try await identity.establish(in: objects)
            : try await ContainerFounding.makePlain(identity, in: objects)
    }

    /// The head of the newest checkpoint; nil without one. A damaged checkpoint counts as none.
    func latestCheckpointHead() async throws(LogError) -> LogHead? {
        do throws(CheckpointError) { return try await checkpoints.latestHead() } catch {
            switch error {
            case .store(let reason): throw .store(reason)
            case .invalid: return nil
            }
        }
    }

    /// Passes the newest undamaged checkpoint to `body`. Without one, the log must be read from its start.
    ///
    /// - Parameter body: may block. If it throws, the checkpoint counts as damaged.
    func useLatestCheckpoint(
        of id: ContainerID, _ body: @escaping @Sendable (FetchedCheckpoint) throws -> Void
    ) async throws {
        let file = try store.files.staging.openUnnamedFile("checkpoint")
        do throws(CheckpointError) {
            let descriptor = FileDescriptor(rawValue: file.number)
            guard let checkpoint = try await checkpoints.latest(of: id, into: descriptor) else { return }
            try await onBlockingThread { () throws(CheckpointError) in
                do { try withExtendedLifetime(file) { try body(checkpoint) } } catch let error as CheckpointError {
                    throw error
                } catch { throw .invalid("\(error)") }
            }
        } catch {
            if case .store(let reason) = error { throw LogError.store(reason) }
            store.logger.warning("reading the log from its start", metadata: ["error": "\(error)"])
        }
    }
}
