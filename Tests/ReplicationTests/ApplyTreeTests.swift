import Documents
import Replication
import Testing

/// After any move, the tree has no cycle and no entry outside of it.
struct ApplyTreeTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let one = EntryID(numbered: 1)
    private let two = EntryID(numbered: 2)
    private let three = EntryID(numbered: 3)

    private var folders: Commit {
        laptop.commit(
            .create(laptop.folder(1, "a")), .create(laptop.folder(2, "b")), .create(laptop.folder(3, "c")))
    }

    private func move(_ id: EntryID, into parent: EntryID, as name: String, by device: TestDevice) -> Commit {
        device.commit(.describe(id, .moved(to: parent, filename: name)))
    }

    @Test func `of two folders moved into each other one of the moves does not happen`() throws {
        let first = move(one, into: two, as: "a", by: laptop)
        let second = move(two, into: one, as: "b", by: phone)
        let replica = try BoundedReplica.built(by: folders, first, second)
        #expect(replica[1]?.description.parent == two)
        #expect(replica[2]?.description.parent == .cloudRoot)
        expectInvariants(replica.replica)
        let other = try BoundedReplica.built(by: folders, second, first)
        #expect(other[2]?.description.parent == one)
        #expect(other[1]?.description.parent == .cloudRoot)
        expectInvariants(other.replica)
    }

    @Test func `of three folders moved in a ring the last move does not happen`() throws {
        let replica = try BoundedReplica.built(
            by: folders, move(one, into: two, as: "a", by: laptop), move(two, into: three, as: "b", by: phone),
            move(three, into: one, as: "renamed", by: .tablet))
        #expect(replica[1]?.description.parent == two)
        #expect(replica[2]?.description.parent == three)
        #expect(replica[3]?.description.parent == .cloudRoot)
        #expect(replica[3]?.description.filename == "c")
        expectInvariants(replica.replica)
    }

    @Test func `a folder is not moved into itself`() throws {
        let replica = try BoundedReplica.built(by: folders, move(one, into: one, as: "x", by: phone))
        #expect(replica[1]?.description.parent == .cloudRoot)
        #expect(replica[1]?.description.filename == "a")
    }

    @Test func `the rest of a description is set although the move does not happen`() throws {
        var change = DescriptionChange.moved(to: one, filename: "x")
        change.mode = 0o700
        let replica = try BoundedReplica.built(by: folders, phone.commit(.describe(one, change)))
        #expect(replica[1]?.description.mode == 0o700)
        #expect(replica[1]?.description.parent == .cloudRoot)
    }

    @Test func `a folder is created neither in itself nor in what it holds`() throws {
        var replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "a", in: one))),
            laptop.commit(.create(laptop.folder(2, "b", in: one))))
        #expect(replica[1]?.description.parent == .cloudRoot)
        try replica.applyCommit(phone.commit(.create(phone.folder(1, "a", in: two))))
        #expect(replica.liveNumbers == [1, 2])
        expectInvariants(replica.replica)
    }

    @Test func `an entry that is created in an unknown folder lies in the top folder`() throws {
        let missing = EntryID(numbered: 99)
        var replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            laptop.commit(.create(laptop.document(2, in: missing)), .create(laptop.folder(3, "x", in: one))))
        #expect(replica[2]?.description.parent == .cloudRoot)
        #expect(replica[3]?.description.parent == .cloudRoot)
        try replica.applyCommit(move(two, into: one, as: "y", by: phone))
        #expect(replica[2]?.description.parent == .cloudRoot)
        expectInvariants(replica.replica)
    }

    @Test func `a parent that comes later in the log does not take its children back`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1, in: two))), laptop.commit(.create(laptop.folder(2, "b"))))
        #expect(replica[1]?.description.parent == .cloudRoot)
        expectInvariants(replica.replica)
    }

    // Two devices move folders into each other that a third device has deleted. Then something is put into one of them.
    @Test(arguments: 1...3 as ClosedRange<UInt8>)
    func `deleted folders moved into each other can be used again`(number: UInt8) throws {
        var replica = try BoundedReplica.built(
            by: folders,
            laptop.commit(.delete(one, seen: []), .delete(two, seen: []), .delete(three, seen: [])),
            move(one, into: two, as: "a", by: phone), move(two, into: three, as: "b", by: .tablet),
            move(three, into: one, as: "c", by: phone))
        #expect(replica.liveNumbers.isEmpty)
        try replica.applyCommit(phone.commit(.create(phone.document(9, in: EntryID(numbered: number)))))
        #expect(replica.liveNumbers.isSuperset(of: [number, 9]))
        #expect(replica[9]?.description.parent == EntryID(numbered: number))
        expectInvariants(replica.replica)
    }

    @Test func `a deleted folder moved into itself can be used again`() throws {
        var replica = try BoundedReplica.built(
            by: folders, laptop.commit(.delete(one, seen: [])), move(one, into: one, as: "a", by: phone))
        try replica.applyCommit(phone.commit(.create(phone.document(9, in: one))))
        #expect(replica[9]?.description.parent == one)
        #expect(replica[1]?.isDeleted == false)
        expectInvariants(replica.replica)
    }

    @Test func `a folder of many levels moves with all it holds`() throws {
        let changes = (1...50 as ClosedRange<UInt8>).map {
            Change.create(laptop.folder($0, "f", in: $0 == 1 ? .cloudRoot : EntryID(numbered: $0 - 1)))
        }
        let replica = try BoundedReplica.built(
            by: laptop.commit(changes + [.create(laptop.folder(60, "other"))]),
            phone.commit(.describe(one, .moved(to: EntryID(numbered: 60), filename: "f"))),
            move(EntryID(numbered: 60), into: EntryID(numbered: 50), as: "x", by: laptop))
        #expect(replica[1]?.description.parent == EntryID(numbered: 60))
        #expect(replica[60]?.description.parent == .cloudRoot)
        #expect(replica[50]?.description.parent == EntryID(numbered: 49))
        expectInvariants(replica.replica)
    }
}
