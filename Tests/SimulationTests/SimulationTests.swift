import Foundation
import Glibc
import Synchronization
import Testing

/// Runs whole devices in simulated worlds. Each device is the real library, with its catalog and files, and the real
/// synchronizer. The world simulates the object store, the network and the time, all decided by one seed.
///
/// To check that it finds bugs, these were put into the code, each in one line. The first failing seed is given for each. Any change of
/// the code changes the order of requests and so the seeds; these date from before the store's redesign:
///
/// - `CommitSender.sendPending` takes its own commit twice: seed 1, "have different replicas".
/// - A checkpoint is taken for one position later than it is: seed 1, "have different replicas".
/// - `VersionHistory.add` ignores the base: seed 2, "gave way to one that was not made from it".
/// - Writes that the kernel carried out are not noted when the file is closed: seed 2, "a save is lost".
/// - `apply` deletes a document although it has versions that the deleting device had not seen: seed 39, "gave way to one that was not made from it".
/// - `OutgoingCommit.clearPending` clears pending changes although the entry changed since: seed 67, "does not hold what it says".
/// - The outbox is lost in a crash: seed 235, "has one save twice".
///
/// At e4f7775f:
/// - A save of the same content does not tell its time (`Uploader.recordTime`): seed 260, "was modified at".
/// - A document that is created anew has the time of its row (`CommitDraft.add`): seed 4, "was modified at".
///
/// With worlds of folders, at 11cacb9e:
/// - A pending move is not taken back where the log has moved its folder into the other one (`Projection.makeWay`): seed 415, "in another place".
///
/// With worlds of one person, and of scratch names and the trash, on 2026-11-29:
/// - No entry waits for its name (`CommitNeeds.waitingForName`): seed 19, "one person has a conflict with itself".
/// - A new document does not get its name once more (`CommitDraft.nameAgain`): seed 27, the same.
/// - A scratch file keeps the key in the order that the document had (`Withdrawals.leaveAsScratch`): seed 81, "entries have the same place in the order".
///
/// Times of folders are all the same in a world. Not found in 300 seeds: an own commit that is not recognised after a lost answer, since reading the log
/// recognises it as well; conflicts whose contents are removed after 30 days, for which worlds end too soon; and files
/// that a newer version had overtaken, and that are not compared after a crash (`UnseenWriteTests` does).
@Suite struct SimulationTests {
    @Test func `a world goes the same way each time`() async throws {
        for seed in UInt64(1)...6 {
            let first = await Simulation.run(seed: seed, trace: .compared)
            let second = await Simulation.run(seed: seed, trace: .compared)
            #expect(first.traceHash == second.traceHash)
            #expect(first.steps == second.steps)
        }
    }

    @Test func `nothing is lost in any world`() async throws {
        let results = await Simulation.run(
            seeds: Simulation.seeds, trace: Simulation.replayed != nil ? .printed : .none)
        for result in results where !result.wrong.isEmpty {
            Issue.record("\(result.report)")
        }
        // Checks that crashes, lost answers and the like did occur.
        let counts = results.reduce(into: [String: Int]()) { $0.merge($1.counts, uniquingKeysWith: +) }
        print(
            results.count, "worlds,", results.reduce(0) { $0 + $1.steps }, "steps,", counts.sorted { $0.key < $1.key })
        let attacks = ["corrupted", "crash", "damage", "failed", "full", "late", "lost", "replyLost", "truncated"]
        print(
            "proof: SIMULATION: \(attacks.reduce(0) { $0 + counts[$1, default: 0] }) attacks,",
            "\(results.count { !$0.wrong.isEmpty }) lost",
            "(in \(results.count) worlds of \(results.reduce(0) { $0 + $1.steps }) steps, every second one encrypted)")
        if results.count >= 100 {
            for event in [
                "crash", "damage", "encrypted", "newKey", "removal", "unlocked", "resolution", "reconsidered",
                "removedWhileOpen",
                "replyLost", "late",
                "undo", "redo",
            ] {
                #expect(counts[event, default: 0] > 0)
            }
        }
    }

    @Test(.enabled(if: Simulation.duration != nil))
    func `nothing is lost in worlds that chance chooses`() async throws {
        let end = ContinuousClock.now + (Simulation.duration ?? .zero)
        var count = 0
        while ContinuousClock.now < end {
            let first = UInt64.random(in: 1_000_000...1 << 60)
            for result in await Simulation.run(seeds: first...first + 99) where !result.wrong.isEmpty {
                Issue.record("\(result.report)")
            }
            count += 100
        }
        print(count, "worlds")
    }
}
