import Documents
import Foundation
import Library
import Testing

@testable import docfs

/// What a person at a desktop is told, and when.
struct DesktopNoticesTests {
    private func facts(
        _ connection: Connection = .online, pending: Int = 0, conflicts: [String] = []
    ) -> DesktopNotices.Facts {
        let named = conflicts.map { (ids[$0]!, $0) }
        return DesktopNotices.Facts(
            connection: connection, pending: pending, conflicts: Dictionary(uniqueKeysWithValues: named))
    }

    @Test func `a disk that takes no changes is told at once, and again when it fails again`() {
        var notices = DesktopNotices(mountpoint: "/docs")
        func next(_ error: String?, now: Double) -> DesktopNotice? {
            var facts = facts(away, pending: 1)
            facts.storeError = error
            return notices.next(facts, now: now)
        }
        #expect(next(nil, now: 0) == nil)
        #expect(next("it is full", now: 1) == DesktopNotice(title: "Documents cannot be saved", body: "it is full"))
        #expect(next("it is full", now: 100) == nil)
        #expect(next(nil, now: 200) == nil)
        #expect(next("it fails", now: 201)?.body == "it fails")
    }

    private let ids = Dictionary(
        uniqueKeysWithValues: ["Old", "Plan", "A", "B", "C", "D"].map { ($0, EntryID(UUID())) })
    private let away = Connection.offline("no route")
    private let refused = Connection.unauthorized("AccessDenied")

    @Test func `a conflict is told once, and again when it comes again; those of before the mount are not`() {
        var notices = DesktopNotices(mountpoint: "/docs")
        #expect(notices.next(facts(conflicts: ["Old"]), now: 0) == nil)
        #expect(notices.next(facts(conflicts: ["Old", "Plan"]), now: 100)?.title == "“Plan” is in conflict")
        #expect(notices.next(facts(conflicts: ["Old", "Plan"]), now: 200) == nil)
        #expect(notices.next(facts(conflicts: ["Old"]), now: 300) == nil)
        #expect(notices.next(facts(conflicts: ["Old", "Plan"]), now: 400)?.title == "“Plan” is in conflict")
        let many = notices.next(facts(conflicts: ["A", "B", "C", "D"]), now: 500)
        #expect(many?.title == "4 documents are in conflict" && many?.body.hasPrefix("A, B, C, … ") == true)
    }

    @Test func `there is one message a minute, and what came meanwhile follows`() {
        var notices = DesktopNotices(mountpoint: "/docs")
        #expect(notices.next(facts(), now: 0) == nil)
        #expect(notices.next(facts(conflicts: ["A"]), now: 1) != nil)
        #expect(notices.next(facts(refused, conflicts: ["A", "B"]), now: 30) == nil)
        #expect(notices.next(facts(refused, conflicts: ["A", "B"]), now: 60) == nil)
        #expect(
            notices.next(facts(refused, conflicts: ["A", "B"]), now: 61)?.title.contains("credentials") == true)
        #expect(notices.next(facts(refused, conflicts: ["A", "B"]), now: 121)?.title == "“B” is in conflict")
        #expect(notices.next(facts(refused, conflicts: ["A", "B"]), now: 1000) == nil)
    }

    @Test func `a cloud that is away is told after five minutes, if something waits for it, and once`() {
        var notices = DesktopNotices(mountpoint: "/docs")
        #expect(notices.next(facts(away, pending: 2), now: 0) == nil)
        #expect(notices.next(facts(away, pending: 2), now: 299) == nil)
        #expect(notices.next(facts(.online, pending: 2), now: 300) == nil)
        #expect(notices.next(facts(away, pending: 0), now: 400) == nil)
        #expect(notices.next(facts(away, pending: 0), now: 800) == nil)
        let notice = notices.next(facts(away, pending: 3), now: 900)
        #expect(notice?.body == "3 changes still to send. no route")
        #expect(notices.next(facts(away, pending: 3), now: 2000) == nil)
        #expect(notices.next(facts(.online), now: 2100) == nil)
        #expect(notices.next(facts(away, pending: 1), now: 2200) == nil)
        #expect(notices.next(facts(away, pending: 1), now: 2500) != nil)
    }

    @Test func `a container that cannot be used is told with the reason`() {
        var notices = DesktopNotices(mountpoint: "/docs")
        let notice = notices.next(facts(.failed("the container lost entries"), pending: 1), now: 0)
        #expect(notice?.title == "The cloud cannot be used")
        #expect(notice?.body == "1 change still to send. the container lost entries")
        // Another reason is the same trouble.
        #expect(notices.next(facts(.failed("an object is damaged"), pending: 1), now: 100) == nil)
        #expect(notices.next(facts(.moving, pending: 1), now: 200) == nil)
    }
}
