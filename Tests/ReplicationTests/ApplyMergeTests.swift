import Documents
import Replication
import Testing
import TestSupport

/// Changes of one entry by several devices.
struct ApplyMergeTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let one = EntryID(numbered: 1)

    @Test func `a live document that is created again has the new description and both contents`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1, "Plan.txt", version: laptop.version(1, modified: 300)))),
            phone.commit(.create(phone.document(1, "Other.txt", version: phone.version(2, modified: 200)))))
        let entry = try #require(replica[1])
        #expect(entry.description.displayName == "Other")
        #expect(entry.versions?.current.id == VersionID(numbered: 1))
        #expect(entry.versions?.conflicts.map(\.id) == [VersionID(numbered: 2)])
        #expect(entry.description.modified == Timestamp(nanoseconds: 300))
        #expect(entry.creator == laptop.id)
    }

    @Test func `a live folder that is created again inside itself stays where it is`() throws {
        var replica = try BoundedReplica.built(
            by: laptop.commit(
                .create(laptop.folder(1, "a")), .create(laptop.folder(2, "b", in: one)),
                .create(laptop.folder(3, "c", in: EntryID(numbered: 2)))))
        try replica.applyCommit(phone.commit(.create(phone.folder(2, "b", in: EntryID(numbered: 3)))))
        #expect(replica[2]?.description.parent == one)
        expectInvariants(replica.replica)
    }

    @Test func `a move to an unknown folder does not happen`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(
                .create(laptop.folder(1, "a")), .create(laptop.folder(2, "b", in: one)), .create(laptop.document(3))),
            phone.commit(.describe(EntryID(numbered: 2), .moved(to: EntryID(numbered: 99), filename: "x"))),
            phone.commit(.describe(EntryID(numbered: 2), .moved(to: EntryID(numbered: 3), filename: "y"))))
        #expect(replica[2]?.description.parent == one)
        #expect(replica[2]?.description.filename == "b")
    }

    @Test func `of two entries of one name in one commit the later one gets another name`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "a")), .create(laptop.folder(2, "a"))))
        #expect(replica[1]?.description.filename == "a")
        #expect(replica[2]?.description.filename == "a (\(laptop.name))")
    }

    @Test func `a save that is known does not bring a deleted document back`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))), laptop.commit(.delete(one, seen: [VersionID(numbered: 1)])),
            phone.commit(.save(one, laptop.version(1, modified: 100))))
        #expect(replica[1]?.isDeleted == true)
    }

    /// A save that saw its predecessor is current even if its clock is behind. It stays current against the conflict versions of its
    /// predecessor; only a version that is later than itself takes its place.
    @Test func `a document has the time of its current version, whichever that becomes`() throws {
        let commits = [
            laptop.commit(.create(laptop.document(1, version: laptop.version(1, modified: 10)))),
            phone.commit(.save(one, phone.version(2, modified: 5))),
            laptop.commit(.save(one, laptop.version(3, base: 1, modified: 3))),
            phone.commit(.save(one, phone.version(4, modified: 1))),
        ]
        var replica = InMemoryReplica()
        for commit in commits { _ = try apply(commit, to: &replica) }
        #expect(replica.entry(one)?.versions?.current.id == VersionID(numbered: 3))
        #expect(replica.entry(one)?.description.modified == Timestamp(nanoseconds: 3))
        _ = try apply(phone.commit(.save(one, phone.version(5, modified: 4))), to: &replica)
        #expect(replica.entry(one)?.versions?.current.id == VersionID(numbered: 5))
        #expect(replica.entry(one)?.description.modified == Timestamp(nanoseconds: 4))
    }

    /// Far more levels than the stack of a thread has room for if folders were visited by recursion.
    @Test func `folders of any depth come back`() throws {
        let depth = 20_000
        func id(_ number: Int) -> EntryID { EntryID(counted: number) }
        var replica = NamelessReplica()
        for number in 1...depth {
            var folder = laptop.folder(0, "f", in: number == 1 ? .cloudRoot : id(number - 1))
            folder.id = id(number)
            folder.deleted = Timestamp(nanoseconds: 0)
            replica.store(folder)
        }
        let touched = try apply(laptop.commit(.describe(id(depth), DescriptionChange())), to: &replica)
        #expect(touched == [id(depth)])
        var deepest = try #require(replica.entry(id(depth)))
        deepest.deleted = nil
        let revived = try apply(laptop.commit(.create(deepest)), to: &replica)
        #expect(revived.count == depth)
        #expect(replica.entries.values.allSatisfy { !$0.isDeleted })
    }

    /// A replica of unlimited size in which no two names ever clash.
    private struct NamelessReplica: ReplicaState {
        var entries: [EntryID: ReplicaEntry] = [:]

        func entry(_ id: EntryID) -> ReplicaEntry? { entries[id] }
        func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) -> Bool { false }
        func liveDocuments(in parent: EntryID, fullName: String) -> [ReplicaEntry] { [] }
        func hasLiveChildren(_ parent: EntryID) -> Bool { true }
        mutating func store(_ entry: ReplicaEntry) { entries[entry.id] = entry }
    }
}
