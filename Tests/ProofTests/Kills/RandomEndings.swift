import MountSupport
import TestSupport

/// Operations that chance chooses, on mounts that are ended at random instants: a few operations, an end, and the next mount.
struct RandomEndings {
    /// How often a mount is ended before a new one begins, with a new store and container.
    static let roundsOfMount = 10
    static let operationsOfRound = 8
    /// Of so many rounds one has a single operation, which is not independent of others.
    private static let period = 4

    let container: String
    let operations: [KilledOperation]
    /// How often mounts are ended in all.
    let rounds: Int
    /// The longest time from the first operation of a round of many to the end, in microseconds.
    let longestDelay: Int64

    private struct Round {
        let operations: [KilledOperation]
        let delay: Duration
        /// Of a loss of power (`DiskImage.losePower`).
        let keepsNames: Bool
        /// Whether of two operations that follow each other the first one is synced; else the second.
        let syncsFirst: Bool
    }

    /// - Parameters:
    ///   - stopsAtLoss: whether the first mount with a loss is the last one.
    ///   - mount: makes a mount, has it attacked by the rounds that it is given, and returns it with all losses. Without a disk it is killed.
    /// - Returns: how often a mount was ended, and what was lost, each with the seed that repeats it.
    func run(
        stopsAtLoss: Bool = false,
        on mount: (_ isEncrypted: Bool, _ attack: @Sendable (KillCourse, DiskImage?) async throws -> Void)
            async throws
            -> KillCourse
    ) async throws -> (made: Int, losses: [String]) {
        var (made, losses) = (0, [String]())
        var seed = Amount.seed &* 2 &+ (container == "local" ? 0 : 1)
        while made < rounds, !(stopsAtLoss && !losses.isEmpty) {
            let chosen = choose(min(Self.roundsOfMount, rounds - made), seed: seed)
            let course = try await mount(Amount.isEncrypted(made / Self.roundsOfMount, in: container)) {
                course, disk in
                for (number, round) in chosen.enumerated() {
                    let ending = disk.map { KillCourse.Ending.powerLoss($0, keepsNames: round.keepsNames) } ?? .kill
                    try await course.attack(
                        round.operations, by: ending, after: round.delay, round: number,
                        syncsFirst: round.syncsFirst)
                }
            }
            losses += course.losses.map { "seed \(seed): \($0)" }
            made += course.kills
            seed &+= 2
        }
        return (made, losses)
    }

    private func choose(_ count: Int, seed: UInt64) -> [Round] {
        var random = SeededGenerator(seed: seed)
        let (independent, others) = (operations.filter(\.isIndependent), operations.filter { !$0.isIndependent })
        return (1...count).map { number in
            let isAlone = number.isMultiple(of: Self.period)
            let chosen = (0..<(isAlone ? 1 : Self.operationsOfRound)).map { _ in
                (isAlone ? others : independent).randomElement(using: &random)!
            }
            let longest = longestDelay * Int64(chosen.count) / Int64(Self.operationsOfRound)
            return Round(
                operations: chosen, delay: .microseconds(Int64.random(in: 0..<longest, using: &random)),
                keepsNames: Bool.random(using: &random), syncsFirst: Bool.random(using: &random))
        }
    }
}
