import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
@testable import Replica
import ObjectStore
import Replication
import Testing

/// A removal or rename counts for the versions that this device has shown (`Semantics`, "Conflicts").
@Suite(.timeLimit(.minutes(15)))
struct ShownVersionTests {
    private static func conflicts(of name: String, _ device: TestDevice) throws -> [String] {
        try device.library.list(.conflicts, of: device.inode(name)).map(\.name)
    }

    /// The texts of the versions in conflict, from the container's own objects.
    private static func conflictTexts(of name: String, _ device: TestDevice) async throws -> [String] {
        let id = try #require(try device.entry(name).id)
        let versions = try device.library.store.catalog.read {
            try CatalogReplica($0).visibleEntry(id, at: device.library.store.surroundings.now())?.versions?.conflicts
        }
        var texts: [String] = []
        for version in try #require(versions) {
            let bytes = try await device.cloud.get(try version.key(of: id), limit: 1000)
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return texts
    }

    @Test func `a conflict version that moved to another document opens there, also where it was listed before`()
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            func numbers(_ name: String) throws -> [InodeNumber] {
                try laptop.library.list(.conflicts, of: laptop.inode(name)).compactMap {
                    if case .version(let number) = $0.node { number } else { nil }
                }
            }
            let before = try #require(try numbers("F.txt").first)
            let text = try await laptop.text(of: laptop.open(before))
            #expect(text.hasPrefix("of the "))
            try phone.rename("F.txt", to: "G.txt")
            try await phone.push()
            try await laptop.pull()
            let after = try numbers("G.txt")
            #expect(after.count == 1)
            for number in after {
                #expect(try laptop.library.attributes(of: .version(number)).size == Int64(text.utf8.count))
                #expect(try await laptop.text(of: laptop.open(number)) == text)
            }
        }
    }

    @Test func `renamed over another document, a document takes its conflict versions along`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let hidden = try await Self.conflictTexts(of: "F.txt", phone)
            let current = try await phone.text("F.txt")
            try phone.rename("F.txt", to: "G.txt")
            // At once, and without a connection.
            #expect(try Self.conflicts(of: "G.txt", phone).count == 1)
            #expect(try await phone.text("G.txt") == current)
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["G.txt"])
                #expect(try await device.text("G.txt") == current)
                #expect(try device.entry("G.txt").conflicts == 1)
                #expect(try await Self.conflictTexts(of: "G.txt", device) == hidden)
            }
            // And it can be chosen.
            let name = try #require(try Self.conflicts(of: "G.txt", laptop).first)
            try laptop.library.chooseVersion(
                Array(name.utf8), in: .conflicts, of: laptop.inode("G.txt"), as: Array("G.txt".utf8), in: .cloud,
                options: [])
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] { #expect(try await device.text("G.txt") == hidden.first) }
        }
    }

    @Test
    func `conflict versions stay with a document that is renamed twice, and are removed with one that is removed`()
        async throws
    {
        for isRemoved in [false, true] {
            try await withConflictOnTwoDevices { laptop, phone in
                try phone.create("H.txt", "H")
                try await phone.push()
                try phone.rename("F.txt", to: "G.txt")
                if isRemoved { try phone.remove("G.txt") } else { try phone.rename("G.txt", to: "H.txt") }
                if !isRemoved {
                    let heir = try phone.entry("H.txt").id
                    #expect(try phone.library.store.catalog.read { try $0.withdrawals() }.map(\.heir) == [heir, heir])
                }
                try await phone.push()
                try await laptop.pull()
                for device in [laptop, phone] {
                    #expect(try device.names() == ["H.txt"])
                    #expect(try device.entry("H.txt").conflicts == (isRemoved ? 0 : 1))
                }
            }
        }
    }

    @Test func `a document takes its conflict versions along also over a document that the cloud does not know yet`()
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            let hidden = try await Self.conflictTexts(of: "F.txt", phone)
            try phone.create("New.txt", "new")
            try phone.rename("F.txt", to: "New.txt")
            // The deletion of the first document can be sent before the content of the other.
            _ = try await phone.synchronizer.sender.sendPending()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["G.txt", "New.txt"])
                #expect(try await Self.conflictTexts(of: "New.txt", device) == hidden)
            }
        }
    }

    /// What the program discarded would be the document.
    @Test(arguments: [true, false])
    func `a document is gone when the program removes it that has chosen another version and saved over that`(
        savesByRenaming: Bool
    ) async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let process: Int32 = 77
            let name = try #require(try Self.conflicts(of: "F.txt", phone).first)
            try phone.library.chooseVersion(
                Array(name.utf8), in: .conflicts, of: phone.inode("F.txt"), as: Array("F.txt".utf8), in: .cloud,
                options: [], by: Caller(thread: process))
            if savesByRenaming {
                try phone.create("F.txt.tmp", "edited")
                try phone.rename("F.txt.tmp", to: "F.txt", by: process)
            } else {
                try await phone.save("F.txt", "edited")
            }
            try phone.library.remove(Array("F.txt".utf8), in: .cloud, by: Caller(thread: process))
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] { #expect(try device.names() == ["G.txt"]) }
        }
    }

    @Test(arguments: [true, false])
    func `a device whose file is the conflict version learns of the conflict and of the rename at once`(
        isLater: Bool
    ) async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["F.txt", "G.txt"] { try laptop.create(name, name) }
            try await laptop.push()
            try await phone.pull()
            for name in ["F.txt", "G.txt"] { #expect(try await phone.text(name) == name) }
            let (first, second) = isLater ? (laptop, phone) : (phone, laptop)
            try await first.save("F.txt", "of the first")
            try await second.save("F.txt", "of the second")
            try await first.push()
            try await second.push()
            let renaming = try second.entry("F.txt").conflicts == 1 ? second : first
            let other = renaming === second ? first : second
            try renaming.rename("F.txt", to: "G.txt")
            try await renaming.push()
            try await other.pull()
            try await other.push()
            try await renaming.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["G.txt"])
                #expect(try device.entry("G.txt").conflicts == 1)
            }
        }
    }

    @Test
    func `a document with an older version here that is renamed over another does not come back in a version between`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            for name in ["F.txt", "G.txt"] { try laptop.create(name, name) }
            try await laptop.push()
            try await phone.pull()
            for name in ["F.txt", "G.txt"] { #expect(try await phone.text(name) == name) }
            for text in ["second", "third"] {
                try await laptop.save("F.txt", text)
                try await laptop.push()
            }
            try await phone.pull()
            try phone.rename("F.txt", to: "G.txt")
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] { #expect(try device.names() == ["G.txt"]) }
        }
    }

    @Test func `a version that an edit made here hides was not shown, and survives the deletion`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "first")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "first")
            try await phone.save("Plan.txt", "of the phone")
            try await laptop.save("Plan.txt", "of the laptop")
            try await laptop.push()
            // The phone has read of it, and shows its own version.
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "of the phone")
            try phone.remove("Plan.txt")
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Plan.txt"])
                #expect(try await device.text("Plan.txt") == "of the laptop")
                #expect(try device.entry("Plan.txt").conflicts == 0)
            }
        }
    }

    @Test func `a version that came to a document in conflict after it was removed survives as the document`()
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            // The laptop ends the conflict by a save of its own, which the phone has not read.
            try await laptop.save("F.txt", "newer, of the laptop")
            try await laptop.push()
            try phone.remove("F.txt")
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["F.txt", "G.txt"])
                #expect(try await device.text("F.txt") == "newer, of the laptop")
                // The removed version is an earlier version.
                #expect(try device.entry("F.txt").conflicts == 0)
            }
        }
    }

    @Test func `removing a document in conflict removes the versions that were shown`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            try phone.remove("F.txt")
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] { #expect(try device.names() == ["G.txt"]) }
        }
    }

    @Test func `a folder that leaves the cloud while a document in it is being moved elsewhere does not come back`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            let other = try laptop.makeFolder("Other")
            try laptop.create("Day.txt", "rain", in: trip)
            try laptop.create("Big.txt", "big")
            try await laptop.push()
            try await phone.pull()
            // Moved elsewhere in a bundle that waits for a content, and the folder removed.
            try laptop.move("Day.txt", from: trip, to: other)
            let (big, moved) = (try laptop.inode("Big.txt"), try laptop.inode("Day.txt", in: other))
            try laptop.library.transactions.mutate { transaction in
                var entry = try #require(try transaction.entry(big))
                entry.bundle = 77
                entry.markPending(.content)
                try transaction.update(entry)
                var day = try #require(try transaction.entry(moved))
                day.bundle = 77
                try transaction.update(day)
            }
            try laptop.library.removeFolder(Array("Trip".utf8), in: .cloud)
            _ = try await laptop.synchronizer.sender.sendPending()
            #expect(try laptop.names() == ["Big.txt", "Other"])
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] { #expect(try device.names() == ["Big.txt", "Other"]) }
        }
    }

    @Test(arguments: [Moment.underWay, .inLog, .read])
    func `conflict versions go on with their document when it is renamed over a second one`(moment: Moment) async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            try phone.rename("F.txt", to: "G.txt")
            try phone.create("F.txt", "new")
            try await phone.reach(moment)
            try phone.rename("G.txt", to: "F.txt")
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["F.txt"])
                #expect(try device.entry("F.txt").conflicts == 1)
            }
        }
    }

    @Test func `inherited conflict versions stay a document when a new document that has them becomes a scratch file`()
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            let current = try await phone.text("F.txt")
            try phone.rename("F.txt", to: "H.txt")
            phone.advance(seconds: 20)
            try phone.create("F.txt", "new")
            try phone.rename("H.txt", to: "F.txt")
            try phone.rename("F.txt", to: "F.txt~")
            try await phone.push()
            try await laptop.pull()
            #expect(try await phone.text("F.txt~") == current)
            let left = try laptop.names().filter { $0 != "G.txt" }
            #expect(left.count == 1)
            let other = current == "of the phone" ? "of the laptop" : "of the phone"
            #expect(try await laptop.text(try #require(left.first)) == other)
        }
    }
}
