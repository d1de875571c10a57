import Catalog
import Documents
import Glibc
@testable import Library
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage
import TestSupport

/// A device from one mount to its end: the real library and the real synchronizer over a store folder
/// that outlives them.
final class Life: Sendable {
    let number: Int
    let device: Int
    let library: Library
    let synchronizer: Synchronizer
    private let ledger: Ledger
    private let underWay = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)

    init(_ place: DevicePlace, number: Int, _ surroundings: WorldSurroundings) throws {
        self.number = number
        device = place.device
        ledger = surroundings.ledger
        let clock = surroundings.clock
        library = try Library.open(
            LibraryConfiguration(
                storePath: place.path, filenames: try FilenameGenerator(convention: .uuid, prefix: ""),
                showsDisplayNames: false, timeout: .seconds(30)),
            transfers: Transfers(instant: { clock.instant }), deviceName: place.name,
            surroundings: surroundings.forDevice(place, life: number),
            logger: Logger(label: place.name) { _ in FailureLog(name: place.name, ledger: surroundings.ledger) }
        ) { _ in SimulatedStore(network: surroundings.network, device: place.device, life: number) }
        synchronizer = Synchronizer(library: library)
    }

    /// Ends as a killed process does: what is committed stays, and nothing says that all is well. Its tasks
    /// never hear again of what they wait for.
    func crash() throws {
        isOver.store(true, ordering: .relaxed)
        try library.catalog.close()
    }

    func close() throws {
        isOver.store(true, ordering: .relaxed)
        try library.close()
    }

    // MARK: Synchronization

    var isInRound: Bool { underWay.load(ordering: .relaxed) }

    /// What `Synchronizer.run` does in one round.
    func startRound() {
        guard !underWay.exchange(true, ordering: .relaxed) else { return }
        Task {
            await round()
            underWay.store(false, ordering: .relaxed)
        }
    }

    private func round() async {
        do {
            try await synchronizer.followLog()
            _ = library.transfers.setConnection(.online)
            synchronizer.startArrivals()
            _ = try synchronizer.startUploads()
            _ = try await synchronizer.sendPending()
        } catch let error as LogError {
            _ = library.transfers.setConnection(Connection(error))
        } catch {
            fail("synchronizing failed: \(error)")
        }
    }

    func fail(_ reason: String) {
        if !isOver.load(ordering: .relaxed) { ledger.fail("\(library.device.name): \(reason)") }
    }

    /// Whether nothing is left to do here, as far as it knows.
    var isSettled: Bool {
        get throws {
            try library.catalog.read { catalog in
                try catalog.pendingCount() == 0 && catalog.arrivingEntries(limit: 1).isEmpty && catalog.outbox() == nil
            }
        }
    }

    // MARK: Reading

    /// Opens a document and reads all of it, as soon as it comes.
    func startReading(_ inode: InodeNumber) {
        Task {
            do throws(Errno) {
                let number: UInt64
                switch try library.open(inode, flags: O_RDONLY) {
                case .opened(let opened): number = opened
                case .arriving(let arriving): number = try await library.finishOpening(arriving, flags: O_RDONLY)
                }
                defer { library.close(number) }
                let handle = try library.handle(number)
                if let size = handle.arrivingSize { try await library.waitForBytes(handle, from: 0, count: Int(size)) }
                let bytes = try handle.descriptor.readPrefix(Int(try handle.descriptor.status().st_size))
                if !ledger.knows(contentHash(bytes)) { fail("a reader saw \(bytes.count) bytes that nobody wrote") }
                ledger.count("read")
            } catch {
                let expected: [Errno] = [.noRouteToHost, .ioError, .staleNFSFileHandle, .interrupted]
                if !expected.contains(error) { fail("reading failed: \(error)") }
            }
        }
    }
}

/// Where a device has its store folder, through all its lives.
struct DevicePlace: Sendable {
    let device: Int
    let path: String
    /// How wrong its clock is, in nanoseconds.
    let skew: Int64

    var name: String { Self.names[device] }

    static let names = ["laptop", "phone", "tablet", "desktop", "newcomer"]
}

/// What the devices of a world share.
struct WorldSurroundings: Sendable {
    let clock = SimulatedClock()
    let network = SimulatedNetwork()
    let ledger = Ledger()
    let seeds: SeedSource

    func forDevice(_ place: DevicePlace, life: Int) -> Surroundings {
        var surroundings = Surroundings(
            now: { [clock] in clock.wallTime(skew: place.skew) },
            localTime: { _ in LocalTime(year: 2026, month: 11, day: 21, hour: 4, minute: 12, second: 33) },
            random: { [seeds] in SeededGenerator(seed: seeds.next()) })
        surroundings.instant = { [clock] in clock.instant }
        surroundings.sleep = { [clock] in await clock.sleep($0, life: life) }
        return surroundings
    }
}

/// Gives another seed each time it is asked.
final class SeedSource: Sendable {
    private let state: Mutex<SeededGenerator>

    init(seed: UInt64) { state = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { state.withLock { $0.next() } }
}
