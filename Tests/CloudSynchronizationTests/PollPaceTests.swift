@testable import CloudSynchronization
import Testing

/// How often a device asks for what others did.
struct PollPaceTests {
    private func pause(idle: Int, failures: Int = 0) -> Duration {
        PollPace.pause(quickest: .milliseconds(250), idle: .seconds(idle), failures: failures)
    }

    @Test func `as long as anything is going on it asks quickly`() {
        #expect(pause(idle: 0) == .milliseconds(250))
        #expect(pause(idle: 30) == .milliseconds(250))
    }

    @Test func `in quiet it asks ever more rarely, once in 30 seconds in the end`() {
        let pauses = stride(from: 30, through: 300, by: 10).map { pause(idle: $0) }
        #expect(pauses == pauses.sorted())
        #expect(pause(idle: 50) < .seconds(6))
        #expect(pause(idle: 150) == .seconds(30))
        #expect(pause(idle: 1_000_000) == .seconds(30))
    }

    @Test func `while the cloud is away it tries again soon, and not all the time`() {
        #expect(pause(idle: 0, failures: 1) == .milliseconds(500))
        #expect(pause(idle: 100_000, failures: 1_000_000) == .seconds(5))
    }
}
