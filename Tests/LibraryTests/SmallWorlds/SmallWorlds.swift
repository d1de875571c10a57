import Foundation
import Testing

/// Chooses worlds and lets them live.
enum SmallWorlds {
    /// The worlds of a default run.
    static let usual = 200
    /// So many scripts of each kind of fault are printed.
    static let mostShown = 4

    static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    static var amount: Int { text("DOCFS_SMALL_WORLDS").flatMap { Int($0) } ?? usual }
    static var seed: Int { text("DOCFS_SMALL_WORLDS_SEED").flatMap { Int($0) } ?? 1 }
    static var only: String? { text("DOCFS_SMALL_WORLD") }

    static var chosen: [Job] {
        if let only {
            if only.hasPrefix("r") { return [.chance(UInt64(only.dropFirst()) ?? 0)] }
            let number = Int(only) ?? 0
            return SmallWorld.all.indices.contains(number) ? [.small(number, SmallWorld.all[number])] : []
        }
        let small = indices(of: SmallWorld.all.count).map { Job.small($0, SmallWorld.all[$0]) }
        let chance = amount == 0 ? 2000 : amount / 10
        return small + (0..<chance).map { Job.chance(UInt64(seed * 1_000_000 + $0)) }
    }

    /// Numbers that lie all over the range, each once.
    static func indices(of total: Int) -> [Int] {
        if amount == 0 || amount >= total { return Array(0..<total) }
        var step = max(1, Int(Double(total) * 0.618_033_988_75))
        while divisor(step, total) != 1 { step += 1 }
        let first = (seed &* 7919) % total
        return (0..<amount).map { (first + $0 * step) % total }
    }

    static func divisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : divisor(second, first % second)
    }

    // MARK: Living

    static func live(_ jobs: [Job]) async -> [Outcome] {
        let lanes = max(1, min(jobs.count, ProcessInfo.processInfo.activeProcessorCount))
        return await withTaskGroup(of: [Outcome].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var outcomes: [Outcome] = []
                    for index in stride(from: lane, to: jobs.count, by: lanes) {
                        outcomes.append(await SmallWorlds.outcome(of: jobs[index]))
                    }
                    return outcomes
                }
            }
            var all: [Outcome] = []
            for await outcomes in group { all += outcomes }
            return all
        }
    }

    static func outcome(of job: Job) async -> Outcome {
        let journal = Journal()
        do {
            try await withTwoDevices(commitLimit: job.commitLimit) { laptop, phone in
                let world = LivingWorld(laptop, phone, journal)
                switch job {
                case .small(_, let small): try await world.live(small)
                case .chance(let seed): try await world.live(seed: seed)
                }
            }
        } catch let fault as Fault { journal.fault = fault } catch {
            journal.fault = Fault("an error", "\(error)")
        }
        return Outcome(
            name: job.name, fault: journal.fault, script: journal.script, acts: journal.acts,
            refusals: journal.refusals, skips: journal.skips)
    }
}
