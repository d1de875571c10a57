import Documents
import Foundation
import Replication
import Testing

/// Deleting, deleting against editing, and coming back.
struct ApplyDeletionTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let one = EntryID(numbered: 1)

    @Test func `a deleted document is kept, so that it can come back`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))), laptop.commit(.delete(one, seen: [VersionID(numbered: 1)])))
        #expect(replica[1]?.isDeleted == true)
        #expect(replica[1]?.versions?.current.id == VersionID(numbered: 1))
        #expect(replica.liveNumbers.isEmpty)
    }

    @Test func `a repair tells of a deletion that the container has lost`() throws {
        var replica = BoundedReplica()
        var deleted = laptop.document(1)
        deleted.deleted = Timestamp(nanoseconds: 7)
        #expect(try replica.applyCommit(laptop.commit(.create(deleted))) == [one])
        #expect(replica[1]?.deleted == Timestamp(nanoseconds: 7))
    }

    @Test func `links and empty folders are deleted`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "Photos")), .create(laptop.link(2, "link", to: "x"))),
            laptop.commit(.delete(one, seen: []), .delete(EntryID(numbered: 2), seen: [])))
        #expect(replica.liveNumbers.isEmpty)
    }

    @Test func `an edit wins against a deletion that did not see it`() throws {
        let create = laptop.commit(.create(laptop.document(1)))
        let edit = phone.commit(.save(one, phone.version(11, base: 1, modified: 50)))
        let delete = laptop.commit(.delete(one, seen: [VersionID(numbered: 1)]))
        for changes in [[edit, delete], [delete, edit]] {
            let replica = try BoundedReplica.built(by: create, changes[0], changes[1])
            #expect(replica[1]?.isDeleted == false)
            #expect(replica[1]?.versions?.current.id == VersionID(numbered: 11))
            #expect(replica[1]?.versions?.superseded.map(\.version.id) == [VersionID(numbered: 1)])
            expectInvariants(replica.replica)
        }
    }

    @Test func `deleted content is an earlier version when an edit brings the document back`() throws {
        var delete = laptop.commit(.delete(one, seen: [VersionID(numbered: 2)]))
        delete.time = Timestamp(nanoseconds: 7)
        var edit = phone.commit(.save(one, phone.version(11, base: 1, modified: 50)))
        edit.time = Timestamp(nanoseconds: 9)
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            laptop.commit(.save(one, laptop.version(2, base: 1, modified: 200))), delete, edit)
        let versions = try #require(replica[1]?.versions)
        #expect(replica[1]?.isDeleted == false)
        // Its content may be gone 30 days after the deletion: it can be neither current nor in conflict.
        #expect(versions.leaves.map(\.id) == [VersionID(numbered: 11)])
        #expect(versions.superseded.map(\.version.id) == [VersionID(numbered: 1), VersionID(numbered: 2)])
        #expect(versions.superseded.last?.time == delete.time)
        expectInvariants(replica.replica)
    }

    @Test func `a deletion that saw the edit deletes the document`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            phone.commit(.save(one, phone.version(11, base: 1, modified: 50))),
            laptop.commit(.delete(one, seen: [VersionID(numbered: 11)])))
        #expect(replica[1]?.isDeleted == true)
    }

    @Test(arguments: [nil, 77] as [UInt8?])
    func `a deletion that saw no version deletes no document`(seen: UInt8?) throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            laptop.commit(.delete(one, seen: seen.map { [VersionID(numbered: $0)] } ?? [])))
        #expect(replica[1]?.isDeleted == false)
    }

    @Test func `a deletion of a document in conflict leaves the versions that it did not see`() throws {
        let conflict = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            laptop.commit(.save(one, laptop.version(11, base: 1, modified: 200))),
            phone.commit(.save(one, phone.version(12, base: 1, modified: 300))))
        let history = try #require(conflict[1]?.versions)
        #expect(history.current.id == VersionID(numbered: 12))
        #expect(history.conflicts.map(\.id) == [VersionID(numbered: 11)])
        for seen in [[11], [12], [1, 12], [1, 11, 12]] as [[UInt8]] {
            var replica = conflict
            try replica.applyCommit(laptop.commit(.delete(one, seen: seen.map(VersionID.init(numbered:)))))
            #expect(replica[1]?.isDeleted == (seen.count == 3), "\(seen)")
            let unseen = history.leaves.map(\.id).filter { !seen.map(VersionID.init(numbered:)).contains($0) }
            if !unseen.isEmpty { #expect(replica[1]?.versions?.leaves.map(\.id) == unseen) }
            #expect(Set(replica[1]?.versions?.all.map(\.id) ?? []) == Set(history.all.map(\.id)))
            expectInvariants(replica.replica)
        }
    }

    @Test func `of several versions that a deletion did not see the latest is current`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            laptop.commit(.save(one, laptop.version(11, base: 1, modified: 200))),
            phone.commit(.save(one, phone.version(12, base: 1, modified: 400))),
            phone.commit(.save(one, phone.version(13, base: 1, modified: 300))),
            laptop.commit(.delete(one, seen: [VersionID(numbered: 12)])))
        #expect(replica[1]?.versions?.leaves.map(\.id) == [13, 11].map(VersionID.init(numbered:)))
        #expect(replica[1]?.description.modified == Timestamp(nanoseconds: 300))
    }

    @Test func `deleting twice is the same as deleting once`() throws {
        let delete = laptop.commit(.delete(one, seen: [VersionID(numbered: 1)]))
        var replica = try BoundedReplica.built(by: laptop.commit(.create(laptop.document(1))), delete)
        let before = replica.replica
        #expect(try replica.applyCommit(delete).isEmpty)
        #expect(replica.replica == before)
    }

    @Test func `a folder with something in it is not deleted`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "Photos"))),
            phone.commit(.create(phone.document(2, in: one))), laptop.commit(.delete(one, seen: [])))
        #expect(replica.liveNumbers == [1, 2])
        expectInvariants(replica.replica)
    }

    @Test func `a folder and all in it are deleted by one commit`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(
                .create(laptop.folder(1, "a")), .create(laptop.folder(2, "b", in: one)),
                .create(laptop.document(3, in: EntryID(numbered: 2)))),
            phone.commit(
                .delete(EntryID(numbered: 3), seen: [VersionID(numbered: 3)]), .delete(EntryID(numbered: 2), seen: []),
                .delete(one, seen: [])))
        #expect(replica.liveNumbers.isEmpty)
    }

    /// A document in three folders, all of them deleted.
    private func deletedTree() throws -> BoundedReplica {
        try .built(
            by: laptop.commit(
                .create(laptop.folder(1, "a")), .create(laptop.folder(2, "b", in: one)),
                .create(laptop.folder(3, "c", in: EntryID(numbered: 2))),
                .create(laptop.document(4, in: EntryID(numbered: 3)))),
            laptop.commit(
                .delete(EntryID(numbered: 4), seen: [VersionID(numbered: 4)]), .delete(EntryID(numbered: 3), seen: []),
                .delete(EntryID(numbered: 2), seen: []), .delete(one, seen: [])))
    }

    private static let returns: [Change] = [
        .save(EntryID(numbered: 4), TestDevice.phone.version(11, base: 4, modified: 200)),
        .create(TestDevice.phone.document(5, in: EntryID(numbered: 3))),
        .create(TestDevice.phone.document(4, in: EntryID(numbered: 3))),
        .describe(EntryID(numbered: 6), .moved(to: EntryID(numbered: 3), filename: "x")),
    ]

    @Test(arguments: 0..<4)
    func `an entry that lives on in a deleted folder brings back all folders above it`(number: Int) throws {
        var replica = try deletedTree()
        #expect(replica.liveNumbers.isEmpty)
        try replica.applyCommit(phone.commit(.create(phone.folder(6, "beside"))))
        let touched = try replica.applyCommit(phone.commit(Self.returns[number]))
        #expect(replica.liveNumbers.isSuperset(of: [1, 2, 3, 6]))
        let last: UInt8 = number == 3 ? 6 : number == 1 ? 5 : 4
        #expect(replica[last]?.isDeleted == false)
        #expect(replica[last]?.description.parent == EntryID(numbered: 3))
        #expect(Set(touched) == Set([1, 2, 3, last].map(EntryID.init(numbered:))))
        #expect(touched.count == 4)
        expectInvariants(replica.replica)
    }

    @Test func `a description of a deleted document does not bring it back, and holds when it comes back`() throws {
        var replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))), laptop.commit(.delete(one, seen: [VersionID(numbered: 1)])),
            phone.commit(.describe(one, .named("Renamed"))))
        #expect(replica[1]?.isDeleted == true)
        try replica.applyCommit(phone.commit(.save(one, phone.version(11, base: 1, modified: 200))))
        #expect(replica[1]?.isDeleted == false)
        #expect(replica[1]?.description.displayName == "Renamed")
    }

    @Test func `an entry that is created again is back with its history`() throws {
        var again = phone.document(1, "Other.txt", version: phone.version(11, base: 1, modified: 200))
        again.created = Timestamp(nanoseconds: 999)
        again.deleted = Timestamp(nanoseconds: 0)
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))), laptop.commit(.delete(one, seen: [VersionID(numbered: 1)])),
            phone.commit(.create(again)))
        let entry = try #require(replica[1])
        #expect(!entry.isDeleted)
        #expect(entry.versions?.current.id == VersionID(numbered: 11))
        #expect(entry.versions?.superseded.map(\.version.id) == [VersionID(numbered: 1)])
        #expect(entry.description.displayName == "Other")
        #expect(entry.created == Timestamp(nanoseconds: 1))
        #expect(entry.creator == laptop.id)
    }

    @Test func `a document that comes back with later versions shows the last of them, and has no conflict`() throws {
        var history = VersionHistory(first: laptop.version(1, modified: 100))
        for number in 2...4 as ClosedRange<UInt8> {
            history.add(
                laptop.version(number, base: number - 1, modified: 100 * Int64(number)), at: Timestamp(nanoseconds: 0))
        }
        var again = laptop.document(1)
        again.content = .document(versions: history)
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))), laptop.commit(.delete(one, seen: [VersionID(numbered: 1)])),
            laptop.commit(.create(again)))
        #expect(replica[1]?.versions == history)
    }

    /// The content that it had may be gone 30 days after the deletion: it is no head, whichever is later.
    @Test func `an entry that is created again by one who knew nothing of it has no conflict`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1, version: laptop.version(1, modified: 300)))),
            laptop.commit(.delete(one, seen: [VersionID(numbered: 1)])),
            phone.commit(.create(phone.document(1, version: phone.version(11, modified: 200)))))
        let versions = try #require(replica[1]?.versions)
        #expect(versions.leaves.map(\.id) == [VersionID(numbered: 11)])
        #expect(versions.superseded.map(\.version.id) == [VersionID(numbered: 1)])
    }

    @Test func `a link that is created again has its new target`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.link(1, "link", to: "old"))), laptop.commit(.delete(one, seen: [])),
            laptop.commit(.create(laptop.link(1, "link", to: "new"))))
        #expect(replica[1]?.content == .symbolicLink(target: Data("new".utf8)))
        #expect(replica[1]?.isDeleted == false)
    }
}
