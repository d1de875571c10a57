import Synchronization
import Testing

@testable import CloudSynchronization

/// A sleep that ends early when something is to be done.
@Suite(.timeLimit(.minutes(15)))
struct WakeTests {
    /// A sleep that lasts until its task is cancelled.
    private static let endless: @Sendable (Duration) async throws -> Void = { _ in
        try await Task.sleep(for: .seconds(3600))
    }

    @Test func `a signal before the sleep counts, once`() async {
        let instant = Wake(sleep: { _ in })
        instant.signal()
        instant.signal()
        let wake = Wake(sleep: Self.endless)
        wake.signal()
        wake.signal()
        #expect(await wake.wait(atMost: .seconds(60)))
        #expect(await instant.wait(atMost: .seconds(60)))
        #expect(await !instant.wait(atMost: .seconds(60)))
    }

    @Test func `a sleep ends when its time has passed, with the limit that it was given`() async {
        let limits = Mutex<[Duration]>([])
        let wake = Wake(sleep: { limit in limits.withLock { $0.append(limit) } })
        #expect(await !wake.wait(atMost: .seconds(7)))
        #expect(limits.withLock { $0 } == [.seconds(7)])
    }

    @Test func `a signal during the sleep ends it`() async {
        let asleep = AsyncStream<Void>.makeStream()
        let wake = Wake(sleep: { _ in
            asleep.continuation.yield()
            try await Task.sleep(for: .seconds(3600))
        })
        async let isWoken = wake.wait(atMost: .seconds(60))
        for await _ in asleep.stream { break }
        wake.signal()
        #expect(await isWoken)
    }

    @Test func `cancelling the task that sleeps ends the sleep`() async {
        let asleep = AsyncStream<Void>.makeStream()
        let wake = Wake(sleep: { _ in
            asleep.continuation.yield()
            try await Task.sleep(for: .seconds(3600))
        })
        let sleeper = Task { await wake.wait(atMost: .seconds(60)) }
        for await _ in asleep.stream { break }
        sleeper.cancel()
        _ = await sleeper.value
    }

    @Test func `the timer of a sleep that was woken does not end the next one`() async {
        let begun = AsyncStream<Void>.makeStream()
        let wake = Wake(sleep: { _ in
            begun.continuation.yield()
            try await Task.sleep(for: .seconds(3600))
        })
        var timers = begun.stream.makeAsyncIterator()
        wake.signal()
        #expect(await wake.wait(atMost: .seconds(60)))
        _ = await timers.next()
        async let isWoken = wake.wait(atMost: .seconds(60))
        _ = await timers.next()
        wake.signal()
        #expect(await isWoken)
    }
}
