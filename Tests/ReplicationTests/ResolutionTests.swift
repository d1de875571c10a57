import Documents
import Replication
import TestSupport
import Testing

/// Choices among versions in conflict (ContainerFormat, resolve).
struct ResolutionTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let tablet = TestDevice.tablet

    private func numbers(_ versions: [DocumentVersion]?) -> [UInt8] { versions?.map { $0.id.bytes[15] } ?? [] }

    /// Version 1, then 2 (current, later) and 3 in conflict.
    private func conflicted() throws -> BoundedReplica {
        try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            laptop.commit(.save(EntryID(numbered: 1), laptop.version(2, base: 1, modified: 300))),
            phone.commit(.save(EntryID(numbered: 1), phone.version(3, base: 1, modified: 200))))
    }

    private func resolve(_ kept: UInt8, discarding discarded: UInt8...) -> Change {
        .resolve(
            EntryID(numbered: 1),
            Resolution(kept: VersionID(numbered: kept), discarded: discarded.map(VersionID.init(numbered:))))
    }

    @Test func `discarding a conflict version leaves the document as it is, and the version in its history`() throws {
        var replica = try conflicted()
        let touched = try replica.applyCommit(laptop.commit(resolve(2, discarding: 3)))
        let versions = replica[1]?.versions
        #expect(touched == [EntryID(numbered: 1)])
        #expect(numbers([versions?.current].compactMap { $0 }) == [2])
        #expect(numbers(versions?.conflicts) == [])
        #expect(numbers(versions?.superseded.map(\.version)) == [1, 3])
    }

    @Test func `a conflict version that is chosen becomes current, with its time`() throws {
        var replica = try conflicted()
        try replica.applyCommit(laptop.commit(resolve(3, discarding: 2)))
        let entry = replica[1]
        #expect(entry?.versions?.current.id == VersionID(numbered: 3))
        #expect(entry?.description.modified == Timestamp(nanoseconds: 200))
        #expect(numbers(entry?.versions?.conflicts) == [])
        #expect(numbers(entry?.versions?.superseded.map(\.version)) == [1, 2])
    }

    @Test func `a save stays that the device which chose had not seen`() throws {
        var replica = try conflicted()
        try replica.applyCommit(tablet.commit(.save(EntryID(numbered: 1), tablet.version(4, base: 2, modified: 400))))
        try replica.applyCommit(laptop.commit(resolve(3, discarding: 2)))
        #expect(numbers(replica[1]?.versions?.leaves) == [4, 3])
    }

    @Test func `a version that was made from the chosen one stays current while the others go`() throws {
        var replica = try conflicted()
        try replica.applyCommit(tablet.commit(.save(EntryID(numbered: 1), tablet.version(4, base: 2, modified: 400))))
        try replica.applyCommit(laptop.commit(resolve(2, discarding: 3)))
        #expect(numbers(replica[1]?.versions?.leaves) == [4])
    }

    @Test func `an edit of a version that was discarded meanwhile is a conflict again`() throws {
        var replica = try conflicted()
        try replica.applyCommit(laptop.commit(resolve(2, discarding: 3)))
        try replica.applyCommit(phone.commit(.save(EntryID(numbered: 1), phone.version(5, base: 3, modified: 100))))
        #expect(numbers(replica[1]?.versions?.leaves) == [2, 5])
    }

    @Test func `two different choices lose no version`() throws {
        var replica = try conflicted()
        try replica.applyCommit(laptop.commit(resolve(3, discarding: 2)))
        try replica.applyCommit(phone.commit(resolve(2, discarding: 3)))
        let versions = replica[1]?.versions
        #expect(numbers(versions?.leaves) == [3])
        #expect(numbers(versions?.superseded.map(\.version)) == [1, 2])
    }

    @Test func `a choice of unknown versions changes nothing`() throws {
        var replica = try conflicted()
        let before = replica
        try replica.applyCommit(laptop.commit(resolve(9, discarding: 2, 8)))
        #expect(replica[1]?.versions == before[1]?.versions)
        let unknown = Change.resolve(EntryID(numbered: 9), Resolution(kept: VersionID(numbered: 1), discarded: []))
        #expect(try replica.applyCommit(laptop.commit(unknown)) == [])
    }

    @Test func `a document saved thousands of times keeps its first and its newest versions, and a bounded number`() {
        var history = VersionHistory(first: laptop.version(0, modified: 0))
        var ids: [VersionID] = [history.current.id]
        for number in 1...2000 {
            var version = laptop.version(0, modified: Int64(number))
            version.id = .random()
            version.base = history.current.id
            ids.append(version.id)
            history.add(version, at: Timestamp(nanoseconds: Int64(number) * 1_000))
        }
        let superseded = history.superseded.map(\.version.id)
        #expect(superseded.count == VersionHistory.mostSuperseded)
        #expect(superseded.first == ids.first)
        #expect(Array(superseded.suffix(60)) == Array(ids.dropLast().suffix(60)))
    }
}
