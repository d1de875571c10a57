import MountSupport
import TestSupport

/// Operations that chance chooses, on mounts that are ended at random instants: a few operations, an end, and the next mount.
struct RandomEndings {
    /// How often a mount is ended before a new one begins, with a new store and container.
    static let roundsOfMount = 10
    static let operationsOfRound = 8

    let container: String
    let operations: [KilledOperation]
    /// How often mounts are ended in all.
    let rounds: Int
    /// The longest time from the first operation of a round to the end, in microseconds.
    let longestDelay: Int64

    private struct Round {
        let operations: [KilledOperation]
        let delay: Duration
    }

    /// - Parameters:
    ///   - stopsAtLoss: whether the first mount with a loss is the last one.
    ///   - mount: makes a mount, has it attacked by the rounds that it is given, and returns it with all losses.
    /// - Returns: how often a mount was ended, and what was lost, each with the seed that repeats it.
    func run(
        stopsAtLoss: Bool = false,
        on mount: (_ isEncrypted: Bool, _ attack: @Sendable (KillCourse, KillCourse.Ending) async throws -> Void)
            async throws
            -> KillCourse
    ) async throws -> (made: Int, losses: [String]) {
        var (made, losses) = (0, [String]())
        var seed = Amount.seed &* 2 &+ (container == "local" ? 0 : 1)
        while made < rounds, !(stopsAtLoss && !losses.isEmpty) {
            let chosen = choose(min(Self.roundsOfMount, rounds - made), seed: seed)
            let course = try await mount(Amount.isEncrypted(made / Self.roundsOfMount, in: container)) {
                course, ending in
                for (number, round) in chosen.enumerated() {
                    try await course.attack(round.operations, by: ending, after: round.delay, round: number)
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
        return (0..<count).map { _ in
            Round(
                operations: (0..<Self.operationsOfRound).map { _ in operations.randomElement(using: &random)! },
                delay: .microseconds(Int64.random(in: 0..<longestDelay, using: &random)))
        }
    }
}
