import Backing
import Catalog
import Documents
import Encryption
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
    /// `objects` as an encrypted container; nil for a plain one.
    let encryption: EncryptedStore?
    let log: ReplicatedLog
    let checkpoints: Checkpoints

    init(
        _ store: DocumentStore, _ objects: any ObjectStore, _ encryption: EncryptedStore?, checkpointInterval: Int64
    ) {
        self.store = store
        self.objects = objects
        self.encryption = encryption
        log = ReplicatedLog(store: objects)
        checkpoints = Checkpoints(store: objects, interval: checkpointInterval)
    }

    /// How far this device has read the log; nil before it has met the container.
    func head() throws -> LogHead? { try store.read { try $0.logHead() } }

    /// To be called before anything is believed or sent: under its former keys a device that was left behind sees what everybody may have written who
    /// was shut out, and nothing else.
    ///
    /// - Throws: `ContainerFault.keyChanged`
    func requireKeys() throws(LogError) {
        if encryption?.keys.kept.isLocked == true { throw .container(.keyChanged(by: nil, at: nil)) }
    }

    /// As `requireKeys`, and asks the container whether its key is another one by now.
    func requireNewestKeys() async throws(LogError) {
        let isLeftBehind: Bool
        do throws(ObjectStoreError) { isLeftBehind = try await encryption?.isLeftBehind() ?? false } catch {
            throw .store(error)
        }
        if isLeftBehind { throw .container(.keyChanged(by: nil, at: nil)) }
    }

    /// Follows an entry that announces the container's next key. To be called before the entry is applied: what comes after it cannot be seen
    /// without the key.
    ///
    /// - Throws: `ContainerFault.keyChanged` where the key is not here.
    func admit(_ entry: LogEntry, at position: LogPosition) throws(LogError) {
        guard let newKey = entry.commit.newKey else {
            let isStart = encryption?.keys.kept.ring.periods.contains { $0.start == position.number }
            if isStart == true { throw .container(.otherHistory(at: position)) }
            return try requireKeys()
        }
        guard let encryption else {
            throw .entry(position, .invalid("a key, in a container that is not encrypted"))
        }
        let announcement: KeptKeys.Announcement
        do { announcement = try encryption.keys.follow(Array(newKey), at: position.number) } catch {
            throw .store(.unusable("\(error)"))
        }
        switch announcement {
        case .known: return
        case .locked: throw .container(.keyChanged(by: entry.commit.deviceName, at: entry.commit.time))
        case .impossible: throw .entry(position, .invalid("a key that cannot follow those of this container"))
        }
    }

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

    /// Where the log began to have its newest key: whoever has a former one could have written all that came before.
    var founding: LogPosition { LogPosition(encryption?.keys.kept.ring.newest.start ?? 0) }

    /// Passes the newest undamaged checkpoint to `body`. Without one, the log must be read from its start.
    ///
    /// - Parameter body: may block. If it throws, the checkpoint counts as damaged.
    func useLatestCheckpoint(
        of id: ContainerID, _ body: @escaping @Sendable (FetchedCheckpoint) throws -> Void
    ) async throws {
        let file = try store.files.staging.openUnnamedFile("checkpoint")
        do throws(CheckpointError) {
            let descriptor = FileDescriptor(rawValue: file.number)
            guard let checkpoint = try await checkpoints.latest(of: id, since: founding, into: descriptor) else {
                return
            }
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
