import Replication
import Testing

/// Devices that have read the log to the same position have the same state. A failure can be replayed from its seed.
struct ConvergenceTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `all devices agree, and nothing that was saved is lost`(seed: UInt64) throws {
        var simulation = Simulation(seed: seed)
        try simulation.run(steps: 120)
        try simulation.expectConvergence()
    }

    @Test func `the simulation has conflicts`() throws {
        var conflicts = 0
        for seed in 0..<10 as Range<UInt64> {
            var simulation = Simulation(seed: seed)
            try? simulation.run(steps: 120)
            conflicts += simulation.conflicts
            #expect(simulation.commits > 5)
        }
        #expect(conflicts > 0)
    }
}
