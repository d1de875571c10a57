import Dispatch
import MountSupport
import Testing

/// docfs is killed, and the next mount shows what was acknowledged. Of a call that was under way it shows the state before or after it.
@Suite(.mounting, .timeLimit(.minutes(60)))
struct KillTests {
    /// Operations of which the sending is killed, too: one of each kind of change that the container is told.
    private static let followed = ["create", "save by renaming", "rename", "set an attribute", "remove"]

    /// Some operations in one of the containers.
    struct Part: Sendable, CustomTestStringConvertible {
        let container: String
        let number: Int
        let operations: [KilledOperation]

        var testDescription: String { "\(container), part \(number + 1)" }

        static let all = ["local", "cloud"].flatMap { container in
            KilledOperation.parts(of: KilledOperation.all(in: container)).enumerated().map {
                Part(container: container, number: $0, operations: $1)
            }
        }
    }

    @Test(arguments: Part.all)
    func `a kill between any two effects of an operation leaves the state before or after it`(part: Part) async throws {
        let course = try await Self.attack(
            part.operations, in: part.container,
            isEncrypted: Amount.isEncrypted(part.number, in: part.container))
        #expect(course.losses.isEmpty, "\(course.losses.joined(separator: "\n"))")
        let reached = course.pointsReached.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        Amount.report(
            "KILLS", attacks: course.kills, lost: course.losses.count,
            "\(part.operations.count) operations in \(part.container): \(reached.joined(separator: ", "))")
    }

    /// With a protection switched off, the same attacks find a loss.
    @Test(arguments: [
        ("nameOnFile", "create"), ("comparison", "create"), ("commitAtOnce", "reorder"),
    ])
    func `without a protection something is lost`(protection: String, operation: String) async throws {
        let operations = KilledOperation.all(in: "local").filter { $0.name == operation }
        let course = try await Self.attack(operations, in: "local", without: protection)
        #expect(!course.losses.isEmpty)
    }

    private static func attack(
        _ operations: [KilledOperation], in container: String, isEncrypted: Bool = false,
        without protection: String? = nil
    ) async throws -> KillCourse {
        let plan = try await CrashPlan()
        defer { plan.remove() }
        let attacked = MountOptions(
            listing: .displayNames, environment: plan.environment(without: protection)
        ).encrypting(isEncrypted)
        let members = [("Laptop", attacked), ("Desktop", MountOptions.displayNames.encrypting(isEncrypted))]
        // Dozens of mounts follow each other, and a busy machine takes its time for each.
        return try await withMountedDevices(members, limit: .seconds(1800)) { devices in
            let course = KillCourse(devices[0], besides: devices[1], container: container)
            try await course.attackAll(operations, by: plan, followed: container == "cloud" ? followed : [])
            return course
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `a kill at any instant loses nothing that was acknowledged`(container: String) async throws {
        let endings = RandomEndings(
            container: container, operations: KilledOperation.all(in: container),
            rounds: max(1, Amount.attacks("KILLS", default: 140) / 2), longestDelay: 30_000)
        let (kills, losses) = try await endings.run { isEncrypted, attack in
            try await withTwoDevices(.displayNames.encrypting(isEncrypted)) { device, observer in
                let course = KillCourse(device, besides: observer, container: container)
                try await attack(course, nil)
                try await course.compare()
                return course
            }
        }
        #expect(losses.isEmpty, "\(losses.joined(separator: "\n"))")
        Amount.report(
            "KILLS", attacks: kills, lost: losses.count,
            "at random instants of \(RandomEndings.operationsOfRound) operations in \(container), then compared with another device"
        )
    }
}
