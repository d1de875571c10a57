import Testing

@testable import ObjectStore

/// When a transfer counts as stalled.
@Suite(.timeLimit(.minutes(15)))
struct StallTests {
    @Test func `every byte that comes gives the next one the whole time`() {
        let start = ContinuousClock.now
        let watch = StallWatch(limit: .seconds(10), at: start)
        #expect(watch.rest(at: start + .seconds(4)) == .seconds(6))
        watch.arrived(nextWithin: .seconds(5), at: start + .seconds(4))
        #expect(watch.rest(at: start + .seconds(7)) == .seconds(2))
        #expect(!watch.hasStalled)
        #expect(watch.rest(at: start + .seconds(9)) == .zero)
        #expect(watch.hasStalled)
    }

    @Test func `a transfer that stalls is cancelled, and its result is returned`() async {
        let watch = StallWatch(limit: .milliseconds(20))
        let value = await watch.run {
            await untilCancelled()
            return 7
        }
        #expect(value == 7)
        #expect(watch.hasStalled)
    }

    @Test func `who cancels ends a transfer that has not stalled`() async {
        let watch = StallWatch(limit: .seconds(3_600))
        let task = Task { await watch.run { await untilCancelled() } }
        task.cancel()
        await task.value
        #expect(!watch.hasStalled)
    }

    @Test func `a slow server gets more time when it has been asked some times`() {
        let patience = S3Patience(idle: .seconds(30), stall: .seconds(5))
        #expect((0...6).map { patience.stall(after: $0) } == [5, 5, 5, 10, 20, 30, 30].map(Duration.seconds))
    }

    private func untilCancelled() async {
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
    }
}
