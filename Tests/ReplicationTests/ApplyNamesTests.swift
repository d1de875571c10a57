import Documents
import Replication
import Testing

/// The same names from several devices (ContainerFormat, Names).
struct ApplyNamesTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let one = EntryID(numbered: 1)
    private let two = EntryID(numbered: 2)

    private func filenames(_ replica: BoundedReplica, _ numbers: UInt8...) -> [String?] {
        numbers.map { replica[$0]?.description.filename }
    }

    @Test func `of two folders of one name the second is NAME (DEVICE)`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "Photos"))), phone.commit(.create(phone.folder(2, "Photos"))),
            phone.commit(.create(phone.folder(3, "Photos"))),
            TestDevice.tablet.commit(.create(TestDevice.tablet.folder(4, "Photos"))))
        #expect(
            filenames(replica, 1, 2, 3, 4) == ["Photos", "Photos (phone)", "Photos (phone 2)", "Photos (tablet)"])
        expectInvariants(replica.replica)
    }

    @Test func `a folder's name has no extension`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "v1.2"))), phone.commit(.create(phone.folder(2, "v1.2"))))
        #expect(filenames(replica, 1, 2) == ["v1.2", "v1.2 (phone)"])
    }

    @Test func `of two documents of one filename the second is NAME (DEVICE).EXT`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1, "config.ini", filename: "config.ini"))),
            phone.commit(.create(phone.document(2, "config.ini", filename: "config.ini"))))
        #expect(filenames(replica, 1, 2) == ["config.ini", "config (phone).ini"])
        expectInvariants(replica.replica)
    }

    @Test func `a document, a folder and a link of one name are kept apart, too`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "x"))), phone.commit(.create(phone.link(2, "x", to: "y"))),
            TestDevice.tablet.commit(.create(TestDevice.tablet.document(3, "x", filename: "x"))))
        #expect(filenames(replica, 1, 2, 3) == ["x", "x (phone)", "x (tablet)"])
    }

    @Test func `names are compared byte for byte`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "caf\u{e9}"))),
            phone.commit(.create(phone.folder(2, "cafe\u{301}"))))
        #expect(Array((replica[2]?.description.filename ?? "").utf8) == Array("cafe\u{301}".utf8))
    }

    @Test func `a name that is in use in another folder, or by a deleted entry, is free`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "a")), .create(laptop.folder(2, "Photos"))),
            phone.commit(.create(phone.folder(3, "Photos", in: one))), laptop.commit(.delete(two, seen: [])),
            phone.commit(.create(phone.folder(4, "Photos"))))
        #expect(filenames(replica, 3, 4) == ["Photos", "Photos"])
    }

    @Test func `an entry that is renamed or moved to a name in use gets another name`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "a")), .create(laptop.folder(2, "b"))),
            laptop.commit(.create(laptop.folder(3, "c", in: one)), .create(laptop.folder(4, "a", in: one))),
            phone.commit(.describe(two, .moved(to: .cloudRoot, filename: "a"))),
            phone.commit(.describe(EntryID(numbered: 4), .moved(to: .cloudRoot, filename: "a"))))
        #expect(filenames(replica, 1, 2, 4) == ["a", "a (phone)", "a (phone 2)"])
        expectInvariants(replica.replica)
    }

    @Test func `an entry that comes back to a name in use gets another name`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "Photos"))), laptop.commit(.delete(one, seen: [])),
            laptop.commit(.create(laptop.folder(2, "Photos"))), phone.commit(.create(phone.document(3, in: one))))
        #expect(filenames(replica, 1, 2) == ["Photos (phone)", "Photos"])
        #expect(replica[3]?.description.parent == one)
        expectInvariants(replica.replica)
    }

    @Test func `two entries may exchange their names within one commit`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "a")), .create(laptop.folder(2, "b"))),
            laptop.commit(
                .describe(one, .moved(to: .cloudRoot, filename: "b")),
                .describe(two, .moved(to: .cloudRoot, filename: "a"))))
        #expect(filenames(replica, 1, 2) == ["b", "a"])
    }

    @Test func `a name that another entry gives up in the same commit is free`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.folder(1, "a")), .create(laptop.folder(2, "b"))),
            laptop.commit(
                .describe(one, .moved(to: .cloudRoot, filename: "b")), .delete(two, seen: []),
                .create(laptop.folder(3, "a"))))
        #expect(filenames(replica, 1, 3) == ["b", "a"])
    }

    @Test func `of the same name typed on two devices the second is NAME (DEVICE).EXT`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1, "Plan.txt"))),
            phone.commit(.create(phone.document(2, "Plan.txt"))))
        #expect(replica[1]?.description.fullName == "Plan.txt")
        #expect(replica[2]?.description.fullName == "Plan (phone).txt")
        #expect(filenames(replica, 1, 2) == ["generated-1.txt", "generated-2.txt"])
    }

    @Test func `two documents of one device may have one display name`() throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1, "Plan.txt"))),
            laptop.commit(.create(laptop.document(2, "Plan.txt"))))
        #expect(replica[2]?.description.fullName == "Plan.txt")
    }

    @Test(arguments: [(Naming.automatic, Naming.given), (.given, .automatic), (.untitled, .untitled)])
    func `automatic display names may be equal`(first: Naming, second: Naming) throws {
        let replica = try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1, "Plan.txt", naming: first))),
            phone.commit(.create(phone.document(2, "Plan.txt", naming: second))))
        #expect(replica[1]?.description.fullName == "Plan.txt")
        #expect(replica[2]?.description.fullName == "Plan.txt")
    }

    @Test func `a given name that is in use in another folder, by a deleted document, or in another spelling is free`()
        throws
    {
        let replica = try BoundedReplica.built(
            by: laptop.commit(
                .create(laptop.folder(9, "Folder")), .create(laptop.document(1, "Plan.txt")),
                .create(laptop.document(2, "caf\u{e9}.txt")), .create(laptop.document(3, "Old.txt"))),
            laptop.commit(.delete(EntryID(numbered: 3), seen: [VersionID(numbered: 3)])),
            phone.commit(
                .create(phone.document(4, "Plan.txt", in: EntryID(numbered: 9))),
                .create(phone.document(5, "cafe\u{301}.txt")), .create(phone.document(6, "Old.txt")),
                .create(phone.document(7, "Plan.md"))))
        #expect(replica[4]?.description.fullName == "Plan.txt")
        #expect(Array((replica[5]?.description.displayName ?? "").utf8) == Array("cafe\u{301}".utf8))
        #expect(replica[6]?.description.fullName == "Old.txt")
        #expect(replica[7]?.description.fullName == "Plan.md")
    }

    @Test(arguments: ["x", "é", "👨‍👩‍👧"])
    func `a distinct name made of the longest names is a valid name`(character: String) throws {
        let longest = String(repeating: character, count: 251 / character.utf8.count)
        let device = TestDevice(id: DeviceID(numbered: 5), name: String(repeating: "/日", count: 100))
        let replica = try BoundedReplica.built(
            by: laptop.commit(
                .create(laptop.folder(1, longest)),
                .create(laptop.document(2, longest + ".txt", filename: longest + ".txt"))),
            device.commit(
                .create(device.folder(3, longest)),
                .create(device.document(4, longest + ".txt", filename: longest + ".txt"))))
        #expect(replica.liveNumbers == [1, 2, 3, 4])
        expectInvariants(replica.replica)
    }
}
