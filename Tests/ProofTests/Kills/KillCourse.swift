import Glibc
import MountSupport
import SystemPackage
import Testing

/// Carries out operations on a mount whose docfs is killed meanwhile, and compares what is there at the next mount with what was
/// acknowledged.
final class KillCourse {
    typealias Place = KilledOperation.Place

    private let device: Device
    /// Shares the container, and is never killed.
    private let other: Device?
    private let container: String
    private(set) var kills = 0
    private(set) var losses: [String] = []
    private(set) var pointsReached: [String: Int] = [:]

    /// Folders that are made at once.
    private static let batch = 6
    /// Where docfs is ended that has done all of an operation.
    private static let afterAll = "after all"
    /// More effects than any operation has.
    private static let mostEffects = 60

    /// - Parameter other: for operations that need a conflict, and for the comparison at the end.
    init(_ device: Device, besides other: Device? = nil, container: String) {
        self.device = device
        self.other = other
        self.container = container
    }

    // MARK: At every point

    /// Makes the first folders for operations, which takes less time than for each alone.
    private func prepare(_ operations: [KilledOperation]) async throws {
        try await makeTrees(operations.flatMap { names(of: $0, from: 0) })
        try await makeConflicts(in: operations.filter(\.needsConflict).flatMap { names(of: $0, from: 0) })
    }

    /// Attacks operations one after the other at every point, then compares.
    ///
    /// - Parameter followed: the names of those to which sending belongs.
    func attackAll(
        _ operations: [KilledOperation], by plan: CrashPlan, _ endings: [Ending] = [.kill], followed: [String] = []
    ) async throws {
        try await prepare(operations)
        for operation in operations {
            try await attack(operation, by: plan, endings, isFollowed: followed.contains(operation.name))
        }
        try #require(pointsReached.keys.contains { $0 != Self.afterAll }, "docfs takes no orders")
        try await compare()
    }

    private func names(of operation: KilledOperation, from count: Int) -> [String] {
        (count..<count + Self.batch).map { "\(operation.name) \($0)" }
    }

    /// Repeats an operation, each time in another folder, and ends docfs after ever more effects, at last after all of them.
    ///
    /// - Parameters:
    ///   - endings: the ways to end it after each number of effects.
    ///   - isFollowed: whether sending it to the container belongs to it.
    private func attack(
        _ operation: KilledOperation, by plan: CrashPlan, _ endings: [Ending], isFollowed: Bool
    ) async throws {
        for number in 0..<Self.mostEffects * endings.count {
            let (count, ending) = (number / endings.count, endings[number % endings.count])
            if number > 0, number % Self.batch == 0 {
                let names = names(of: operation, from: number)
                try await makeTrees(names)
                if operation.needsConflict { try await makeConflicts(in: names) }
            }
            let place = place("\(operation.name) \(number)")
            try await prepare(operation, at: place)
            let before = try place.tree()
            if case .powerLoss(let disk, _) = ending { try await disk.synchronize() }
            try plan.kill(after: count)
            var extent = Extent(acknowledged: try Self.steps(operation, at: place))
            if extent.acknowledged == operation.steps.count {
                // Has docfs commit the rows that may be late. That fails if it is killed there.
                extent.isSynced = place.synchronize()
                if isFollowed { try await finishSending(unlessKilledBy: plan) }
            }
            try await end(by: ending)
            let point = plan.reached
            plan.withdraw()
            try await device.mount()
            pointsReached[point ?? Self.afterAll, default: 0] += 1
            try check(
                operation, at: place, before, extent, ending,
                "ended at \(point ?? "its end") (effect \(count + 1))")
            if point == nil, (number + 1) % endings.count == 0 { return }
        }
        Issue.record("\(operation.name) has more than \(Self.mostEffects) effects")
    }

    private func prepare(_ operation: KilledOperation, at place: Place) async throws {
        if operation.preparation.isEmpty { return }
        try await device.shell("cd '\(container)/\(place.name)'; \(operation.preparation)")
    }

    private func finishSending(unlessKilledBy plan: CrashPlan) async throws {
        try await eventually { try plan.reached != nil || device.treeState()["cloud.pending"] == "0" }
    }

    // MARK: At random instants

    /// How the process is ended.
    enum Ending {
        case kill
        /// Only data that has reached the disk is left: of what was not synced, nothing need be there.
        ///
        /// - Parameter keepsNames: as in `DiskImage.losePower`.
        case powerLoss(DiskImage, keepsNames: Bool)
    }

    /// Carries out operations one after the other until docfs is ended.
    ///
    /// - Parameter delay: from the first operation to the end.
    func attack(_ operations: [KilledOperation], by ending: Ending, after delay: Duration, round: Int, syncsFirst: Bool)
        async throws
    {
        let places = operations.enumerated().map { place("\(round)-\($0) \($1.name)") }
        let conflicts = zip(operations, places).filter(\.0.needsConflict).map(\.1.name)
        // Undoing undoes the last change of all, and another device must know what it changes at once.
        try await makeTrees(places.map(\.name), isSettled: !operations.allSatisfy(\.isIndependent))
        try await makeConflicts(in: conflicts)
        for (operation, place) in zip(operations, places) { try await prepare(operation, at: place) }
        let before = try places.map { try $0.tree() }
        if case .powerLoss(let disk, _) = ending { try await disk.synchronize() }
        let isSyncing = if case .powerLoss = ending { true } else { false }
        async let results = onThread {
            zip(operations, places).enumerated().map { index, pair in
                Self.carryOut(pair.0, at: pair.1, isSynced: isSyncing && index.isMultiple(of: 2) == syncsFirst)
            }
        }
        try await Task.sleep(for: delay)
        try await end(by: ending)
        try await device.mount()
        for (index, result) in await results.enumerated() {
            switch result {
            case .failure(let error): Issue.record("\(operations[index].name) failed while docfs lived: \(error)")
            case .success(let extent):
                try check(
                    operations[index], at: places[index], before[index],
                    extent, ending, "ended after \(delay)")
            }
        }
    }

    /// How far an operation came.
    private struct Extent: Sendable {
        var acknowledged = 0
        var isSynced = false

        /// Whether a loss of power may take back what was acknowledged.
        func mayBeLost(by ending: Ending) -> Bool { if case .powerLoss = ending { !isSynced } else { false } }

        /// How many steps may have been done.
        func steps(of operation: KilledOperation, after ending: Ending) -> ClosedRange<Int> {
            (mayBeLost(by: ending) ? 0 : acknowledged)...min(acknowledged + 1, operation.steps.count)
        }
    }

    private static func carryOut(_ operation: KilledOperation, at place: Place, isSynced: Bool) -> Result<
        Extent, any Error
    > {
        Result {
            var extent = Extent(acknowledged: try steps(operation, at: place))
            if isSynced, extent.acknowledged == operation.steps.count { extent.isSynced = place.synchronize() }
            return extent
        }
    }

    // MARK: At the end

    /// Compares the cloud folder with that of the other device, when the cloud has everything, and has docfs compare its store.
    func compare() async throws {
        let other = try #require(other)
        var difference: String? = "it cannot be read"
        do {
            try await eventually {
                guard try device.treeState()["cloud.pending"] == "0" else { return false }
                difference = try KeptTree(of: other.cloud).difference(
                    from: KeptTree(of: device.cloud).shared)
                return difference == nil
            }
        } catch is NeverCameTrue {}
        if let difference { losses.append("\(container): on another device: \(difference)") }
        let check = try await device.docfs("check", device.mountpoint.string)
        if check.exitStatus != 0 { losses.append("\(container): docfs check: \(check.standardOutput)") }
    }

    // MARK: Parts

    private func place(_ name: String) -> Place { Place(documents: device.documents, container: container, name: name) }

    /// - Parameter isSettled: waits until the cloud has them, so that nothing else is under way.
    private func makeTrees(_ names: [String], isSettled: Bool = true) async throws {
        try await device.shell(
            """
            cd \(container)
            for name in \(names.map { "'\($0)'" }.joined(separator: " ")); do
                mkdir "../local/$name" "../cloud/$name"; cd "$name"
                \(KilledOperation.tree)
                cd ..
            done
            """)
        if isSettled { try await eventually { try device.treeState()["cloud.pending"] == "0" } }
    }

    /// Changes `Plan.txt` on both devices while neither can see the other, on the other one later.
    private func makeConflicts(in names: [String]) async throws {
        if names.isEmpty { return }
        let other = try #require(other)
        let documents = names.map { (here: device.cloud / $0 / "Plan.txt", there: other.cloud / $0 / "Plan.txt") }
        for (_, there) in documents {
            try await eventually { there.exists }
            #expect(try there.text() == "plan")
            try await other.waitUntilHere(there)
        }
        try device.cloudDirectory.appendUnseen(" here", " there", to: documents)
        for (here, _) in documents {
            try await eventually { try here.state()["conflicts"] == "1" && here.text() == "plan there" }
        }
        try await eventually { try device.treeState()["cloud.pending"] == "0" }
    }

    /// - Returns: how many steps were acknowledged: all, unless docfs was killed.
    private static func steps(_ operation: KilledOperation, at place: Place) throws -> Int {
        for (index, step) in operation.steps.enumerated() {
            do { try step.perform(place) } catch let error as Errno {
                if [.socketNotConnected, .connectionAbort, .noSuchFileOrDirectory].contains(error) { return index }
                throw error
            }
        }
        return operation.steps.count
    }

    /// Ends docfs, if that has not happened.
    private func end(by ending: Ending) async throws {
        if case .powerLoss(let disk, let keepsNames) = ending { try await disk.losePower(keepsNames: keepsNames) }
        device.killProcesses()
        try await device.waitUntilGone()
        try await device.clearDeadMount()
        kills += 1
    }

    private func check(
        _ operation: KilledOperation, at place: Place, _ before: [KeptTree], _ extent: Extent, _ ending: Ending,
        _ attack: String
    ) throws {
        let steps = extent.steps(of: operation, after: ending)
        var states = [before]
        for (index, step) in operation.steps.enumerated() {
            var next = states[index]
            if index == 0 { operation.changeOfOther?(next[0], &next[1]) }
            step.change(&next[0])
            states.append(next)
        }
        let allowed = states[steps]
        let seen = try place.tree()
        let mayLackData = extent.mayBeLost(by: ending)
        let differences = allowed.compactMap { difference(seen, from: $0, before, operation, mayLackData: mayLackData) }
        if differences.count == allowed.count {
            losses.append(
                "\(container): \(operation.name), \(attack), \(steps) of \(operation.steps.count) steps done: "
                    + differences.joined(separator: "; or "))
        }
    }

    private func difference(
        _ seen: [KeptTree], from expected: [KeptTree], _ before: [KeptTree], _ operation: KilledOperation,
        mayLackData: Bool
    ) -> String? {
        for (number, pair) in zip(seen, expected).enumerated() {
            var tree = pair.0
            if mayLackData { tree.replaceZeros(by: pair.1, since: before[number]) }
            if operation.mayLeaveUnnamed {
                for (path, entry) in tree.entries where pair.1.entries[path] == nil && entry.content.isEmpty {
                    tree.remove(path)
                }
            }
            if let difference = tree.difference(from: pair.1) {
                return (number == 0 ? "" : "in the other: ") + difference
            }
        }
        return nil
    }
}
