import MountSupport
import Testing

/// The power is lost: the next mount has a disk on which only those writes are that had reached it by then.
@Suite(.mounting, .timeLimit(.minutes(60)), .needsDiskImages)
struct PowerTests {
    @Test(arguments: ["local", "cloud"])
    func `a loss of power leaves what was synced, and of the rest each document as before or after`(container: String)
        async throws
    {
        let rounds = max(1, Amount.attacks("POWER", default: 200) / 2)
        let (made, losses) = try await Self.losePower(in: container, rounds: rounds)
        #expect(losses.isEmpty, "\(losses.joined(separator: "\n"))")
        Amount.report(
            "POWER", attacks: made, lost: losses.count,
            "during \(RandomEndings.operationsOfRound) operations in \(container), every second of them synced")
    }

    /// Once with what docfs synced on the disk and nothing else, once with all names.
    @Test(arguments: ["local", "cloud"])
    func `a loss of power between any two effects leaves the state before or after`(container: String) async throws {
        let operations = KilledOperation.all(in: container).filter { $0.name != Self.spoiledByDisk }
        let chosen = Amount.choice(of: operations, share: Amount.attacks("POWER", default: 200), of: 400)
        let plan = try await CrashPlan()
        defer { plan.remove() }
        var (losses, kills) = ([String](), 0)
        for (part, operations) in KilledOperation.parts(of: chosen).enumerated() {
            let isEncrypted = Amount.isEncrypted(part, in: container)
            let options = MountOptions(listing: .displayNames, environment: plan.environment()).encrypting(isEncrypted)
            let other = MountOptions.displayNames.encrypting(isEncrypted)
            try await withDiskImage(size: "256M", options, besides: other) { device, disk, other in
                let course = KillCourse(device, besides: other, container: container)
                try await course.attackAll(
                    operations, by: plan, [false, true].map { .powerLoss(disk, keepsNames: $0) })
                losses += course.losses
                kills += course.kills
            }
        }
        #expect(losses.isEmpty, "\(losses.joined(separator: "\n"))")
        Amount.report(
            "POWER", attacks: kills, lost: losses.count,
            "between any two effects of \(chosen.count) operations in \(container)")
    }

    /// A plain ext4 leaves zeros for what truncate(2) cuts off, if nobody synced it: 20 of 1,200 files when it was tried.
    private static let spoiledByDisk = "cut off"

    /// With fsync(2) switched off, the same attacks find a loss.
    @Test func `without synchronization something is lost`() async throws {
        let plan = try await CrashPlan()
        defer { plan.remove() }
        let (_, losses) = try await Self.losePower(
            in: "local", rounds: 30, environment: plan.environment(without: "synchronization"), stopsAtLoss: true)
        #expect(!losses.isEmpty)
    }

    private static func losePower(
        in container: String, rounds: Int, environment: [String: String] = [:], stopsAtLoss: Bool = false
    ) async throws -> (made: Int, losses: [String]) {
        let operations = KilledOperation.all(in: container).filter { $0.name != spoiledByDisk }
        let endings = RandomEndings(
            container: container, operations: operations, rounds: rounds, longestDelay: 60_000)
        return try await endings.run(stopsAtLoss: stopsAtLoss) { isEncrypted, attack in
            let options = MountOptions(listing: .displayNames, environment: environment).encrypting(isEncrypted)
            let other = MountOptions.displayNames.encrypting(isEncrypted)
            return try await withDiskImage(size: "256M", options, besides: other) { device, disk, other in
                let course = KillCourse(device, besides: other, container: container)
                try await attack(course, disk)
                try await course.compare()
                return course
            }
        }
    }
}
