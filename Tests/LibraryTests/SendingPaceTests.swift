import Backing
import Documents
import Glibc
@testable import Library
import Testing

/// When changed content is sent.
struct SendingPaceTests {
    private static func look(size: Int = 5, modified: Int = 1, changed: Int = 1) -> ContentLook {
        var status = stat()
        status.st_size = off_t(size)
        status.st_mtim = Timestamp(seconds: modified, nanoseconds: 0).timespec
        status.st_ctim = Timestamp(seconds: changed, nanoseconds: 0).timespec
        return ContentLook(status)
    }

    @Test(arguments: [(0, 500), (200, 300), (500, 0), (60_000, 0)])
    func `a closed document is sent after half a second of quiet`(time: Int, rest: Int) {
        let found = SendingPace().rest(after: .milliseconds(time), isOpenForWriting: false, isSaved: true)
        #expect(found == .milliseconds(rest))
    }

    @Test(arguments: [(0, 500), (200, 300), (500, 0)])
    func `content that its writer has synced or renamed over the document is sent after half a second, too`(
        time: Int, rest: Int
    ) {
        let found = SendingPace().rest(after: .milliseconds(time), isOpenForWriting: true, isSaved: true)
        #expect(found == .milliseconds(rest))
    }

    @Test(arguments: [(0, 10_000), (500, 9500), (9999, 1), (10_000, 0)])
    func `content that a writer only keeps open is sent after ten seconds without a change`(time: Int, rest: Int) {
        let found = SendingPace().rest(after: .milliseconds(time), isOpenForWriting: true, isSaved: false)
        #expect(found == .milliseconds(rest))
    }

    @Test(arguments: [
        (0, 0, 500), (1, 4900, 100), (1, 5000, 49), (60, 5000, 0), (0, 7999, 50), (0, 8000, 0), (1, 60_000, 0),
    ])
    func `a document that is saved all the time is sent after five seconds in a short pause, after eight without one`(
        time: Int, start: Int, rest: Int
    ) {
        let found = SendingPace().rest(
            after: .milliseconds(time), since: .milliseconds(start), isOpenForWriting: false, isSaved: true)
        #expect(found == .milliseconds(rest))
    }

    @Test func `quiet counts from the first look at a content`() {
        var quiet = ContentQuiet()
        let start = ContinuousClock.now
        #expect(quiet.observe(Self.look(), at: start) == .zero)
        #expect(quiet.observe(Self.look(), at: start + .seconds(4)) == .seconds(4))
        #expect(quiet.observe(Self.look(), at: start + .seconds(11)) == .seconds(11))
    }

    @Test(arguments: [Self.look(size: 6), Self.look(modified: 2), Self.look(changed: 2)])
    func `a change of size or time ends the quiet, even if the time of modification was set back`(changed: ContentLook)
    {
        var quiet = ContentQuiet()
        let start = ContinuousClock.now
        quiet.markSaved(Self.look(), at: start)
        #expect(quiet.isSaved)
        #expect(quiet.observe(changed, at: start + .seconds(9)) == .zero)
        #expect(!quiet.isSaved)
        #expect(quiet.observe(changed, at: start + .seconds(12)) == .seconds(3))
    }

    @Test func `a sync does not shorten the quiet before it`() {
        var quiet = ContentQuiet()
        let start = ContinuousClock.now
        _ = quiet.observe(Self.look(), at: start)
        quiet.markSaved(Self.look(), at: start + .seconds(3))
        #expect(quiet.isSaved)
        #expect(quiet.observe(Self.look(), at: start + .seconds(4)) == .seconds(4))
    }
}
