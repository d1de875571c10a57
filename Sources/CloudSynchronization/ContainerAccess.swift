import Backing
import Catalog
import Ciphers
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

    /// Signs what this device writes; nil in a plain container, where everybody may write in every name.
    var signingKey: SigningKey? { encryption == nil ? nil : store.device.key }

    /// Whether nothing of this device is in the log yet, so that its entries could be anybody's (`Members`).
    func mustJoin(_ head: LogHead) -> Bool { encryption != nil && head.members?[store.device.id] == nil }

    /// The entry of this device that is to follow a head. One that the others would refuse is not made.
    ///
    /// - Parameter encoded: the commit as `Commit.encoded` gives it.
    /// - Throws: `ContainerFault.full`, `ContainerFault.otherKey`.
    func entry(_ commit: Commit, encoded: [UInt8]? = nil, after head: LogHead) throws -> LogEntry {
        // The others will know this device by its key, also after a loss of power here.
        if mustJoin(head) { try store.catalog.synchronize() }
        let entry = try LogEntry(commit, encoded: encoded, after: head, signedWith: signingKey)
        do throws(ContainerFault) { try head.check(entry) } catch {
            throw LogError.container(mustJoin(head) ? .full : .otherKey)
        }
        return entry
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

    /// Checks that an entry is the next one after a head, and follows it where it announces the container's next key. To be called before it is applied.
    ///
    /// - Throws: `ContainerFault` for one that does not follow, `keyChanged` or `removed`.
    func admit(_ entry: LogEntry, after head: LogHead) throws(LogError) {
        do throws(ContainerFault) { try head.check(entry) } catch { throw .container(error) }
        try admit(entry, at: head.position.next)
    }

    /// Follows an entry that announces the container's next key. To be called before the entry is applied: what comes after it cannot be seen
    /// without the key.
    ///
    /// - Throws: `ContainerFault.keyChanged` where the key is not here, or `removed`.
    func admit(_ entry: LogEntry, at position: LogPosition) throws(LogError) {
        if encryption == nil, entry.signature != nil {
            throw .entry(position, .invalid("a signature, in a container that is not encrypted"))
        }
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
        case .locked:
            let isRemoved = entry.commit.removed?.contains(store.device.id) == true
            let (name, time) = (entry.commit.deviceName, entry.commit.time)
            throw .container(isRemoved ? .removed(by: name, at: time) : .keyChanged(by: name, at: time))
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
    ///
    /// - Parameter head: of this device.
    func latestCheckpointHead(for head: LogHead) async throws(LogError) -> LogHead? {
        try await damagedAsNone { () throws(CheckpointError) in
            try await checkpoints.latestHead(of: head.container, knowing: knownMembers(of: head))
        }
    }

    /// The newest position at which there is a checkpoint, whatever is in it.
    func newestCheckpointPosition() async throws(LogError) -> LogPosition {
        try await damagedAsNone { () throws(CheckpointError) in try await checkpoints.newestPosition() } ?? .start
    }

    private func damagedAsNone<Value>(
        _ body: () async throws(CheckpointError) -> Value?
    ) async throws(LogError) -> Value? {
        do throws(CheckpointError) { return try await body() } catch {
            switch error {
            case .store(let reason): throw .store(reason)
            case .invalid: return nil
            }
        }
    }

    /// Where the log began to have its newest key: whoever has a former one could have written all that came before.
    var founding: LogPosition { LogPosition(encryption?.keys.kept.ring.newest.start ?? 0) }

    /// The devices of a container that this device knows; nil for none, of another container, and where one of them may have been removed since: a
    /// removal goes with a new key.
    private func knownMembers(of id: ContainerID) throws -> Members? {
        guard let head = try head(), head.container == id else { return nil }
        return knownMembers(of: head)
    }

    /// - Parameter head: of this device.
    private func knownMembers(of head: LogHead) -> Members? { founding <= head.position ? head.members : nil }

    /// The beginning of a container's log, for reading it anew: what this device knows of others counts from there on.
    func beginning(of id: ContainerID) throws -> LogHead {
        var head = ContainerIdentity(id).emptyLog
        head.members = try knownMembers(of: id)
        return head
    }

    /// Passes the newest undamaged checkpoint to `body`. Without one, the log must be read from its start.
    ///
    /// - Parameter body: may block. If it throws, the checkpoint counts as damaged.
    func useLatestCheckpoint(
        of id: ContainerID, _ body: @escaping @Sendable (FetchedCheckpoint) throws -> Void
    ) async throws {
        let file = try store.files.staging.openUnnamedFile("checkpoint")
        let known = try knownMembers(of: id)
        do throws(CheckpointError) {
            let descriptor = FileDescriptor(rawValue: file.number)
            guard
                let checkpoint = try await checkpoints.latest(
                    of: id, since: founding, knowing: known, into: descriptor)
            else { return }
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
