import Documents
import ObjectStore
@testable import Replication
import Testing

/// A document in conflict that is renamed over another one leaves its other versions to that one (ContainerFormat, bequeath).
struct ApplyBequestTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let one = EntryID(numbered: 1)
    private let two = EntryID(numbered: 2)
    private let three = EntryID(numbered: 3)

    private func ids(_ numbers: UInt8...) -> [VersionID] { numbers.map(VersionID.init(numbered:)) }

    private func numbers(_ versions: [DocumentVersion]?) -> [UInt8] { (versions ?? []).map { $0.id.bytes[15] } }

    /// Document 1 with version 12 as the current one, 11 in conflict and 1 before them; documents 2 and 3 with one version each.
    private func conflict() throws -> BoundedReplica {
        try BoundedReplica.built(
            by: laptop.commit(
                .create(laptop.document(1, "F.txt")), .create(laptop.document(2, "G.txt")),
                .create(laptop.document(3, "H.txt"))),
            laptop.commit(.save(one, laptop.version(11, base: 1, modified: 200))),
            phone.commit(.save(one, phone.version(12, base: 1, modified: 300))))
    }

    private func taking(_ changes: Change..., into replica: BoundedReplica) throws -> BoundedReplica {
        var replica = replica
        try replica.applyCommit(laptop.commit(changes))
        expectInvariants(replica.replica)
        return replica
    }

    @Test func `a version that the heir's version was made from is superseded as it is inherited`() throws {
        let replica = try taking(
            .save(two, laptop.version(21, base: 11, modified: 500)), .bequeath(one, to: two, versions: ids(11)),
            .delete(one, seen: ids(1, 12)), into: conflict())
        let versions = try #require(replica[2]?.versions)
        #expect(numbers([versions.current]) == [21])
        #expect(numbers(versions.conflicts) == [2])
        #expect(numbers(versions.superseded.map(\.version)) == [11])
    }

    @Test func `the heir gets the versions as conflict versions, and their contents stay where they are`() throws {
        let replica = try taking(
            .bequeath(one, to: two, versions: ids(11)), .delete(one, seen: ids(1, 12)),
            .save(two, laptop.version(21, base: 2, modified: 50)), into: conflict())
        #expect(replica[1]?.isDeleted == true)
        let versions = try #require(replica[2]?.versions)
        #expect(numbers([versions.current]) == [21])
        #expect(numbers(versions.conflicts) == [11])
        #expect(
            try versions.conflicts[0].key(of: two).description == "documents/\(one)/\(versions.conflicts[0].id)/f.txt")
        #expect(try versions.current.key(of: two).components[1] == two.description)
    }

    @Test func `no version is there twice, and none is lost`() throws {
        let replica = try taking(.bequeath(one, to: two, versions: ids(11)), into: conflict())
        #expect(numbers(replica[1]?.versions?.all).sorted() == [1, 12])
        #expect(numbers(replica[2]?.versions?.all).sorted() == [2, 11])
        let again = try taking(.bequeath(one, to: two, versions: ids(11)), into: replica)
        #expect(again.replica == replica.replica)
    }

    @Test func `when a version goes from heir to heir its content stays under its first document`() throws {
        let replica = try taking(
            .bequeath(one, to: two, versions: ids(11)), .bequeath(two, to: three, versions: ids(11)), into: conflict())
        #expect(numbers(replica[2]?.versions?.all) == [2])
        #expect(replica[3]?.versions?.conflicts.map(\.keeper) == [one])
    }

    @Test func `of several bequeathed versions the latest comes first`() throws {
        let replica = try taking(
            .save(one, phone.version(13, base: 1, modified: 250)), .bequeath(one, to: two, versions: ids(11, 13)),
            into: conflict())
        #expect(numbers(replica[2]?.versions?.conflicts) == [13, 11])
    }

    @Test func `a version that somebody discarded meanwhile stays behind`() throws {
        let replica = try taking(
            .resolve(one, Resolution(kept: VersionID(numbered: 12), discarded: ids(11))),
            .bequeath(one, to: two, versions: ids(11)),
            into: conflict())
        #expect(numbers(replica[1]?.versions?.superseded.map(\.version)) == [1, 11])
        #expect(numbers(replica[2]?.versions?.all) == [2])
    }

    @Test func `a version that came meanwhile stays as the document, though all others have gone to the heir`() throws {
        let replica = try taking(
            .save(one, phone.version(13, base: 1, modified: 250)), .bequeath(one, to: two, versions: ids(11)),
            .delete(one, seen: ids(1, 11, 12)), into: conflict())
        #expect(replica[1]?.isDeleted == false)
        #expect(numbers(replica[1]?.versions?.leaves) == [13])
        #expect(replica[1]?.description.modified == Timestamp(nanoseconds: 250))
    }

    @Test func `when the current version goes to the heir the next one is current`() throws {
        let next = try taking(.bequeath(one, to: two, versions: ids(12)), into: conflict())
        #expect(numbers(next[1]?.versions?.leaves) == [11])
        #expect(numbers(next[2]?.versions?.conflicts) == [12])
        let earlier = try taking(.bequeath(one, to: two, versions: ids(11, 12)), into: conflict())
        #expect(numbers(earlier[1]?.versions?.all) == [1])
        #expect(numbers(earlier[2]?.versions?.conflicts) == [12, 11])
    }

    @Test func `the only version of a document stays`() throws {
        let before = try conflict()
        #expect(try taking(.bequeath(two, to: three, versions: ids(2)), into: before).replica == before.replica)
    }

    @Test func `an heir that was deleted meanwhile comes back, with the folders that it lies in`() throws {
        var replica = try conflict()
        try replica.applyCommit(
            phone.commit(
                .create(phone.folder(4, "Trip")), .describe(two, .moved(to: EntryID(numbered: 4), filename: "g.txt")),
                .delete(two, seen: ids(2)), .delete(EntryID(numbered: 4), seen: [])))
        #expect(replica.liveNumbers == [1, 3])
        replica = try taking(.bequeath(one, to: two, versions: ids(11)), .delete(one, seen: ids(1, 12)), into: replica)
        #expect(replica.liveNumbers == [2, 3, 4])
        #expect(numbers(replica[2]?.versions?.all).sorted() == [2, 11])
    }

    @Test func `a bequest to something that is no document, or without versions, changes nothing`() throws {
        var before = try conflict()
        try before.applyCommit(
            laptop.commit(
                .create(laptop.folder(4, "Trip")), .save(three, laptop.version(31, base: 3, modified: 200)),
                .delete(three, seen: ids(31))))
        let changes: [Change] = [
            .bequeath(one, to: one, versions: ids(11)), .bequeath(one, to: EntryID(numbered: 4), versions: ids(11)),
            .bequeath(one, to: EntryID(numbered: 99), versions: ids(11)),
            .bequeath(EntryID(numbered: 99), to: two, versions: ids(11)),
            .bequeath(EntryID(numbered: 4), to: two, versions: ids(11)), .bequeath(three, to: two, versions: ids(31)),
            .bequeath(one, to: two, versions: ids(77)), .bequeath(one, to: two, versions: []),
        ]
        for change in changes { #expect(try taking(change, into: before).replica == before.replica, "\(change)") }
    }

    @Test func `the top folder cannot be an heir`() throws {
        #expect(throws: CommitError.self) { try laptop.commit(.bequeath(one, to: .cloudRoot, versions: [])).validate() }
    }
}
