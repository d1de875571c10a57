@testable import Library
import Testing

/// The trash is given up ahead of programs whose writes docfs does not see.
struct RoomWatchTests {
    @Test func `the less room there is, the oftener it is looked at`() {
        #expect(RoomWatch.pause(room: -1) == .milliseconds(20))
        #expect(RoomWatch.pause(room: 0) == .milliseconds(20))
        #expect(RoomWatch.pause(room: 4 << 30) == .seconds(1))
        #expect(RoomWatch.pause(room: .max) == .seconds(5))
    }
}
