import Foundation
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// Eight threads work in one folder at once: no document is lost, no content torn, and each is listed exactly once.
@Suite(.mounting)
struct ThreadTests {
    private static let threads = 8

    @Test func `eight threads at once lose nothing, tear nothing and see each document once`() async throws {
        let amount = Amount.attacks("THREADS", default: 4_000)
        let share = max(1, amount / 2 / Self.threads)
        let failures = try await withThrowingTaskGroup(of: [String].self) { group in
            for (index, container) in ["local", "cloud"].enumerated() {
                group.addTask { try await Self.work(container, share, Amount.seed &+ UInt64(index) &* 1000) }
            }
            return try await group.reduce(into: [String]()) { $0 += $1 }
        }
        for failure in failures { Issue.record("\(failure)") }
        Amount.report(
            "THREADS", attacks: share * Self.threads * 2, lost: failures.count,
            "operations of eight threads at once in one folder, in local and in cloud; then killed, and all is there")
    }

    /// Rounds on one mount each, which the fixture ends after 100 seconds.
    private static func work(_ container: String, _ count: Int, _ seed: UInt64) async throws -> [String] {
        var (left, seed) = (count, seed)
        while left > 0 {
            let part = min(left, 400)
            let failures = try await round(container, part, seed)
            if !failures.isEmpty { return failures.map { "\(container), seed \(seed): \($0)" } }
            left -= part
            seed &+= 2000
        }
        return []
    }

    private static func round(_ container: String, _ count: Int, _ seed: UInt64) async throws -> [String] {
        try await withDevice(.displayNames) { device in
            let tree = try SharedTree(device.documents / container / "Shared", threads: threads)
            var owns: [SharedTree.Own] = []
            var failures: [String] = []
            await withTaskGroup(of: (SharedTree.Own, String?).self) { group in
                for thread in 0..<threads {
                    group.addTask { await onThread { work(tree, thread, count, seed &+ UInt64(thread)) } }
                }
                for await (own, failure) in group {
                    owns.append(own)
                    if let failure { failures.append(failure) }
                }
            }
            guard failures.isEmpty else { return failures }
            do {
                try tree.check(owns)
                try await device.crash()
                try await device.mount()
                try tree.check(owns)
            } catch { return ["\(error)"] }
            return []
        }
    }

    private static func work(
        _ tree: SharedTree, _ thread: Int, _ count: Int, _ seed: UInt64
    ) -> (SharedTree.Own, String?) {
        var own = SharedTree.Own()
        var random = SeededGenerator(seed: seed)
        for number in 0..<count {
            do { try tree.step(thread, &own, &random) } catch {
                return (own, "thread \(thread), operation \(number): \(error)")
            }
        }
        return (own, nil)
    }
}
