import Testing

@testable import docfs

struct WaitCourseTests {
    private func state(_ pending: Int, _ connection: String = "online") -> StateText {
        StateText("cloud.connection: \(connection)\ncloud.pending: \(pending)\n")
    }

    @Test func `it waits while something is pending, and shows how much was sent`() {
        var course = WaitCourse()
        #expect(course.next(state(2)) == .waiting(Progress(done: 0, total: 2, unit: .documents), news: nil))
        #expect(course.next(state(3)) == .waiting(Progress(done: 0, total: 3, unit: .documents), news: nil))
        #expect(course.next(state(1)) == .waiting(Progress(done: 2, total: 3, unit: .documents), news: nil))
        #expect(course.timeoutReason == "the time is up, with 1 change still to send")
        #expect(course.next(state(0)) == .done)
    }

    @Test func `where contents are sent, it counts their bytes`() {
        var course = WaitCourse()
        func progress(_ pending: Int, _ unsent: Int) -> Progress? {
            let text = "cloud.connection: online\ncloud.pending: \(pending)\ncloud.unsent: \(unsent)\n"
            if case .waiting(let progress, _) = course.next(StateText(text)) { return progress }
            return nil
        }
        #expect(progress(2, 0) == Progress(done: 0, total: 2, unit: .documents))
        #expect(progress(3, 1000) == Progress(done: 0, total: 1000, unit: .bytes))
        #expect(progress(3, 400) == Progress(done: 600, total: 1000, unit: .bytes))
        #expect(course.title == "sending, 3 changes left,")
        #expect(progress(1, 0) == Progress(done: 1000, total: 1000, unit: .bytes))
    }

    @Test func `nothing pending is not enough where documents have not arrived in the cloud that they go to`() {
        var course = WaitCourse()
        guard case .waiting(_, let news) = course.next(state(0, "offline"), hasArrived: false) else {
            Issue.record("it has ended")
            return
        }
        #expect(news?.contains("cannot be reached") == true)
        #expect(course.next(state(0), hasArrived: false) != .done)
        #expect(course.next(state(0), hasArrived: true) == .done)
        guard case .refused(let reason) = course.next(state(0, "a document stays"), hasArrived: false) else {
            Issue.record("it goes on")
            return
        }
        #expect(reason.hasSuffix("a document stays"))
    }

    @Test func `while all documents go to another cloud it waits, whatever else is pending`() {
        var course = WaitCourse()
        let moving = "the documents are being sent to this cloud"
        for pending in [2, 0] {
            let step = course.next(state(pending, moving))
            #expect(step == .waiting(Progress(done: Int64(2 - pending), total: 2, unit: .documents), news: nil))
        }
        #expect(course.timeoutReason.hasSuffix("; \(moving)"))
        #expect(course.next(state(0)) == .done)
    }

    @Test func `offline is said once each time`() {
        var course = WaitCourse()
        func news(_ step: WaitCourse.Decision) -> String? { if case .waiting(_, let news) = step { news } else { nil } }
        #expect(news(course.next(state(2, "offline")))?.contains("2 changes still to send") == true)
        #expect(news(course.next(state(3, "offline"))) == nil)
        #expect(course.timeoutReason.hasSuffix("; the cloud cannot be reached"))
        #expect(news(course.next(state(3))) == nil)
        #expect(news(course.next(state(3, "offline"))) != nil)
    }

    @Test func `a cloud that refuses is not waited for, unless nothing is to send`() {
        for connection in ["unauthorized", "the container lost entries"] {
            var course = WaitCourse()
            #expect(course.next(state(0, connection)) == .done)
            guard case .refused(let reason) = course.next(state(1, connection)) else {
                Issue.record("\(connection) is waited for")
                continue
            }
            #expect(!reason.contains("\n"))
        }
    }
}
