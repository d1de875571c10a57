import Documents
import Replication
import Testing

/// Which contents may be removed from the container.
struct RetentionTests {
    private static let day: Int64 = 24 * 3_600_000_000_000
    private let laptop = TestDevice.laptop

    private func moment(_ day: Int64) -> Timestamp { Timestamp(nanoseconds: day * Self.day) }

    /// Version 1, superseded by 2 on day 100; deleted on that day, if at all.
    private func entry(deleted: Int64? = nil) -> ReplicaEntry {
        var entry = laptop.document(1)
        var versions = VersionHistory(first: laptop.version(1, modified: 1))
        versions.add(laptop.version(2, base: 1, modified: 2), at: moment(100))
        entry.content = .document(versions: versions)
        entry.deleted = deleted.map(moment)
        return entry
    }

    private func canRemove(_ version: UInt8, of entry: ReplicaEntry?, written: Int64 = 0, now: Int64) -> Bool {
        Retention.canRemove(VersionID(numbered: version), of: entry, written: moment(written), now: moment(now))
    }

    @Test func `what is current stays for ever`() {
        #expect(!canRemove(2, of: entry(), now: 10_000))
    }

    @Test func `a version that was superseded stays for 30 days`() {
        #expect(!canRemove(1, of: entry(), now: 130))
        #expect(canRemove(1, of: entry(), now: 131))
    }

    @Test func `a version in conflict stays until somebody has chosen, and 30 days more`() {
        var conflicted = entry()
        guard case .document(var versions) = conflicted.content else { return }
        versions.add(laptop.version(3, base: 1, modified: 1), at: moment(200))
        conflicted.content = .document(versions: versions)
        #expect(!canRemove(3, of: conflicted, now: 10_000))
        let choice = Resolution(kept: VersionID(numbered: 2), discarded: [VersionID(numbered: 3)])
        let resolved = conflicted.resolved(by: choice, at: moment(300))
        #expect(!canRemove(3, of: resolved, now: 330))
        #expect(canRemove(3, of: resolved, now: 331))
    }

    @Test func `of a deleted document what it was stays for 30 days, and then goes`() {
        #expect(!canRemove(2, of: entry(deleted: 200), now: 230))
        #expect(canRemove(2, of: entry(deleted: 200), now: 231))
        // What it had been before may be gone already, and does not come back by the deletion.
        #expect(!canRemove(1, of: entry(deleted: 110), now: 130))
        #expect(canRemove(1, of: entry(deleted: 110), now: 131))
    }

    @Test func `what nobody knows stays for 30 days: a commit that names it may be on its way`() {
        #expect(!canRemove(9, of: nil, written: 70, now: 100))
        #expect(!canRemove(9, of: entry(), written: 70, now: 100))
        #expect(canRemove(9, of: nil, written: 69, now: 100))
    }

    @Test func `an upload must be named within a day`() {
        #expect(Retention.isFresh(moment(10), now: moment(11)))
        #expect(!Retention.isFresh(moment(10), now: Timestamp(nanoseconds: 11 * Self.day + 1)))
    }

    @Test(arguments: [Int64.min, Int64.max])
    func `no clock, however wrong, makes it crash`(_ nanoseconds: Int64) {
        _ = Retention.canRemove(
            VersionID(numbered: 1), of: entry(), written: Timestamp(nanoseconds: nanoseconds),
            now: Timestamp(nanoseconds: ~nanoseconds))
    }
}
