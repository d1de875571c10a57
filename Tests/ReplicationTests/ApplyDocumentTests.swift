import Documents
import Foundation
import Replication
import TestSupport
import Testing

/// Creating, saving and describing.
struct ApplyDocumentTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone

    @Test func `a created entry is there as it was sent`() throws {
        var replica = BoundedReplica()
        let entries = [laptop.document(1), laptop.folder(2, "Photos"), laptop.link(3, "link", to: "../x")]
        let touched = try replica.applyCommit(laptop.commit(entries.map(Change.create)))
        #expect(touched == entries.map(\.id))
        for entry in entries { #expect(replica.replica.entry(entry.id) == entry) }
        expectInvariants(replica.replica)
    }

    @Test func `a save makes a version current, and the document has its time`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            phone.commit(.save(EntryID(numbered: 1), phone.version(11, base: 1, modified: 50))))
        #expect(replica[1]?.versions?.current.id == VersionID(numbered: 11))
        #expect(replica[1]?.versions?.superseded.map(\.version.id) == [VersionID(numbered: 1)])
        #expect(replica[1]?.description.modified == Timestamp(nanoseconds: 50))
    }

    @Test func `two saves that did not see each other are in conflict, and the later is current`() throws {
        let early = laptop.commit(.save(EntryID(numbered: 1), laptop.version(11, base: 1, modified: 200)))
        let late = phone.commit(.save(EntryID(numbered: 1), phone.version(12, base: 1, modified: 300)))
        for saves in [[early, late], [late, early]] {
            let replica = try BoundedReplica.built(
                by: laptop.commit(.create(laptop.document(1))), saves[0], saves[1])
            #expect(replica[1]?.versions?.current.id == VersionID(numbered: 12))
            #expect(replica[1]?.versions?.conflicts.map(\.id) == [VersionID(numbered: 11)])
            #expect(replica[1]?.description.modified == Timestamp(nanoseconds: 300))
        }
    }

    @Test func `a save that is applied again changes nothing`() throws {
        let save = phone.commit(.save(EntryID(numbered: 1), phone.version(11, base: 1, modified: 200)))
        var replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))), save,
            laptop.commit(.save(EntryID(numbered: 1), laptop.version(12, base: 11, modified: 300))))
        let before = replica.replica
        try replica.applyCommit(save)
        #expect(replica.replica == before)
    }

    @Test func `a document is created and saved in one commit`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(
                .create(laptop.document(1)), .save(EntryID(numbered: 1), laptop.version(11, base: 1, modified: 200))))
        #expect(replica[1]?.versions?.current.id == VersionID(numbered: 11))
    }

    private static let changes: [@Sendable (inout DescriptionChange, inout EntryDescription) -> Void] = [
        { change, expected in
            change.place = .init(parent: EntryID(numbered: 9), filename: "new.txt", hasGeneratedFilename: false)
            expected.parent = EntryID(numbered: 9)
            expected.filename = "new.txt"
            expected.hasGeneratedFilename = false
        },
        { change, expected in
            change.name = .init(displayName: "New", pathExtension: "md", naming: .automatic)
            expected.displayName = "New"
            expected.pathExtension = "md"
            expected.naming = .automatic
        },
        { change, expected in
            change.position = -0.5
            expected.position = -0.5
        },
        { change, expected in
            change.mode = 0o600
            expected.mode = 0o600
        },
        { change, expected in
            change.modified = Timestamp(nanoseconds: 77)
            expected.modified = Timestamp(nanoseconds: 77)
        },
        { change, expected in
            change.attributes = .init(json: Data("{}".utf8))
            expected.attributes = Data("{}".utf8)
        },
    ]

    @Test(arguments: 0..<6)
    func `a description sets what it names and nothing else`(number: Int) throws {
        var replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(9, "Folder")), .create(laptop.document(1))))
        var expected = try #require(replica[1])
        var change = DescriptionChange()
        #expect(change.isEmpty)
        Self.changes[number](&change, &expected.description)
        #expect(!change.isEmpty)
        #expect(
            try replica.applyCommit(phone.commit(.describe(EntryID(numbered: 1), change))) == [EntryID(numbered: 1)])
        #expect(replica[1] == expected)
    }

    @Test func `attributes can be removed`() throws {
        var entry = laptop.document(1)
        entry.description.attributes = Data("{}".utf8)
        var change = DescriptionChange()
        change.attributes = .init(json: nil)
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(entry)), laptop.commit(.describe(entry.id, change)))
        #expect(replica[1]?.description.attributes == nil)
    }

    @Test func `folders and links have no display name`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "Photos")), .create(laptop.link(2, "link", to: "x"))),
            laptop.commit(
                .describe(EntryID(numbered: 1), .named("Other")), .describe(EntryID(numbered: 2), .named("Other"))))
        for number in [1, 2] as [UInt8] {
            #expect(replica[number]?.description.displayName == nil)
            #expect(replica[number]?.description.pathExtension == nil)
            #expect(replica[number]?.description.naming == nil)
        }
    }

    @Test func `a change to an unknown entry changes nothing`() throws {
        var replica = try BoundedReplica.built(by: laptop.commit(.create(laptop.document(1))))
        let before = replica.replica
        let unknown = EntryID(numbered: 99)
        let touched = try replica.applyCommit(
            phone.commit(
                .save(unknown, phone.version(11, base: 1, modified: 200)), .describe(unknown, .named("Other")),
                .describe(unknown, .moved(to: EntryID(numbered: 1), filename: "x")), .delete(unknown, seen: []),
                .delete(.cloudRoot, seen: []), .describe(.cloudRoot, .moved(to: unknown, filename: "x"))))
        #expect(touched.isEmpty)
        #expect(replica.replica == before)
    }

    @Test func `a save of a folder or link changes nothing`() throws {
        var replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "Photos")), .create(laptop.link(2, "link", to: "x"))))
        let before = replica.replica
        try replica.applyCommit(
            phone.commit([1, 2].map { .save(EntryID(numbered: $0), phone.version(11, modified: 200)) }))
        #expect(replica.replica == before)
    }

    @Test func `an entry never becomes one of another kind`() throws {
        var replica = try BoundedReplica.built(by: laptop.commit(.create(laptop.document(1))))
        let before = replica.replica
        try replica.applyCommit(phone.commit(.create(phone.folder(1, "x")), .create(phone.link(1, "x", to: "y"))))
        #expect(replica.replica == before)
    }
}
