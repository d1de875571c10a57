import Dispatch
import MountSupport
import SystemPackage
import Testing

extension KillTests {
    /// More effects than the move has.
    private static let mostEffects = 200

    @Test
    func `a kill while everything moves to the preferred location loses nothing, and the next mount moves the rest`()
        async throws
    {
        let plan = CrashPlanFile()
        defer { plan.withdraw() }
        let options = MountOptions(listing: .displayNames, environment: plan.environment)
        try await withMountedDevices([("Laptop", options)], limit: .seconds(1800)) { devices in
            let device = devices[0]
            try await device.shell(
                "echo plan > local/Plan.txt; mkdir -p local/Work/Inner; echo deep > local/Work/Inner/Deep.txt")
            var whole = try KeptTree(of: device.local)
            whole.order = nil
            var (kills, losses) = (0, [String]())
            var point: String?
            repeat {
                try #require(kills < Self.mostEffects)
                try plan.kill(after: kills)
                let isAcknowledged = try Self.prefer("cloud", on: device)
                if isAcknowledged {
                    try await eventually { try plan.reached != nil || Self.isAll(in: "cloud", of: device) }
                }
                device.killProcesses()
                try await device.waitUntilGone()
                try await device.clearDeadMount()
                kills += 1
                point = plan.reached
                plan.withdraw()
                try await device.mount()
                let preferred = try device.treeState()["preferred"] ?? ""
                if isAcknowledged, preferred != "cloud" {
                    losses.append("\(point ?? "its end"): the preference is lost")
                }
                if let difference = try await Self.difference(of: device, from: whole, in: preferred) {
                    losses.append("\(point ?? "its end"): \(difference)")
                }
                _ = try Self.prefer("local", on: device)
                try await eventually { try Self.isAll(in: "local", of: device) }
            } while point != nil
            #expect(losses.isEmpty, "\(losses.joined(separator: "\n"))")
            Amount.report(
                "KILLS", attacks: kills, lost: losses.count, "while everything moves to the preferred location")
        }
    }

    /// - Returns: whether it was acknowledged.
    private static func prefer(_ location: String, on device: Device) throws -> Bool {
        do { try (device.documents / ".location").write(location) } catch let error as Errno {
            if [.socketNotConnected, .connectionAbort, .noSuchFileOrDirectory].contains(error) { return false }
            throw error
        }
        return true
    }

    /// Whether everything has moved there, and the cloud knows it.
    private static func isAll(in location: String, of device: Device) throws -> Bool {
        let state = try device.treeState()
        let left = try (location == "cloud" ? device.local : device.cloud).listing()
        return left.isEmpty && state["preferred"] == location && state["preferred.moving"] == nil
            && state["cloud.pending"] == "0"
    }

    /// Waits until all is in the preferred location, and nothing anywhere else.
    private static func difference(of device: Device, from whole: KeptTree, in location: String) async throws -> String?
    {
        do { try await eventually { try isAll(in: location, of: device) } } catch is NeverCameTrue {
            return "not all is in \(location): \(try device.treeState())"
        }
        return try KeptTree(of: location == "cloud" ? device.cloud : device.local).difference(from: whole)
    }
}
