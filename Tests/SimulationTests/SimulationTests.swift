import Foundation
import Glibc
import Synchronization
import Testing

/// Whole devices in simulated worlds.
@Suite struct SimulationTests {
    @Test func `a world goes the same way each time`() async throws {
        for seed in UInt64(1)...6 {
            let first = await Simulation.run(seed: seed)
            let second = await Simulation.run(seed: seed)
            #expect(first.traceHash == second.traceHash)
            #expect(first.steps == second.steps)
        }
    }

    @Test func `nothing is lost in any world`() async throws {
        let results = await Simulation.run(seeds: Simulation.seeds)
        for result in results where !result.wrong.isEmpty { Issue.record("\(result.report)") }
        // That they did get in each other's way.
        let counts = results.reduce(into: [String: Int]()) { $0.merge($1.counts, uniquingKeysWith: +) }
        print(results.count, "worlds,", results.reduce(0) { $0 + $1.steps }, "steps,", counts.sorted { $0.key < $1.key })
    }
}
