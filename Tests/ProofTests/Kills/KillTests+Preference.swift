import Dispatch
import MountSupport
import Testing

extension KillTests {
    /// More effects than the move has.
    private static let mostEffects = 200

    @Test
    func `a kill while everything moves to the preferred location loses nothing, and the next mount moves the rest`()
        async throws
    {
        let plan = try await CrashPlan()
        defer { plan.remove() }
        let options = MountOptions(listing: .displayNames, environment: plan.environment())
        try await withMountedDevices([("Laptop", options)], limit: .seconds(1800)) { devices in
            let device = devices[0]
            let move = try await PreferredMove(on: device)
            var (kills, losses) = (0, [String]())
            var point: String?
            repeat {
                try #require(kills < Self.mostEffects)
                try plan.kill(after: kills)
                let isAcknowledged = try move.prefer("cloud")
                if isAcknowledged { try await eventually { try plan.reached != nil || move.isDone("cloud") } }
                device.killProcesses()
                try await device.waitUntilGone()
                try await device.clearDeadMount()
                kills += 1
                point = plan.reached
                plan.withdraw()
                try await device.mount()
                if let loss = try await move.loss(wanted: isAcknowledged ? "cloud" : nil) {
                    losses.append("\(point ?? "its end"): \(loss)")
                }
                try await move.takeBack()
            } while point != nil
            #expect(losses.isEmpty, "\(losses.joined(separator: "\n"))")
            #expect(kills > 1, "docfs takes no orders")
            Amount.report(
                "KILLS", attacks: kills, lost: losses.count, "while everything moves to the preferred location")
        }
    }
}
