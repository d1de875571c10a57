@testable import Library
import Testing

/// When sending waits for programs that change many names at once.
struct RushTests {
    private let start = ContinuousClock.now

    /// A run of changes with the same time between two.
    private func rush(_ count: Int, every pause: Duration) -> (Rush, end: ContinuousClock.Instant) {
        var rush = Rush()
        for number in 0..<count { rush.note(at: start + pause * number) }
        return (rush, start + pause * (count - 1))
    }

    @Test(arguments: [1, 31]) func `a few changes hold up nothing`(count: Int) {
        let (rush, end) = rush(count, every: .microseconds(200))
        #expect(rush.rest(at: end) == nil)
    }

    @Test func `changes that a person or a slow script makes hold up nothing`() {
        let (rush, end) = rush(1000, every: .milliseconds(6))
        #expect(rush.rest(at: end) == nil)
    }

    @Test func `while many follow each other closely, sending waits, until a moment after the last`() {
        let (rush, end) = rush(100, every: .milliseconds(1))
        #expect(rush.rest(at: end) == .milliseconds(100))
        #expect(rush.rest(at: end + .milliseconds(60)) == .milliseconds(40))
        #expect(rush.rest(at: end + .milliseconds(100)) == nil)
    }

    @Test func `changes after a pause are counted anew`() {
        var (rush, end) = rush(100, every: .milliseconds(1))
        rush.note(at: end + .milliseconds(101))
        #expect(rush.rest(at: end + .milliseconds(101)) == nil)
    }

    @Test func `nothing is sent in a rush, and all when it is over`() async throws {
        try await withDevice { device in
            let names = (0..<40).map { "document \($0).txt" }
            for name in names { try device.create(name) }
            try await device.push()
            let sent = try device.position
            device.stopTime()
            for name in names { try device.remove(name) }
            await device.synchronizeOnce()
            #expect(try device.position == sent)
            #expect(try device.pendingCount == 40)
            device.wait(seconds: 1)
            await device.synchronizeOnce()
            #expect(try device.pendingCount == 0)
        }
    }

    @Test(arguments: [(2950, 50), (3000, nil), (3999, nil), (4000, 100), (6990, 10), (7500, nil), (8100, 100)])
    func `however long it goes on, sending has its turn`(milliseconds: Int, rest: Int?) {
        let (rush, end) = rush(milliseconds + 1, every: .milliseconds(1))
        #expect(rush.rest(at: end) == rest.map { .milliseconds($0) })
    }
}
