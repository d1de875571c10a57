@testable import Filesystem
import TestSupport
import Testing

/// Which threads take requests, and how they wait for them.
struct ListenerTurnsTests {
    private static let soon = Duration.microseconds(10)
    private static let late = Duration.milliseconds(10)

    /// Turns that several threads share. Each time is one since they began.
    private final class Turns {
        private var turns: ListenerTurns
        private let start = ContinuousClock.now

        init(processors: Int = 2) { turns = ListenerTurns(processors: processors, most: 3) }

        func turn(now: Duration = .zero) -> ListenerTurns.Turn { turns.turn(now: start + now) }
        func tick() -> ListenerTurns.Turn { turns.tick() }
        func stopListening() -> Bool { turns.stopListening() }
        func machine(isBusy: Bool) { turns.machine(isBusy: isBusy) }

        func receive(waited: Duration, leavesMore: Bool = false, now: Duration = .zero) -> Bool {
            turns.receive(waited: waited, leavesMore: leavesMore, now: start + now)
        }

        /// The one listener answers a request that came after `waited`.
        func answer(waited: Duration, leavesMore: Bool = false, now: Duration = .zero) -> ListenerTurns.Turn {
            _ = receive(waited: waited, leavesMore: leavesMore, now: now)
            return turn(now: now)
        }
    }

    private let turns = Turns()

    @Test func `one listens, one watches, the others rest`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        #expect(turns.turn() == .rest)
    }

    @Test func `it stays awake as long as requests follow each other closely`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.answer(waited: Self.late) == .listen(awake: false))
        #expect(turns.answer(waited: Self.soon) == .listen(awake: true))
        #expect(turns.answer(waited: Self.soon) == .listen(awake: true))
        #expect(turns.answer(waited: Self.late) == .listen(awake: false))
    }

    @Test func `it does not while tasks wait for a processor`() {
        #expect(turns.turn() == .listen(awake: false))
        turns.machine(isBusy: true)
        #expect(turns.answer(waited: Self.soon) == .listen(awake: false))
        turns.machine(isBusy: false)
        #expect(turns.answer(waited: Self.soon) == .listen(awake: true))
    }

    @Test func `it does not where it would take the only processor from the caller`() {
        let turns = Turns(processors: 1)
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.answer(waited: Self.soon) == .listen(awake: false))
    }

    @Test func `who watches listens beside a request that takes long, and who was relieved watches`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        _ = turns.receive(waited: Self.late)
        // It came since the last time.
        #expect(turns.tick() == .watch)
        #expect(turns.tick() == .listen(awake: false))
        #expect(turns.turn() == .watch)
    }

    @Test func `who watches lets answers alone that are quick`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        for _ in 0..<20 {
            #expect(turns.answer(waited: Self.late) == .listen(awake: false))
            #expect(turns.tick() == .watch)
        }
    }

    @Test func `when nothing is asked nobody watches, and two listen; when something is, one of them watches`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        #expect(turns.answer(waited: Self.soon) == .listen(awake: true))
        var ticks = 1
        while turns.tick() == .watch { ticks += 1 }
        #expect((5...50).contains(ticks))
        #expect(!turns.receive(waited: Self.late))
        #expect(turns.turn() == .watch)
        #expect(turns.tick() == .watch)
        // The other one, who listened all the time.
        #expect(turns.answer(waited: Self.late) == .listen(awake: false))
    }

    @Test func `who listens after a time without requests does not stay awake for them`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        #expect(turns.answer(waited: Self.soon) == .listen(awake: true))
        var turn = turns.tick()
        while turn == .watch { turn = turns.tick() }
        #expect(turn == .listen(awake: false))
    }

    @Test func `where nobody is left to listen, who rests is woken, and nobody twice`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        #expect(turns.turn() == .rest)
        // The request takes long, and the watching thread listens instead.
        #expect(!turns.receive(waited: Self.late))
        #expect(turns.tick() == .watch)
        #expect(turns.tick() == .listen(awake: false))
        #expect(turns.receive(waited: Self.late))
        // The one that was woken has not come yet.
        #expect(turns.turn() == .listen(awake: false))
        #expect(!turns.receive(waited: Self.late))
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
    }

    @Test func `where requests wait again and again, more listen, and asleep, but not more than there are`() {
        #expect(turns.turn() == .listen(awake: false))
        var turn = ListenerTurns.Turn.watch
        for _ in 0..<4 { turn = turns.answer(waited: Self.soon, leavesMore: true) }
        #expect(turn == .listen(awake: false))
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        for _ in 0..<40 { _ = turns.answer(waited: Self.soon, leavesMore: true) }
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .rest)
    }

    @Test func `a crowd wakes who rests if nobody else listens`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        #expect(turns.turn() == .rest)
        for _ in 0..<3 {
            #expect(!turns.receive(waited: Self.soon, leavesMore: true))
            #expect(turns.turn() == .listen(awake: true))
        }
        #expect(turns.receive(waited: Self.soon, leavesMore: true))
        #expect(turns.turn() == .listen(awake: false))
    }

    @Test func `requests that seldom wait are no crowd`() {
        #expect(turns.turn() == .listen(awake: false))
        for number in 1...1000 {
            #expect(turns.answer(waited: Self.soon, leavesMore: number.isMultiple(of: 10)) == .listen(awake: true))
        }
    }

    @Test func `after a crowd one is enough again`() {
        #expect(turns.turn() == .listen(awake: false))
        for _ in 0..<4 { _ = turns.answer(waited: Self.soon, leavesMore: true) }
        #expect(turns.answer(waited: Self.soon, now: .nanoseconds(1)) == .listen(awake: false))
        #expect(turns.answer(waited: Self.soon, now: .seconds(1)) == .listen(awake: true))
    }

    @Test func `who got nothing has its turn again`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(!turns.stopListening())
        #expect(turns.turn() == .listen(awake: false))
    }

    @Test func `where nobody watches, who got nothing wakes one that rests, since it may not come back`() {
        #expect(turns.turn() == .listen(awake: false))
        #expect(turns.turn() == .watch)
        #expect(turns.turn() == .rest)
        #expect(!turns.stopListening())
        #expect(turns.tick() == .listen(awake: false))
        #expect(turns.stopListening())
        #expect(turns.turn() == .listen(awake: false))
        #expect(!turns.stopListening())
    }

    /// Threads that do what they are told, in an order that chance decides.
    private struct Crew {
        enum Thread { case idle, listening, answering, watching, resting, woken }

        let turns = Turns()
        var threads: [Thread] = Array(repeating: .idle, count: 4)
        var random: SeededGenerator
        var now = Duration.zero

        private func any(_ wanted: Thread...) -> Int? {
            var random = random
            return threads.indices.filter { wanted.contains(threads[$0]) }.randomElement(using: &random)
        }

        private mutating func carryOut(_ turn: ListenerTurns.Turn, _ thread: Int) {
            threads[thread] =
                switch turn {
                case .listen: .listening
                case .watch: .watching
                case .rest: .resting
                }
        }

        /// One of them goes on.
        mutating func step() {
            now += .nanoseconds(Int.random(in: 0..<3_000_000, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                if let thread = any(.idle, .woken) { carryOut(turns.turn(now: now), thread) }
            case 1:
                if let thread = any(.answering) { carryOut(turns.turn(now: now), thread) }
            case 2:
                if let thread = any(.watching) { carryOut(turns.tick(), thread) }
            case 3:
                // libfuse ends a thread, and begins others when it needs them.
                if let thread = any(.answering), any(.idle) == nil { threads[thread] = .idle }
            default:
                guard let thread = any(.listening) else { return }
                threads[thread] = .answering
                let waited = Duration.nanoseconds(Int.random(in: 0..<100_000, using: &random))
                let wakes = turns.receive(waited: waited, leavesMore: Bool.random(using: &random), now: now)
                if wakes, let resting = any(.resting) { threads[resting] = .woken }
            }
        }

        /// Whether a request would be heard of: somebody listens, will do so, or watches over those who answer.
        var hears: Bool {
            threads.contains { $0 == .listening || $0 == .woken || $0 == .watching || $0 == .idle }
                || !threads.contains(.resting)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever the order, nobody rests while nobody hears`(seed: UInt64) {
        var crew = Crew(random: SeededGenerator(seed: seed))
        for step in 0..<5000 {
            crew.step()
            #expect(crew.hears, "step \(step): \(crew.threads)")
        }
    }
}
