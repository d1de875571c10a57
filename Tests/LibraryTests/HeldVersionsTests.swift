import Backing
import Documents
import Foundation
@testable import Library
import Testing

/// Which process holds which version of a document.
struct HeldVersionsTests {
    private var held = HeldVersions()
    private let plan: EntryID
    private let (first, second): (VersionID, VersionID)
    private let start = ContinuousClock.now

    init() {
        var random = SystemRandomNumberGenerator()
        plan = .random(using: &random)
        (first, second) = (.random(using: &random), .random(using: &random))
    }

    /// A process that opened the document long ago.
    private func opener(_ process: Int32) -> HeldVersions.Opener {
        HeldVersions.Opener(process: process, time: start - .seconds(60), reads: true)
    }

    @Test mutating func `a process saves from the version that it has open when a newer one is received`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        #expect(held.isOvertaken(plan))
        #expect(held.removeHoldings(plan, heldBy: [42, 4], at: start + .seconds(3600)).map(\.version) == [first])
    }

    @Test mutating func `another process saves from the newest version`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        #expect(held.removeHoldings(plan, heldBy: [51, 5], at: start).isEmpty)
        #expect(held.isOvertaken(plan))
    }

    @Test mutating func `a version that was closed less than five seconds before the save is held`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.recordClose(1, of: plan, by: opener(42), at: start + .seconds(60))
        var other = held
        #expect(held.removeHoldings(plan, heldBy: [42], at: start + .milliseconds(64_999)).map(\.version) == [first])
        #expect(other.removeHoldings(plan, heldBy: [42], at: start + .seconds(65)).isEmpty)
    }

    @Test mutating func `a version that was closed before the newer one was received is held for five seconds, too`() {
        held.recordClose(1, of: plan, by: opener(42), at: start)
        #expect(!held.isOvertaken(plan))
        held.recordOvertaken(first, of: plan, heldBy: [], at: start + .seconds(2))
        var other = held
        #expect(held.removeHoldings(plan, heldBy: [42], at: start + .seconds(4)).map(\.version) == [first])
        #expect(other.removeHoldings(plan, heldBy: [42], at: start + .seconds(5)).isEmpty)
    }

    @Test(arguments: [false, true])
    mutating func `a process that had a document open for a moment and reads it anew holds what it reads`(isOpen: Bool)
    {
        let passing = HeldVersions.Opener(process: 42, time: start - .milliseconds(100), reads: true)
        if !isOpen { held.recordClose(1, of: plan, by: passing, at: start) }
        held.recordOvertaken(first, of: plan, heldBy: isOpen ? [(1, 42)] : [], at: start)
        if isOpen { held.recordClose(1, of: plan, by: passing, at: start) }
        var (other, untouched) = (held, held)
        held.recordOpen(plan, by: passing)
        other.recordOpen(plan, by: .init(process: 42, time: start, reads: false))
        #expect(!held.isOvertaken(plan))
        for var held in [other, untouched] {
            #expect(held.removeHoldings(plan, heldBy: [42], at: start).map(\.version) == [first])
        }
    }

    @Test mutating func `a process that kept a document open and opens it anew holds the version that it kept`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.recordOpen(plan, by: opener(42))
        held.recordClose(1, of: plan, by: opener(42), at: start)
        held.recordOpen(plan, by: opener(42))
        #expect(held.removeHoldings(plan, heldBy: [42], at: start).map(\.version) == [first])
    }

    @Test mutating func `of several versions the one that was overtaken first counts`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.recordOvertaken(second, of: plan, heldBy: [(1, 42), (2, 42)], at: start + .seconds(1))
        #expect(held.removeHoldings(plan, heldBy: [42], at: start + .seconds(2)).map(\.version) == [first, second])
    }

    @Test mutating func `a process that has saved holds what it saved, although it keeps its old handle`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        _ = held.removeHoldings(plan, heldBy: [42], at: start)
        #expect(held.removeHoldings(plan, heldBy: [42], at: start).isEmpty)
        held.recordOvertaken(second, of: plan, heldBy: [(1, 42)], at: start + .seconds(1))
        #expect(held.removeHoldings(plan, heldBy: [42], at: start + .seconds(2)).map(\.version) == [second])
    }

    @Test mutating func `a save that fails leaves the held versions as they were`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.restore(held.removeHoldings(plan, heldBy: [42], at: start), of: plan)
        #expect(held.removeHoldings(plan, heldBy: [42], at: start).map(\.version) == [first])
    }

    @Test mutating func `a version that no process holds any more is forgotten`() {
        held.recordOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.recordClose(1, of: plan, by: opener(42), at: start + .seconds(1))
        var random = SystemRandomNumberGenerator()
        held.recordClose(2, of: .random(using: &random), by: opener(43), at: start + .seconds(20))
        #expect(!held.isOvertaken(plan))
    }

    @Test mutating func `of very many closed documents the latest are remembered`() {
        var random = SystemRandomNumberGenerator()
        held.recordClose(1, of: plan, by: opener(42), at: start)
        for number in 0..<HeldVersions.mostClosed {
            held.recordClose(UInt64(2 + number), of: .random(using: &random), by: opener(43), at: start)
        }
        held.recordOvertaken(first, of: plan, heldBy: [], at: start)
        #expect(!held.isOvertaken(plan))
    }

    @Test func `the process of a thread is found, and the processes that started it`() async throws {
        let processes = Processes.system
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { Int32($0) }
        #expect(threads.contains(getpid()))
        // Threads that have ended meanwhile have no process.
        #expect(Set(threads.compactMap(processes.ofThread)) == [getpid()])
        #expect(processes.ofThread(0) == nil)
        #expect(processes.lineage(of: getpid()).prefix(2) == [getpid(), getppid()].filter { $0 > 1 }.prefix(2))
        #expect(processes.lineage(of: 1).isEmpty)
    }
}
