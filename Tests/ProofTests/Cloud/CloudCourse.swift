import Glibc
import MountSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Lets the devices of a test work while their connections are spoiled and cut, and the devices killed.
final class CloudCourse {
    let ledger = SaveLedger()
    private let workers: [CloudWorker]
    private let proxies: [FaultProxy]
    private var generator: SeededGenerator
    private var kills = 0
    private var separations = 0

    /// Of 1,000 requests, so many are spoiled.
    private static let rate = 150

    init(_ devices: [Device], _ proxies: [FaultProxy], seed: UInt64) {
        self.proxies = proxies
        generator = SeededGenerator(seed: seed)
        workers = devices.enumerated().map { [ledger] index, device in
            CloudWorker(device, ledger, seed: seed &* 17 &+ UInt64(index))
        }
    }

    var attacks: Int { proxies.reduce(kills + separations) { $0 + $1.made.values.reduce(0, +) } }

    var torn: [String] { workers.flatMap { $0.torn.withLock(\.self) } }

    /// How often each kind of attack was made.
    var summary: String {
        let givenUp = workers.reduce(0) { $0 + $1.givenUp }
        var made = ["kill": kills, "separation": separations, "late save given up": givenUp]
        for proxy in proxies {
            for (fault, count) in proxy.made { made[fault.rawValue, default: 0] += count }
        }
        return made.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// Goes on until so many attacks were made.
    func run(attacks: Int) async throws {
        for proxy in proxies { proxy.setRate(Self.rate) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.run() } }
            defer { for worker in workers { worker.stop() } }
            while self.attacks < attacks {
                try await Task.sleep(for: .milliseconds(Int.random(in: 500..<2500, using: &generator)))
                try await disturb(Int.random(in: workers.indices, using: &generator))
            }
        }
    }

    private func disturb(_ index: Int) async throws {
        let worker = workers[index]
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            kills += 1
            ledger.note("\(worker.device.name) is killed")
            try await worker.device.crash()
            // A mount asks the cloud once; without an answer it begins offline.
            try await worker.device.mount()
            ledger.note("\(worker.device.name) is mounted again")
        case 1:
            separations += 1
            ledger.note("\(worker.device.name) loses its connection")
            worker.setIsolated(true)
            proxies[index].setConnected(false)
        default:
            ledger.note("all have a connection")
            for (worker, proxy) in zip(workers, proxies) {
                proxy.setConnected(true)
                worker.setIsolated(false)
            }
        }
    }

    /// Mends all connections, and waits until the devices show the same and have nothing more to send.
    ///
    /// - Returns: the contents that they show, conflict versions included.
    func agreement() async throws -> Set<Save> {
        for proxy in proxies {
            proxy.setRate(0)
            proxy.setConnected(true)
        }
        var shown: [[String: Set<Save>]] = []
        do {
            try await eventually {
                for worker in workers {
                    let state = try worker.device.treeState()
                    guard state["cloud.connection"] == "online", state["cloud.pending"] == "0" else { return false }
                }
                shown = try workers.map { try Self.contents(of: $0.device) }
                return shown.allSatisfy { $0 == shown[0] }
            }
        } catch {
            for worker in workers {
                let description = try Self.description(of: worker.device)
                Issue.record("\(description)")
            }
            throw error
        }
        return shown[0].values.reduce(into: []) { $0.formUnion($1) }
    }

    /// The states and the log of a device, for a failure.
    private static func description(of device: Device) throws -> String {
        let files = [device.documents / ".state", device.cloud / ".state", device.store / "docfs.log"]
        return try ([device.name] + files.map { try $0.text() }).joined(separator: "\n")
    }

    /// The contents of a device by filename. A document that was killed while it was saved in place may be torn, and has none.
    private static func contents(of device: Device) throws -> [String: Set<Save>] {
        var contents: [String: Set<Save>] = [:]
        for entry in try device.cloud.entries() where entry.name.hasSuffix(".txt") {
            let path = device.cloud / entry.name
            var saves: Set<Save> = []
            if let save = Save.parse(try path.bytes()) { saves.insert(save) }
            let conflicts = FilePath(path.string + ".conflicts")
            for name in (try? conflicts.listing()) ?? [] {
                if let save = Save.parse(try (conflicts / name).bytes()) { saves.insert(save) }
            }
            contents[entry.name] = saves
        }
        return contents
    }
}
