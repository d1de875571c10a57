import Backing
import Catalog
import Documents
import Encryption
import Foundation
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replication
import SystemPackage
import TestSupport

/// Several devices and one store on one thread. One seed decides everything.
///
/// In a step a person does something, a device begins a round of synchronization, a request is answered, or time passes. Then
/// all jobs in the run queue are run. So each step belongs to one device, and between two steps its tasks wait for the store,
/// for time, or for each other. A device can crash between two steps.
final class World {
    /// How often requests fail.
    enum Weather: Int { case calm, rough, storm }

    /// The usual limit of the error of a device's clock, in nanoseconds.
    private static let usualSkew: Int64 = 100_000_000_000
    /// 14 years.
    private static let absurdSkew: Int64 = 14 * 365 * 86_400_000_000_000

    let seed: UInt64
    var random: SeededGenerator
    let surroundings: WorldSurroundings
    let weather: Weather
    let queue: JobQueue
    let folder: String
    private(set) var devices: [SimulatedDevice] = []
    private let traceUse: Simulation.TraceUse
    /// Whether writes take much longer than reads.
    private let hasSlowWrites: Bool
    private var hash = TraceHash()
    private(set) var steps = 0
    private var contents = 0
    /// Whether people often make, move and remove folders.
    var worksWithFolders: Bool { seed.isMultiple(of: 5) }
    /// Whether people and programs often use scratch names, backups and the trash.
    var worksWithScratch: Bool { seed % 5 == 1 }
    /// Whether one person uses the devices in turn, and goes to another one when all are at rest. Then there are no conflicts.
    var hasOnePerson: Bool { seed % 8 == 3 }
    /// The device that this person uses.
    private var used = 0
    /// Whether the world is in its last phase, in which no request fails.
    private var isHealed = false
    /// Whether the container is damaged, without the devices.
    private let mayBeDamaged: Bool
    /// An older state of the container, to roll it back to.
    private var backup: [ObjectKey: [UInt8]] = [:]
    private(set) var isDamaged = false

    init(seed: UInt64, on queue: JobQueue, trace traceUse: Simulation.TraceUse = .none) throws {
        self.seed = seed
        self.queue = queue
        self.traceUse = traceUse
        random = SeededGenerator(seed: seed)
        surroundings = WorldSurroundings(
            seeds: SeedSource(seed: random.next()),
            form: seed.isMultiple(of: 2) ? ObjectForm(encryptedWith: seed) : ObjectForm())
        hasSlowWrites = random.once(in: 2)
        mayBeDamaged = random.once(in: 4) && seed % 8 != 3
        weather = Weather(rawValue: Int.random(in: 0..<3, using: &random)) ?? .calm
        folder = "\(TestStorage.memory.folder)/docfs-simulation-\(getpid())-\(seed)-\(UUID().uuidString)"
        let count = Int.random(in: 2..<4, using: &random) + (random.once(in: 4) ? 1 : 0)
        for device in 0..<count {
            let largest = random.once(in: 8) ? Self.absurdSkew : Self.usualSkew
            let skew = random.once(in: 2) ? 0 : Int64.random(in: -largest...largest, using: &random)
            devices.append(try makeDevice(device, skew: skew))
        }
        if network.form.isEncrypted { ledger.count("encrypted") }
        trace("\(count) devices, \(weather)\(network.form.isEncrypted ? ", encrypted" : "")")
        ledger.noteContent(contentHash([]))
    }

    func makeDevice(_ device: Int, skew: Int64) throws -> SimulatedDevice {
        let place = DevicePlace(
            device: device, path: folder + "/" + DevicePlace.names[device], skew: skew,
            // Only a whole container has what a device drops.
            mayEvict: !mayBeDamaged)
        let keys = network.form.newcomerKeys(network.kept(at: KeyObject.keys[0]))
        return try SimulatedDevice(place, keys, surroundings)
    }

    var ledger: Ledger { surroundings.ledger }
    var network: SimulatedNetwork { surroundings.network }
    var traceHash: UInt64 { hash.value }

    func trace(_ text: @autoclosure () -> String) {
        switch traceUse {
        case .none: break
        case .compared: hash.add(text())
        case .printed: print("\(steps)\t\(text())")
        }
    }

    /// A content that was not written before, mostly a line of text.
    func newContent() -> [UInt8] {
        contents += 1
        let length = random.once(in: 12) ? 5000 : Int.random(in: 0..<40, using: &random)
        let letters = (0..<length).map { _ in UInt8.random(in: 97...122, using: &random) }
        return Array("content \(contents) ".utf8) + letters + [10]
    }

    // MARK: Steps

    /// That a device sends on end when nothing fails. In worlds whose requests have an end, they are some hundreds.
    private static let mostRequests = 20_000

    func run(steps count: Int) throws {
        isHealed = true
        try found()
        isHealed = false
        for _ in 0..<count {
            try step()
            if !ledger.failures.isEmpty { return }
        }
    }

    private func step() throws {
        steps += 1
        if mayBeDamaged, random.once(in: 25) {
            try damage()
            queue.drain(&random)
            return
        }
        if !isDamaged, random.once(in: 150) {
            passDays()
            queue.drain(&random)
            return
        }
        if network.form.isEncrypted, !mayBeDamaged, random.once(in: 60) {
            try changeKey(on: devices.randomElement(using: &random)!)
            queue.drain(&random)
            return
        }
        if hasOnePerson, random.once(in: 20) { return try useAnother() }
        if hasOnePerson, random.once(in: 4) {
            try act(on: devices[used])
            queue.drain(&random)
            return
        }
        let device = devices.randomElement(using: &random)!
        if device.isLocked, random.once(in: 8) { try unlock(device) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<22: try act(on: hasOnePerson ? devices[used] : device)
        case 22..<34: beginRound(device)
        case 34..<42: pass(.milliseconds(Int.random(in: 1..<1000, using: &random)))
        case 42..<43: pass(.seconds(Int.random(in: 1..<40, using: &random)))
        case 43..<45 where weather != .calm: trouble(device)
        case 45..<47 where weather != .calm: try restart(device)
        case 47..<50 where network.lateCount > 0:
            trace("a late write arrives")
            network.deliverLate(Int.random(in: 0..<network.lateCount, using: &random))
        default:
            for _ in 0..<Int.random(in: 1..<8, using: &random) {
                deliver()
                queue.drain(&random)
            }
        }
        queue.drain(&random)
    }

    /// The person goes to another device.
    private func useAnother() throws {
        guard try finishWork() else { return ledger.fail("they do not come to rest: \(try unrest())") }
        for fault in checkOnePerson(try Self.replica(of: devices[used])) { ledger.fail(fault) }
        isHealed = false
        used = Int.random(in: devices.indices, using: &random)
        trace("the person uses \(devices[used].place.name)")
        ledger.count("device")
    }

    /// Removes log entries or the whole log, rolls it back, or replaces the container by another one. In an encrypted container, whose keeper
    /// cannot write entries, two of them may also change places.
    private func damage() throws {
        let objects = network.objects
        if backup.isEmpty || random.once(in: 2) {
            backup = objects
            return
        }
        let log = objects.keys.filter { $0.components[0] == "log" }.sorted()
        let kind = Int.random(in: 0..<(network.form.isEncrypted ? 6 : 5), using: &random)
        let kinds = [
            "has a hole", "is rolled back", "is emptied", "is replaced", "loses its id",
            "has two entries in each other's place",
        ]
        trace("the container \(kinds[kind])")
        switch kind {
        case 0:
            guard let hole = log.randomElement(using: &random) else { return }
            network.replaceLog(by: objects.filter { $0.key != hole })
        case 1: network.replaceLog(by: backup)
        case 2: network.replaceLog(by: [:])
        case 3: network.replaceLog(by: [ContainerIdentity.key: ContainerIdentity(.random(using: &random)).encoded])
        case 4: network.replaceLog(by: objects.filter { $0.key.components[0] != "container" })
        default:
            guard let first = log.randomElement(using: &random), let second = log.randomElement(using: &random),
                first != second
            else { return }
            network.exchange(first, second)
        }
        isDamaged = true
        try noteUncertain()
        ledger.count("damage")
    }

    /// Repairs the container on a device that reports damage.
    private func repair() {
        guard isDamaged else { return }
        for device in devices.shuffled(using: &random) {
            // Until each device has checked the container once more; the others follow a repair.
            for _ in 0..<3 {
                pass(.seconds(301))
                synchronizeAll()
            }
            guard case .failed = device.life.cloud.connection else { continue }
            trace("\(device.place.name) repairs the container")
            _ = device.library.checkup.request(.repair)
            synchronizeAll()
            ledger.count("repair")
        }
    }

    private func beginRound(_ device: SimulatedDevice) {
        trace("\(device.place.name) is woken")
        device.life.startRound()
        pass(.milliseconds(30))
    }

    /// Lets so much time pass that departed contents are removed. No request takes days.
    private func passDays() {
        finishRequests()
        while network.lateCount > 0 { network.deliverLate(0) }
        pass(.seconds(86_400 * Int.random(in: 1...25, using: &random)))
        ledger.count("days")
    }

    func pass(_ duration: Duration) {
        trace("\(duration) pass")
        surroundings.clock.advance(by: duration)
    }

    private func trouble(_ device: SimulatedDevice) {
        device.isPartitioned.toggle()
        trace("\(device.place.name) \(device.isPartitioned ? "loses" : "has") its connection")
    }

    private func restart(_ device: SimulatedDevice) throws {
        if random.once(in: 3) {
            trace("\(device.place.name) is mounted anew")
            for writer in device.writers { noteClosing(writer, on: device) }
            try device.remount()
        } else {
            trace("\(device.place.name) crashes")
            let underWay = network.waiting.filter { $0.life == device.life.number && $0.operation.isPut }
            // Requests of the ended process arrive now, later, or never.
            for request in underWay {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: _ = network.carryOut(request.operation)
                case 1: network.delay(request.operation)
                default: break
                }
            }
            try device.crash()
            ledger.count("crash")
        }
    }

    // MARK: The network

    private func deliver() {
        guard let request = network.waiting.randomElement(using: &random) else { return }
        if !isHealed, hasSlowWrites, request.operation.isPut, !random.once(in: 8) { return }
        // Names become free when contents are here.
        if !isHealed, hasOnePerson, request.operation.readsContent, !random.once(in: 8) { return }
        let device = devices.first { $0.index == request.device }
        let fate = isHealed ? Fate.arrives : fate(of: request, isPartitioned: device?.isPartitioned == true)
        let result = fate.apply(request, network, &random)
        trace(
            "\(DevicePlace.names[request.device]) \(request.operation.description(in: network.form)): \(fate) \(Self.text(result))"
        )
        if fate != .arrives { ledger.count("\(fate)") }
        network.answer(request, result)
    }

    private static func text(_ result: Result<Answer, ObjectStoreError>) -> String {
        switch result {
        case .success(let answer): answer.description
        case .failure(let error): error.description
        }
    }

    private func fate(of request: Request, isPartitioned: Bool) -> Fate {
        if isPartitioned { return .lost }
        guard weather != .calm else { return .arrives }
        guard random.once(in: weather == .storm ? 5 : 12) else { return .arrives }
        return Fate.allCases.filter { $0.canMeet(request.operation, in: network.form) }.randomElement(using: &random)
            ?? .arrives
    }

    // MARK: Quiet

    /// Ends all failures and lets every device finish its work.
    ///
    /// - Returns: whether they finished.
    func finishWork() throws -> Bool {
        isHealed = true
        for device in devices {
            device.isPartitioned = false
            for writer in device.writers { noteClosing(writer, on: device) }
            for writer in device.writers { device.library.close(writer.handle) }
            device.writers = []
        }
        queue.drain(&random)
        while network.lateCount > 0 { network.deliverLate(0) }
        repair()
        for _ in 0..<40 {
            for device in devices where device.isLocked { try unlock(device) }
            synchronizeAll()
            if try isQuiet() { return true }
            pass(.seconds(400))
            finishRequests()
        }
        return false
    }

    /// Runs one round of synchronization on each device.
    func synchronizeAll() {
        for device in devices { device.life.startRound() }
        finishRequests()
        pass(.seconds(1))
        finishRequests()
    }

    func finishRequests() {
        queue.drain(&random)
        let last = steps + Self.mostRequests
        while !network.waiting.isEmpty {
            steps += 1
            if steps == last { return ledger.fail("requests follow each other without an end") }
            deliver()
            queue.drain(&random)
        }
    }

    private func isQuiet() throws -> Bool {
        if !ledger.failures.isEmpty { return true }
        let positions = Set(try devices.map { try $0.life.synchronizer.container.head()?.position })
        return try positions.count == 1 && devices.allSatisfy { try $0.life.hasNothingPending && $0.hasJoined }
    }

    /// The work left on each device that is not at rest.
    func unrest() throws -> String {
        try devices.filter { try !$0.life.hasNothingPending }.map { device in
            let entries = try device.library.transactions.inspect {
                try $0.descendants(of: .cloud) + $0.descendants(of: .local)
            }
            let busy = entries.filter { !$0.pending.isEmpty || $0.location == .local && !$0.isHere }
                .map {
                    "\($0.filename) pending \($0.pending.rawValue), here \($0.isHere), bundle \($0.bundle ?? 0), \($0.error ?? "no error")"
                }
            let withdrawals = try device.library.transactions.inspect { try $0.withdrawals() }.map {
                "withdrawal of \($0.id), heir \($0.heir?.description ?? "none")"
            }
            return "\(device.place.name): \((busy + withdrawals).joined(separator: "; "))"
        }.joined(separator: " | ")
    }

    /// Adds a new device.
    func addNewcomer() throws -> SimulatedDevice {
        let newcomer = try makeDevice(DevicePlace.names.count - 1, skew: 0)
        devices.append(newcomer)
        finishRequests()
        // It may be the first to read again what is damaged.
        if case .failed = newcomer.life.cloud.connection { repair() }
        // It joins an encrypted container, and the others read that.
        for _ in 0..<10 where try !isQuiet() { synchronizeAll() }
        return newcomer
    }

    func dismantle() {
        for device in devices { device.dismantle() }
        network.failAll()
        queue.drain(&random)
        devices = []
        try? FileManager.default.removeItem(atPath: folder)
    }
}
