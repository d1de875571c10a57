import Dispatch
import Foundation
import MountSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Random operations give the same results on the mount and in a plain folder, step by step.
///
/// A difference is shrunk and written to a file as a script: `DOCFS_PROOF_SCRIPT=FILE` carries it out again.
@Suite(.mounting)
struct ModelTests {
    /// Which of the four kinds of tree.
    private struct Kind: Sendable, CustomStringConvertible {
        let container: String
        let showsDisplayNames: Bool

        static let all = ["local", "cloud"].flatMap { container in
            [true, false].map { Kind(container: container, showsDisplayNames: $0) }
        }

        static func of(seed: UInt64) -> Kind { all[Int(seed % UInt64(all.count))] }

        var options: MountOptions { MountOptions(listing: showsDisplayNames ? .displayNames : .filenames) }
        var description: String { "\(container), \(showsDisplayNames ? "display names" : "filenames") shown" }
    }

    private struct Result: Sendable {
        var operations = 0
        var sequences = 0
        var failures: [String] = []
    }

    /// Of one sequence. Within it nothing may take 15 seconds, after which a name means a new document.
    private static let sequenceLength = 250
    private static let longestSequence = Duration.seconds(9)
    /// Of one mount; the fixture ends each after 100 seconds.
    private static let longestRound = Duration.seconds(45)

    @Test func `programs see what a plain folder and two names would show them`() async throws {
        let amount = Amount.attacks("MODEL", default: 100_000)
        let share = max(1, amount / Kind.all.count)
        let result = try await withThrowingTaskGroup(of: Result.self) { group in
            for index in Kind.all.indices {
                // The seed decides the kind: that of a failure carries out the same again.
                let first = Amount.seed &+ UInt64(index)
                let kind = Kind.of(seed: first)
                group.addTask {
                    var total = Result()
                    while total.operations < share, total.failures.isEmpty {
                        let seed = first &+ UInt64(Kind.all.count * total.sequences)
                        let round = try await Self.round(kind, from: seed, until: share - total.operations)
                        total.operations += round.operations
                        total.sequences += round.sequences
                        total.failures += round.failures
                    }
                    return total
                }
            }
            var total = Result()
            for try await part in group {
                total.operations += part.operations
                total.sequences += part.sequences
                total.failures += part.failures
            }
            return total
        }
        for failure in result.failures { Issue.record("\(failure)") }
        Amount.report(
            "MODEL", attacks: result.operations, lost: result.failures.count,
            "operations on the mount and in a plain folder side by side, in \(result.sequences) sequences; "
                + "local and cloud, with display names and with filenames shown")
    }

    /// Sequences on one mount.
    private static func round(_ kind: Kind, from seed: UInt64, until count: Int) async throws -> Result {
        try await withDevice(kind.options) { device in
            let plain = device.folder / "plain"
            try plain.makeFolder()
            var result = Result()
            let start = ContinuousClock.now
            while result.operations < count, result.failures.isEmpty, start.duration(to: .now) < longestRound {
                let seed = seed &+ UInt64(Kind.all.count * result.sequences)
                let outcome = await onThread { run(kind, seed, device, plain) }
                result.sequences += 1
                result.operations += outcome.operations
                if let failure = outcome.failure { result.failures.append(failure) }
            }
            return result
        }
    }

    private static func run(
        _ kind: Kind, _ seed: UInt64, _ device: Device, _ plain: FilePath
    ) -> (operations: Int, failure: String?) {
        var choice = OperationChoice(random: SeededGenerator(seed: seed))
        let operations = (0..<sequenceLength).map { _ in choice.next() }
        let (count, difference) = carryOut(operations, kind, "s\(seed)", device, plain)
        guard let difference else { return (count, nil) }
        return (count, explain(Array(operations.prefix(count)), difference, kind, seed, device, plain))
    }

    /// - Returns: how many operations were made, and how the trees differ.
    private static func carryOut(
        _ operations: [Operation], _ kind: Kind, _ name: String, _ device: Device, _ plain: FilePath
    ) -> (Int, String?) {
        var count = 0
        do {
            let trees = try SideBySide(
                name, in: TreePath(device.documents), container: kind.container, plain: TreePath(plain),
                showsDisplayNames: kind.showsDisplayNames)
            let start = ContinuousClock.now
            for operation in operations where start.duration(to: .now) < longestSequence {
                count += 1
                try trees.step(operation)
                if count.isMultiple(of: 50) { try trees.compareAll() }
            }
            try trees.compareAll()
            try trees.listing?.read(.max)
            try trees.compareStates()
            try trees.removeTrees()
            return (count, nil)
        } catch {
            return (count, "\(error)")
        }
    }

    /// Shrinks a sequence and writes it to a file.
    private static func explain(
        _ operations: [Operation], _ difference: String, _ kind: Kind, _ seed: UInt64, _ device: Device,
        _ plain: FilePath
    ) -> String {
        var (attempts, last) = (0, difference)
        let start = ContinuousClock.now
        let short = shrunk(operations) { rest in
            attempts += 1
            guard start.duration(to: .now) < .seconds(40),
                let found = carryOut(rest, kind, "s\(seed)-\(attempts)", device, plain).1
            else { return false }
            last = found
            return true
        }
        let script = Script(container: kind.container, showsDisplayNames: kind.showsDisplayNames, operations: short)
        let path = NSTemporaryDirectory() + "docfs-model-\(seed).script"
        let text = (try? script.text) ?? "\(short)"
        try? text.write(toFile: path, atomically: true, encoding: .utf8)
        return """
            \(kind), seed \(seed): after \(operations.count) operations, \(difference)
            These \(short.count) are enough for: \(last)
            \(text)Again: DOCFS_PROOF_SCRIPT=\(path), or DOCFS_PROOF_SEED=\(seed)
            """
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["DOCFS_PROOF_SCRIPT"] != nil))
    func `a script gives the same on both sides`() async throws {
        let file = try #require(ProcessInfo.processInfo.environment["DOCFS_PROOF_SCRIPT"])
        let script = try Script(text: FilePath(file).text())
        let kind = Kind(container: script.container, showsDisplayNames: script.showsDisplayNames)
        try await withDevice(kind.options) { device in
            let plain = device.folder / "plain"
            try plain.makeFolder()
            let (count, difference) = await onThread {
                Self.carryOut(script.operations, kind, "script", device, plain)
            }
            if let difference { Issue.record("operation \(count): \(difference)") }
        }
    }
}
