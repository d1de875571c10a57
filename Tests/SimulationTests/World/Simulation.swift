import Foundation
import Glibc
import LinuxFiles
import ObjectStore
import Synchronization

/// Runs worlds, each from its seed.
enum Simulation {
    /// What becomes of the trace of a world. To write one takes a tenth of the time.
    enum TraceUse {
        case none
        case compared
        case printed
    }

    struct Result: Sendable {
        let seed: UInt64
        var wrong: [String] = []
        var traceHash: UInt64 = 0
        var steps = 0
        var counts: [String: Int] = [:]

        var report: String {
            "seed \(seed): \(wrong.prefix(4).joined(separator: "\n")) — replay it with scripts/simulate \(seed)"
        }
    }

    /// `DOCFS_SIMULATION_SEEDS=FIRST-LAST` chooses others.
    static var seeds: ClosedRange<UInt64> {
        let words = ProcessInfo.processInfo.environment["DOCFS_SIMULATION_SEEDS"]?.split(separator: "-").compactMap {
            UInt64($0)
        }
        if let seed = replayed { return seed...seed }
        guard let words, let first = words.first, let last = words.last, first <= last else { return 1...500 }
        return first...last
    }

    /// `DOCFS_SIMULATION_REPLAY=SEED` replays one world and prints its trace.
    static var replayed: UInt64? { number("DOCFS_SIMULATION_REPLAY") }

    /// `DOCFS_SIMULATION_SECONDS=N` runs worlds with random seeds for this time.
    static var duration: Duration? { number("DOCFS_SIMULATION_SECONDS").map { .seconds($0) } }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    static func run(seeds: ClosedRange<UInt64>, trace: TraceUse = .none) async -> [Result] {
        let source = SeedRange(seeds)
        return await withTaskGroup(of: [Result].self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    var results: [Result] = []
                    while let seed = source.next() { results.append(await run(seed: seed, trace: trace)) }
                    return results
                }
            }
            var all: [Result] = []
            for await results in group { all += results }
            return all.sorted { $0.seed < $1.seed }
        }
    }

    static func run(seed: UInt64, trace: TraceUse = .none) async -> Result {
        let queue = JobQueue()
        return await queue.onOwnThread { BlockingWork.$runsInline.withValue(true) { live(seed, queue, trace) } }
    }

    private static func live(_ seed: UInt64, _ queue: JobQueue, _ trace: TraceUse) -> Result {
        var result = Result(seed: seed)
        do {
            let world = try World(seed: seed, on: queue, trace: trace)
            defer { world.dismantle() }
            try world.run(steps: Int.random(in: 25..<80, using: &world.random))
            let hasNothingPending = try world.finishWork()
            result.wrong = try world.check()
            if !hasNothingPending { result.wrong.append("they do not come to rest: \(try world.unrest())") }
            if queue.isOverrun { result.wrong.append("their tasks never come to an end") }
            result.traceHash = world.traceHash
            result.steps = world.steps
            result.counts = world.ledger.counts
        } catch {
            result.wrong.append("\(error)")
        }
        return result
    }
}

/// Hands out seeds to the threads that run worlds.
private final class SeedRange: Sendable {
    private let rest: Mutex<ClosedRange<UInt64>?>

    init(_ range: ClosedRange<UInt64>) { rest = Mutex(range) }

    func next() -> UInt64? {
        rest.withLock { rest in
            guard let range = rest else { return nil }
            rest = range.lowerBound < range.upperBound ? range.lowerBound + 1...range.upperBound : nil
            return range.lowerBound
        }
    }
}
