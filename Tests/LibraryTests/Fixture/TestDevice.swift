import Backing
import Catalog
import Documents
import Encryption
import Foundation
@testable import CloudSynchronization
@testable import Library
import Logging
import ObjectStore
import Synchronization
import TestSupport

/// One device without a mount: a store folder of its own, a cloud folder that it may share, and a synchronizer whose parts run when a test
/// calls them.
final class TestDevice: Sendable {
    let name: String
    /// The store folder.
    let store: String
    /// The folder that is the cloud.
    let cloudFolder: String
    let cloud: GatedStore
    /// The cloud as an encrypted one; nil for a plain one.
    let encryption: EncryptedStore?
    /// Of an encrypted cloud; nil for a plain one.
    var key: ContainerKey? { encryption?.keys.kept.ring.newest.key }
    private let showsDisplayNames: Bool
    private let commitLimit: CommitLimit
    private let clock = TestClock()
    private let waited = Atomic<Int64>(0)
    private let stopped = Mutex<ContinuousClock.Instant?>(nil)
    private let opened = Mutex<(library: Library, connection: CloudConnection, synchronizer: Synchronizer)?>(nil)

    init(
        _ name: String, store: String, cloudFolder: String, keys: KeptKeys? = nil, showsDisplayNames: Bool = false,
        commitLimit: CommitLimit = .usual
    ) throws {
        self.name = name
        self.store = store
        self.cloudFolder = cloudFolder
        self.showsDisplayNames = showsDisplayNames
        self.commitLimit = commitLimit
        let folder = try DirectoryStore(root: cloudFolder, creates: true)
        encryption = keys.map { EncryptedStore(folder, keys: .inMemory($0)) }
        cloud = GatedStore(encryption ?? folder)
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    }

    var library: Library { opened.withLock { $0!.library } }

    var connection: CloudConnection { opened.withLock { $0!.connection } }

    var synchronizer: Synchronizer { opened.withLock { $0!.synchronizer } }

    /// Advances the clock that gives times of day.
    func advance(days: Int) { clock.advance(seconds: Int64(days) * 86_400) }

    func advance(seconds: Int64) { clock.advance(seconds: seconds) }

    /// Advances the clock for pauses and timeouts.
    func wait(seconds: Int64) { waited.add(seconds, ordering: .relaxed) }

    /// From now on only `wait` advances the clock for pauses and timeouts.
    func stopTime() { stopped.withLock { $0 = .now } }

    private var instant: ContinuousClock.Instant {
        (stopped.withLock { $0 } ?? .now) + .seconds(waited.load(ordering: .relaxed))
    }

    // MARK: Its life

    /// - Parameters:
    ///   - defersCommits: whether rows that may wait do so until another commit.
    ///   - asksForLeases: whether programs other than the device may have its files open.
    ///   - cacheLimit: the bytes that contents of the cloud's documents may take.
    func open(defersCommits: Bool = false, asksForLeases: Bool = false, cacheLimit: Int64? = nil) throws {
        // No test waits for the timeout, and on a busy machine contents take their time.
        let configuration = LibraryConfiguration(
            storePath: store, filenames: try FilenameGenerator(convention: .uuid, prefix: ""),
            showsDisplayNames: showsDisplayNames, timeout: .seconds(600), cacheLimit: cacheLimit)
        var surroundings = Surroundings(
            now: { [clock] in clock.next() },
            localTime: { _ in LocalTime(year: 2026, month: 11, day: 21, hour: 4, minute: 12, second: 33) },
            random: { SystemRandomNumberGenerator() })
        surroundings.instant = { [self] in instant }
        // A process has one thread. That of number 42 was started by number 4.
        surroundings.processes = Processes {
            $0 > 0 ? $0 : nil
        } parent: {
            $0 / 10
        }
        surroundings.defersCommits = defersCommits
        surroundings.asksForLeases = asksForLeases
        surroundings.diskPatience = 60
        if defersCommits { surroundings.sleep = { _ in try await Task.sleep(for: .seconds(3600)) } }
        // The sleep of rows that wait is endless; the sleep of the synchronizer is not.
        var timely = surroundings
        timely.sleep = { try await Task.sleep(for: $0) }
        let (library, connection) = try Library.open(
            configuration, deviceName: name, surroundings: surroundings,
            logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() }, pace: SendingPace(quiet: .zero)
        ) { [cloud, encryption, timely] _ in
            CloudConnection(cloud, encryption: encryption, surroundings: timely)
        }
        opened.withLock { $0 = (library, connection, Synchronizer(library, connection, commitLimit: commitLimit)) }
    }

    /// Ends as a killed process does: committed rows stay, and the store is not marked as closed.
    func crash() throws {
        let library = library
        opened.withLock { $0 = nil }
        library.transfers.cancelAll()
        try library.store.catalog.abandon()
    }

    func close() throws {
        let library = library
        opened.withLock { $0 = nil }
        try library.close()
    }

    /// Ends the device if it is still open.
    func dismantle() {
        cloud.release()
        if opened.withLock({ $0 != nil }) { try? crash() }
    }
}

/// A clock that starts now and gives a later time each time it is read.
private final class TestClock: Sendable {
    private let nanoseconds = Atomic<Int64>(Int64(Date().timeIntervalSince1970 * 1e9))

    func advance(seconds: Int64) { nanoseconds.add(seconds * 1_000_000_000, ordering: .relaxed) }

    func next() -> Timestamp {
        Timestamp(nanoseconds: nanoseconds.add(1000, ordering: .relaxed).newValue)
    }
}

// MARK: Devices for the time of a test

/// Runs `body` with a device that has an empty store and an empty cloud, and removes both.
func withDevice<Result>(
    showsDisplayNames: Bool = false, storage: TestStorage = .memory, _ body: (TestDevice) async throws -> Result
) async throws -> Result {
    try await withDevices(["laptop"], showsDisplayNames, storage: storage) { try await body($0[0]) }
}

/// Runs `body` with two devices that share an empty cloud.
func withTwoDevices(
    showDisplayNames: Bool = false, keys: KeptKeys? = nil, commitLimit: CommitLimit = .usual,
    storage: TestStorage = .memory,
    _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
) async throws {
    try await withDevices(["laptop", "phone"], showDisplayNames, keys: keys, commitLimit, storage: storage) {
        try await body($0[0], $0[1])
    }
}

/// All tests begin at once, and each store reserves room.
private let slots = Slots(count: 8)

private func withDevices<Result>(
    _ names: [String], _ showsDisplayNames: Bool, keys: KeptKeys? = nil,
    _ commitLimit: CommitLimit = .usual, storage: TestStorage,
    _ body: ([TestDevice]) async throws -> Result
) async throws -> Result {
    try await slots.use {
        let folder = storage.folder + "/docfs-library-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let devices = try names.map { name in
            try TestDevice(
                name, store: folder + "/" + name, cloudFolder: folder + "/cloud", keys: keys,
                showsDisplayNames: showsDisplayNames, commitLimit: commitLimit)
        }
        defer { devices.forEach { $0.dismantle() } }
        for device in devices { try device.open() }
        return try await body(devices)
    }
}
