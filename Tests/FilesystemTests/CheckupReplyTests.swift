import Library
import Testing

@testable import Filesystem

/// What `docfs check` reads of the mount says what the daemon meant.
struct CheckupReplyTests {
    @Test(arguments: [
        CheckupReply.idle, .running(nil), .running(CheckupProgress(.store, done: 40, of: 100)),
        .running(CheckupProgress(.sending, done: 3 << 30, of: 1 << 40)), .good(["ok: 3 documents in the cloud"]),
        .bad(["a hole", "missing: the content of a b.txt"]), .failed("the cloud cannot be reached"),
    ])
    func `a reply is read as it was written`(reply: CheckupReply) {
        #expect(CheckupReply(reply.text) == reply)
    }

    @Test func `a name with a line feed makes no line of its own`() {
        var report = CheckupReport()
        report.missing = ["a\nok: 3 documents in the cloud"]
        let reply = CheckupReply(.done(report))
        #expect(CheckupReply(reply.text) == reply)
        guard case .bad(let lines) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(lines.count == 1 && lines[0].hasPrefix("missing: the content of a ok: 3"))
    }

    @Test(arguments: ["", "walking", "store 1 2"])
    func `another text is none`(text: String) {
        #expect(CheckupReply(text) == nil)
    }
}
