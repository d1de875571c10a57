import Documents
import Replication
import Testing

/// When contents may be removed from the container.
struct RetentionTests {
    private static let day: Int64 = 24 * 3_600_000_000_000

    private func moment(_ day: Int64, _ nanoseconds: Int64 = 0) -> Timestamp {
        Timestamp(nanoseconds: day * Self.day + nanoseconds)
    }

    @Test func `a content that nothing needs stays for 30 days`() {
        #expect(!Retention.isOver(departed: moment(100), now: moment(130)))
        #expect(Retention.isOver(departed: moment(100), now: moment(130, 1)))
        #expect(!Retention.isOver(departed: moment(100), now: moment(90)))
    }

    @Test func `cleaning is due once a day, and when the clock was set back`() {
        #expect(!Retention.isCleaningDue(last: moment(10), now: moment(11)))
        #expect(Retention.isCleaningDue(last: moment(10), now: moment(11, 1)))
        #expect(Retention.isCleaningDue(last: moment(5000), now: moment(10)))
    }

    @Test func `impossible times remove nothing`() {
        #expect(!Retention.isOver(departed: Timestamp(nanoseconds: .min), now: Timestamp(nanoseconds: .max)))
        #expect(!Retention.isOver(departed: Timestamp(nanoseconds: .max), now: Timestamp(nanoseconds: .min)))
    }
}
