@testable import CloudSynchronization
import Testing

/// How often the log is polled.
struct PollPaceTests {
    private func pause(idle: Int, failures: Int = 0) -> Duration {
        var pace = PollPace()
        for _ in 0..<failures { pace.attempted(succeeded: false) }
        return pace.pause(quickest: .milliseconds(250), idle: .seconds(idle))
    }

    @Test func `while documents are in use the log is polled quickly`() {
        #expect(pause(idle: 0) == .milliseconds(250))
        #expect(pause(idle: 30) == .milliseconds(250))
    }

    @Test func `in quiet the log is polled ever more rarely, down to once in 30 seconds`() {
        let pauses = stride(from: 30, through: 300, by: 10).map { pause(idle: $0) }
        #expect(pauses == pauses.sorted())
        #expect(pause(idle: 50) < .seconds(6))
        #expect(pause(idle: 150) == .seconds(30))
        #expect(pause(idle: 1_000_000) == .seconds(30))
    }

    @Test func `while the cloud cannot be reached the log is polled again soon, but not all the time`() {
        #expect(pause(idle: 0, failures: 1) == .milliseconds(500))
        #expect(pause(idle: 0, failures: 2) == .seconds(1))
        #expect(pause(idle: 100_000, failures: 1_000_000) == .seconds(5))
        var pace = PollPace()
        for succeeded in [false, false, true] { pace.attempted(succeeded: succeeded) }
        #expect(pace.pause(quickest: .milliseconds(250), idle: .zero) == .milliseconds(250))
    }
}
