import Backing
import Catalog
import Documents
import Glibc
import Logging
import ObjectStore
import Synchronization
import SystemPackage

/// Why a store cannot be used, in one line for a person.
public struct StoreError: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension Library {
    /// Opens a store, creating it on first use, and mends what an unclean end left behind.
    ///
    /// The caller holds the store's lock (`StoreLock`).
    ///
    /// - Parameter deviceName: shown to other devices; nil keeps the one the store has.
    public static func open(
        _ configuration: LibraryConfiguration, cloud: CloudURL, deviceName: String?, surroundings: Surroundings,
        logger: Logger
    ) throws(StoreError) -> Library {
        try open(
            configuration, transfers: Transfers(instant: surroundings.instant, sleep: surroundings.sleep),
            deviceName: deviceName,
            surroundings: surroundings, logger: logger
        ) { try openCloud(cloud, $0, logger) }
    }

    /// - Parameter store: gives the container's object store.
    static func open(
        _ configuration: LibraryConfiguration, transfers: Transfers, deviceName: String?, surroundings: Surroundings,
        logger: Logger, store: (Catalog) throws -> any ObjectStore
    ) throws(StoreError) -> Library {
        let path = configuration.storePath
        do {
            let backing = try BackingStore(path: path)
            let reserve = Reserve(backing)
            func attempt() throws -> Library {
                try openStore(backing, reserve, configuration, transfers, deviceName, surroundings, logger, store)
            }
            do { return try attempt() } catch CatalogError.full {
                // A disk that is full to the last block is no reason not to mount.
                reserve.giveUpWhole()
                return try attempt()
            }
        } catch let error as StoreError {
            throw error
        } catch Errno.permissionDenied {
            throw StoreError("the store \(path) is not writable; choose another with --store")
        } catch {
            throw StoreError("the store \(path) cannot be opened: \(error)")
        }
    }

    private static func openStore(
        _ backing: BackingStore, _ reserve: Reserve, _ configuration: LibraryConfiguration, _ transfers: Transfers,
        _ deviceName: String?, _ surroundings: Surroundings, _ logger: Logger,
        _ store: (Catalog) throws -> any ObjectStore
    ) throws -> Library {
        let mark = CleanMark(backing)
        let wasClean = mark.isValid()
        for (name, error) in backing.makeOwnFilesPrivate() {
            logger.warning("others may read a file of the store", metadata: ["file": "\(name)", "error": "\(error)"])
        }
        let isFull = reserve.makeRoom()
        let catalog = try Catalog(
            path: configuration.storePath + "/catalog.sqlite",
            later: surroundings.defersCommits ? writeLater(surroundings) : nil
        ) { write in try reserve.use { try write() } }
        do {
            let identity = try mark.catalogIdentity()
            let known = try catalog.read { try $0.setting(.catalogFile) }
            let isNew = try known == nil && catalog.read { try $0.setting(.deviceID) } == nil
            let isCopy = known != nil && known != identity
            let objects = try store(catalog)
            // From here on the store changes; a mount that is refused before leaves it as it was.
            try mark.remove()
            let device = try catalog.write { try Device.load(name: deviceName, isCopy: isCopy, $0, surroundings) }
            // What the original uploaded it may still name.
            if isCopy {
                try catalog.write { catalog in
                    try catalog.forgetAllUploads()
                    try catalog.emptyOutbox()
                }
            }
            let library = Library(
                configuration: configuration, surroundings: surroundings, logger: logger, catalog: catalog,
                backing: backing, reserve: reserve, store: objects, transfers: transfers, device: device)
            try library.reconcile(isNew ? .new : isCopy ? .copy : wasClean ? .clean : .unclean)
            // Last, so that a copy counts as one until it has been compared as one.
            try catalog.write { try $0.change(.catalogFile, to: identity) }
            if isFull { library.endReserveUse() } else { reserve.renew() }
            return library
        } catch {
            // Nothing waits yet that could not be written.
            try? catalog.close()
            throw error
        }
    }

    private static func writeLater(_ surroundings: Surroundings) -> Catalog.Later {
        { write in
            Task {
                // Cancelled or not, it must be written.
                try? await surroundings.sleep(Durability.longestWait)
                await onBlockingThread { write() }
            }
        }
    }

    /// The same container may have another URL today; that it is the same is found out from its id.
    private static func openCloud(
        _ url: CloudURL, _ catalog: Catalog, _ logger: Logger
    ) throws -> any ObjectStore {
        let known = try catalog.read { try $0.setting(.cloudURL) }
        let hasMet = try catalog.read { try $0.logHead() } != nil
        switch url {
        case .directory(let path):
            let store: DirectoryStore
            do throws(ObjectStoreError) {
                store = try DirectoryStore(root: path, creates: known != path && !hasMet)
            } catch {
                let reason = if case .unusable(let reason) = error { reason } else { error.description }
                throw StoreError("the cloud folder \(path) cannot be used: \(reason)")
            }
            try catalog.write { try $0.change(.cloudURL, to: path) }
            return store
        case .s3(let location):
            let settings: S3Settings
            do throws(S3SettingsError) { settings = try S3Settings(ofMachine: location) } catch {
                throw StoreError(error.description)
            }
            try catalog.write { try $0.change(.cloudURL, to: settings.identity) }
            return ProbedStore(S3Store(settings), random: S3Surroundings.system.random)
        }
    }

    /// Asks the cloud whether two devices can use it safely; see `ObjectStore.probe`.
    public func probeCloud() async throws(ObjectStoreError) { try await store.probe() }

    public var showsDisplayNames: Bool { configuration.showsDisplayNames }
}

extension Device {
    static func load(
        name: String?, isCopy: Bool, _ catalog: CatalogTransaction, _ surroundings: Surroundings
    ) throws -> Device {
        var random = surroundings.random()
        // A copy may be used beside its original: it is another device.
        let known = try isCopy ? nil : catalog.setting(.deviceID).flatMap(DeviceID.init)
        let id = known ?? .random(using: &random)
        let name = try name ?? catalog.setting(.deviceName) ?? hostName()
        // Written only where it is news: a full disk must not be in the way of a mount.
        try catalog.change(.deviceID, to: id.description)
        try catalog.change(.deviceName, to: name)
        return Device(id: id, name: name)
    }

    private static func hostName() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "linux" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? "linux" : name
    }
}

/// Keeps a second docfs off a store. Held by the kernel for as long as the process lives.
public final class StoreLock: Sendable {
    private let descriptor: Descriptor

    /// Creates the store's folder (mode 0700) where it is missing, and locks it.
    public init(path: String) throws(StoreError) {
        try Self.makeFolders(path)
        do throws(Errno) {
            descriptor = try Descriptor.open(path + "/lock", O_RDWR | O_CREAT, mode: 0o600)
        } catch {
            throw StoreError("the store \(path) is not writable (\(error)); choose another with --store")
        }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError(
                "the store \(path) is in use by another docfs; unmount that first, or choose another with --store")
        }
    }

    private static func makeFolders(_ path: String) throws(StoreError) {
        var partial = ""
        for component in path.split(separator: "/") {
            partial += "/" + component
            if mkdir(partial, 0o700) != 0, errno != EEXIST, access(partial, X_OK) != 0 {
                throw StoreError(
                    "the store \(path) cannot be created: \(partial): \(Errno(rawValue: errno))")
            }
        }
    }
}
