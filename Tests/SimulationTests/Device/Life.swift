import Backing
import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
import Encryption
@testable import Library
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage
import TestSupport

/// One mount of a device: the real library and the real synchronizer on a store folder, which stays for the next mount.
final class Life: Sendable {
    let number: Int
    let device: Int
    let library: Library
    let cloud: CloudConnection
    let synchronizer: Synchronizer
    private let ledger: Ledger
    private let synchronization: Task<Void, Never>
    /// Small, so that worlds of a few commits have checkpoints too.
    private static let checkpointInterval: Int64 = 6
    private static let cacheLimit: Int64 = 16384
    private let end = LifeEnd()

    /// - Parameter keys: of an encrypted container; nil for a plain one.
    init(_ place: DevicePlace, number: Int, keys: ContainerKeys?, _ surroundings: WorldSurroundings) throws {
        self.number = number
        device = place.device
        ledger = surroundings.ledger
        // In every third life there is room for a few contents only.
        let cacheLimit = place.mayEvict && surroundings.seeds.next().isMultiple(of: 3) ? Self.cacheLimit : nil
        let (library, cloud) = try Library.open(
            LibraryConfiguration(
                storePath: place.path, filenames: try FilenameGenerator(convention: .uuid, prefix: ""),
                showsDisplayNames: false, timeout: .seconds(30), cacheLimit: cacheLimit),
            deviceName: place.name, surroundings: surroundings.forDevice(place, life: number),
            logger: Logger(label: place.name) { [end] name in
                FailureLog(name: name, ledger: surroundings.ledger, end: end)
            }
        ) { _ in
            let keeper = SimulatedStore(network: surroundings.network, device: place.device, life: number)
            let encryption = keys.map { EncryptedStore(keeper, keys: $0) }
            return CloudConnection(
                encryption ?? keeper, encryption: encryption, surroundings: surroundings.forDevice(place, life: number))
        }
        (self.library, self.cloud) = (library, cloud)
        // In every other life the kernel writes by itself (passthrough); then the world sets the files' times.
        library.unseenWrites.areNoticed.store(
            surroundings.seeds.next().isMultiple(of: 2), ordering: .relaxed)
        // In every other life commits take very little, so that changes which need each other would go apart.
        let synchronizer = Synchronizer(
            library, cloud, checkpointInterval: Self.checkpointInterval,
            commitLimit: surroundings.seeds.next().isMultiple(of: 2) ? CommitLimit(entries: 2) : .usual)
        self.synchronizer = synchronizer
        synchronization = Task { await synchronizer.run {} }
    }

    /// Ends as a killed process does: committed rows stay, and the store is not marked as cleanly closed. Its tasks get no more answers.
    func crash() throws {
        end.come()
        try library.store.catalog.abandon()
    }

    func close() throws {
        end.come()
        try library.close()
    }

    // MARK: Synchronization

    /// Wakes the synchronizer.
    func startRound() { cloud.wake.signal() }

    /// Ends all tasks at the end of the world.
    func abandon() {
        synchronization.cancel()
        library.transfers.cancelAll()
    }

    func fail(_ reason: String) {
        if !end.hasCome { ledger.fail("\(library.store.device.name): \(reason)") }
    }

    /// Whether the device knows of nothing left to do.
    var hasNothingPending: Bool {
        get throws {
            try library.store.catalog.read { rows in
                try rows.pendingCount() == 0 && rows.arrivingEntries(limit: 1).isEmpty && rows.outbox() == nil
            }
        }
    }

    // MARK: Reading

    /// Opens a document and reads all of it as it arrives.
    func startReading(_ inode: InodeNumber) {
        Task {
            do throws(Refusal) {
                let number: UInt64
                switch try library.open(inode, flags: O_RDONLY) {
                case .opened(let file): number = file.number
                case .arriving(let arriving): number = try await library.finishOpening(arriving, flags: O_RDONLY).number
                }
                defer { library.close(number) }
                let handle = try library.handle(number)
                if let size = handle.arrivingSize { try await library.waitForBytes(handle, from: 0, count: Int(size)) }
                let bytes = try Refusal.wrapping {
                    try handle.descriptor.readPrefix(Int(try handle.descriptor.status().st_size))
                }
                if !ledger.knows(contentHash(bytes)) { fail("a reader saw \(bytes.count) bytes that nobody wrote") }
                ledger.count("read")
            } catch {
                let expected: [Errno] = [.noRouteToHost, .ioError, .staleNFSFileHandle, .interrupted]
                if !expected.contains(error.errno) { fail("reading failed: \(error)") }
            }
        }
    }
}

/// The properties of a device that stay through all its lives.
struct DevicePlace: Sendable {
    let device: Int
    let path: String
    /// The error of its clock in nanoseconds.
    let skew: Int64
    /// Whether contents may be dropped from it.
    let mayEvict: Bool

    var name: String { Self.names[device] }

    static let names = ["laptop", "phone", "tablet", "desktop", "newcomer"]
}

/// The objects that the devices of a world share.
struct WorldSurroundings: Sendable {
    let clock: SimulatedClock
    let network: SimulatedNetwork
    let ledger = Ledger()
    let seeds: SeedSource

    init(seeds: SeedSource, form: ObjectForm = ObjectForm()) {
        self.seeds = seeds
        clock = SimulatedClock()
        network = SimulatedNetwork(clock: clock, form: form)
    }

    func forDevice(_ place: DevicePlace, life: Int) -> Surroundings {
        var surroundings = Surroundings(
            now: { [clock] in clock.wallTime(skew: place.skew) },
            localTime: { _ in LocalTime(year: 2026, month: 11, day: 21, hour: 4, minute: 12, second: 33) },
            random: { [seeds] in SeededGenerator(seed: seeds.next()) })
        surroundings.instant = { [clock] in clock.instant }
        surroundings.defersCommits = false
        surroundings.asksForLeases = false
        surroundings.folderTime = { _ in Timestamp(nanoseconds: 1) }
        surroundings.sleep = { [clock] in await clock.sleep($0, life: life) }
        return surroundings
    }
}

/// Returns another seed at each call.
final class SeedSource: Sendable {
    private let state: Mutex<SeededGenerator>

    init(seed: UInt64) { state = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { state.withLock { $0.next() } }
}
