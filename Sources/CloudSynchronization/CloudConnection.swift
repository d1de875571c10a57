import Backing
import Documents
import Encryption
import Glibc
import Library
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// The container's object store and whether it can be reached: the library's view of the cloud.
public final class CloudConnection: ContentSource {
    let store: any ObjectStore
    /// `store` as an encrypted container; nil for a plain one.
    let encryption: EncryptedStore?
    /// Signalled when there may be something to send.
    let wake: Wake
    private let state = Mutex(State())
    private struct State {
        /// Until anything is known, programs may ask it.
        var connection = Connection.online
        var isKnown = false
    }

    /// When changes were last of interest.
    private let lastUse: Mutex<ContinuousClock.Instant>
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let knownAddress: KnownAddress?
    private let ownContainer: ContainerID?

    /// - Parameters:
    ///   - store: the object store. It is not used before the first call.
    ///   - encryption: the same as an encrypted container; nil for a plain one.
    ///   - address: where the object store is.
    ///   - ownContainer: the id of the container that the store belongs to; nil before it has met one.
    ///   - surroundings: of the clock that measures how long nothing was of interest, and of the sleep that `Wake` uses.
    package init(
        _ store: any ObjectStore, encryption: EncryptedStore? = nil, address: KnownAddress? = nil,
        ownContainer: ContainerID? = nil, surroundings: Surroundings
    ) {
        self.store = store
        self.encryption = encryption
        knownAddress = address
        self.ownContainer = ownContainer
        instant = surroundings.instant
        wake = Wake(sleep: surroundings.sleep)
        lastUse = Mutex(surroundings.instant())
    }

    /// Asks the cloud whether two devices can use it safely; see `ObjectStore.probe`.
    public func probe() async throws(ObjectStoreError) { try await store.probe() }

    /// Asks the container for something. An error is an answer as well.
    public func ask() async throws(ObjectStoreError) { _ = try await store.get(ContainerIdentity.key, range: 0..<1) }

    // MARK: ContentSource

    public var connection: Connection { state.withLock(\.connection) }

    public var address: ContainerAddress? {
        var address = knownAddress?.value
        address?.isEncrypted = store.isEncrypted
        return address
    }

    public func download(
        _ version: DocumentVersion, of document: EntryID, into file: Descriptor, moved: @escaping @Sendable () -> Void
    ) throws(TransferError) -> Download {
        let key: ObjectKey
        do throws(CommitError) { key = try version.key(of: document) } catch { throw .invalidVersion(error) }
        return Download(
            store: store, key: key, version: version, into: FileDescriptor(rawValue: file.number), moved: moved)
    }

    public func changesAreOfInterest() {
        let now = instant()
        let wasIdle = lastUse.withLock { last in
            defer { last = now }
            return now - last > .seconds(1)
        }
        if wasIdle { wake.signal() }
    }

    public func changesAreWaiting() {
        changesAreOfInterest()
        wake.signal()
    }

    /// Whether its keeper cannot read the container.
    public var isEncrypted: Bool { store.isEncrypted }

    /// Whether the store belonged to a container when the connection was made.
    public var belongsToContainer: Bool { ownContainer != nil }

    /// Whether the container is the one that the store belongs to, by its id; true where it belongs to none yet.
    public func isOwnContainer() async throws -> Bool {
        guard let ownContainer else { return true }
        return try await ContainerIdentity.read(from: store)?.id == ownContainer
    }

    // MARK: For the synchronizer

    /// - Returns: whether the connection is another one than before.
    func set(_ connection: Connection) -> Bool {
        state.withLock { state in
            defer { state = State(connection: connection, isKnown: true) }
            return state.connection != connection
        }
    }

    /// Whether anything was found out of it.
    var isKnown: Bool { state.withLock(\.isKnown) }

    /// The time since a document was last changed on any device, or a person looked for changes.
    var idleTime: Duration { instant() - lastUse.withLock { $0 } }
}

/// Where the container is, as far as it is known yet.
package final class KnownAddress: Sendable {
    private let address: Mutex<ContainerAddress>

    init(url: String) { address = Mutex(ContainerAddress(url: url, isBesideStore: false)) }

    var value: ContainerAddress { address.withLock { $0 } }

    /// Compares the file systems of the container's folder and of the store. May block for as long as the folder's file system does.
    func compare(folder: String, store: String) {
        var (container, own) = (stat(), stat())
        guard stat(folder, &container) == 0, stat(store, &own) == 0 else { return }
        address.withLock { $0.isBesideStore = container.st_dev == own.st_dev }
    }
}

extension Connection {
    init(_ error: LogError) {
        self =
            switch error {
            case .store(.unreachable(let reason)): .offline(reason)
            case .store(.unauthorized(let reason)): .unauthorized(reason)
            default: .failed("\(error)")
            }
    }
}
