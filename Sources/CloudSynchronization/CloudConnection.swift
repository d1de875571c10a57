import Backing
import Catalog
import Documents
import Library
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// The container's object store and whether it can be reached: the library's view of the cloud.
public final class CloudConnection: ContentSource {
    let store: any ObjectStore
    /// Signalled when there may be something to send.
    let wake: Wake
    private let state = Mutex(Connection.online)
    /// When changes were last of interest.
    private let lastUse: Mutex<ContinuousClock.Instant>
    private let instant: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - store: the object store. It is not used before the first call.
    ///   - surroundings: of the clock that measures how long nothing was of interest, and of the sleep that `Wake` uses.
    package init(_ store: any ObjectStore, surroundings: Surroundings) {
        self.store = store
        instant = surroundings.instant
        wake = Wake(sleep: surroundings.sleep)
        lastUse = Mutex(surroundings.instant())
    }

    /// Asks the cloud whether two devices can use it safely; see `ObjectStore.probe`.
    public func probe() async throws(ObjectStoreError) { try await store.probe() }

    // MARK: ContentSource

    public var connection: Connection { state.withLock { $0 } }

    public func download(
        _ version: DocumentVersion, of document: EntryID, into file: Descriptor
    ) throws(TransferError) -> Download {
        let key: ObjectKey
        do throws(CommitError) { key = try version.key(of: document) } catch { throw .invalidVersion(error) }
        return Download(store: store, key: key, version: version, into: FileDescriptor(rawValue: file.number))
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

    // MARK: For the synchronizer

    /// - Returns: whether the connection is another one than before.
    func set(_ connection: Connection) -> Bool {
        state.withLock { state in
            defer { state = connection }
            return state != connection
        }
    }

    /// The time since a document was last changed on any device, or a person looked for changes.
    var idleTime: Duration { instant() - lastUse.withLock { $0 } }
}

extension Connection {
    init(_ error: LogError) {
        self =
            switch error {
            case .store(.unreachable): .offline
            case .store(.unauthorized): .unauthorized
            default: .failed("\(error)")
            }
    }
}
