import Backing
import Documents
import Foundation
@testable import Library
import Testing

/// Who has which version of a document.
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

    /// Who opened the document long ago.
    private func opener(_ process: Int32) -> HeldVersions.Opener {
        HeldVersions.Opener(process: process, time: start - .seconds(60), reads: true)
    }

    @Test mutating func `what a process has open when a newer version comes is what it saves from`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        #expect(held.concern(plan))
        #expect(held.take(plan, heldBy: [42, 4], at: start + .seconds(3600)).map(\.version) == [first])
    }

    @Test mutating func `another process saves from the version that it found`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        #expect(held.take(plan, heldBy: [51, 5], at: start).isEmpty)
        #expect(held.concern(plan))
    }

    @Test mutating func `what was closed less than five seconds before it is saved is held`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.noteClosed(1, of: plan, by: opener(42), at: start + .seconds(60))
        var other = held
        #expect(held.take(plan, heldBy: [42], at: start + .milliseconds(64_999)).map(\.version) == [first])
        #expect(other.take(plan, heldBy: [42], at: start + .seconds(65)).isEmpty)
    }

    @Test mutating func `what was closed before the newer version came is held for five seconds, too`() {
        held.noteClosed(1, of: plan, by: opener(42), at: start)
        #expect(!held.concern(plan))
        held.noteOvertaken(first, of: plan, heldBy: [], at: start + .seconds(2))
        var other = held
        #expect(held.take(plan, heldBy: [42], at: start + .seconds(4)).map(\.version) == [first])
        #expect(other.take(plan, heldBy: [42], at: start + .seconds(5)).isEmpty)
    }

    @Test(arguments: [false, true])
    mutating func `who had a document open for a moment and reads it anew has what it reads`(isOpen: Bool) {
        let passing = HeldVersions.Opener(process: 42, time: start - .milliseconds(100), reads: true)
        if !isOpen { held.noteClosed(1, of: plan, by: passing, at: start) }
        held.noteOvertaken(first, of: plan, heldBy: isOpen ? [(1, 42)] : [], at: start)
        if isOpen { held.noteClosed(1, of: plan, by: passing, at: start) }
        var (other, untouched) = (held, held)
        held.noteOpened(plan, by: passing)
        other.noteOpened(plan, by: .init(process: 42, time: start, reads: false))
        #expect(!held.concern(plan))
        for var held in [other, untouched] {
            #expect(held.take(plan, heldBy: [42], at: start).map(\.version) == [first])
        }
    }

    @Test mutating func `who kept a document open and opens it anew has what it kept`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.noteOpened(plan, by: opener(42))
        held.noteClosed(1, of: plan, by: opener(42), at: start)
        held.noteOpened(plan, by: opener(42))
        #expect(held.take(plan, heldBy: [42], at: start).map(\.version) == [first])
    }

    @Test mutating func `of several versions the one that was overtaken first counts`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.noteOvertaken(second, of: plan, heldBy: [(1, 42), (2, 42)], at: start + .seconds(1))
        #expect(held.take(plan, heldBy: [42], at: start + .seconds(2)).map(\.version) == [first, second])
    }

    @Test mutating func `who has saved has what it saved, although it keeps its old handle`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        _ = held.take(plan, heldBy: [42], at: start)
        #expect(held.take(plan, heldBy: [42], at: start).isEmpty)
        held.noteOvertaken(second, of: plan, heldBy: [(1, 42)], at: start + .seconds(1))
        #expect(held.take(plan, heldBy: [42], at: start + .seconds(2)).map(\.version) == [second])
    }

    @Test mutating func `a save that fails takes nothing away`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.giveBack(held.take(plan, heldBy: [42], at: start), of: plan)
        #expect(held.take(plan, heldBy: [42], at: start).map(\.version) == [first])
    }

    @Test mutating func `what nobody has any more is forgotten`() {
        held.noteOvertaken(first, of: plan, heldBy: [(1, 42)], at: start)
        held.noteClosed(1, of: plan, by: opener(42), at: start + .seconds(1))
        var random = SystemRandomNumberGenerator()
        held.noteClosed(2, of: .random(using: &random), by: opener(43), at: start + .seconds(20))
        #expect(!held.concern(plan))
    }

    @Test mutating func `of very many that were closed the latest are remembered`() {
        var random = SystemRandomNumberGenerator()
        held.noteClosed(1, of: plan, by: opener(42), at: start)
        for number in 0..<HeldVersions.mostClosed {
            held.noteClosed(UInt64(2 + number), of: .random(using: &random), by: opener(43), at: start)
        }
        held.noteOvertaken(first, of: plan, heldBy: [], at: start)
        #expect(!held.concern(plan))
    }

    @Test func `a thread belongs to a process, which others started`() async throws {
        let processes = Processes.system
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { Int32($0) }
        #expect(threads.contains(getpid()))
        // Threads that have ended meanwhile are nobody's.
        #expect(Set(threads.compactMap(processes.ofThread)) == [getpid()])
        #expect(processes.ofThread(0) == nil)
        #expect(processes.lineage(of: getpid()).prefix(2) == [getpid(), getppid()].filter { $0 > 1 }.prefix(2))
        #expect(processes.lineage(of: 1).isEmpty)
    }
}
