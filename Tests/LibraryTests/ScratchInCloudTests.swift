import Catalog
import Documents
@testable import CloudSynchronization
@testable import Library
import Testing

/// Scratch files stay on this device, and so do changes made for them alone (`Semantics`, "Dotfiles and scratch files").
@Suite(.timeLimit(.minutes(15)))
struct ScratchInCloudTests {
    /// Both devices have a folder, the phone with a scratch file in it, and the laptop deletes it.
    private static func withDeletedFolder(
        _ body: (_ laptop: TestDevice, _ phone: TestDevice, _ trip: InodeNumber) async throws -> Void
    ) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Day.txt", "rain", in: laptop.makeFolder("Trip"))
            try await laptop.push()
            try await phone.pull()
            let trip = try phone.inode("Trip")
            try phone.create(".Day.txt.swp", "scratch", in: trip)
            try laptop.remove("Day.txt", in: laptop.inode("Trip"))
            try laptop.library.removeFolder(Array("Trip".utf8), in: .cloud)
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            try await body(laptop, phone, trip)
        }
    }

    /// The lock of emacs is a link.
    @Test func `a symbolic link with a scratch name stays here and takes part in no undo`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try await laptop.push()
            let undo = try laptop.library.actionListText(.undo)
            try laptop.makeLink(".#Plan.txt", to: "me@laptop.1:2")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["Plan.txt"])
            #expect(try laptop.library.actionListText(.undo) == undo)
            try laptop.remove(".#Plan.txt")
            #expect(try laptop.library.actionListText(.undo) == undo)
        }
    }

    @Test func `a link travels under an ordinary name, and no longer under a scratch name or in the trash`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            try laptop.makeLink(".#Plan.txt", to: "there")
            try laptop.rename(".#Plan.txt", to: "Link")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["Link"])
            try laptop.rename("Link", to: "Link~")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            #expect(try laptop.entry("Link~").target == Array("there".utf8))
            try laptop.rename("Link~", to: "Link")
            let trash = try laptop.makeFolder(".Trash-0")
            try await laptop.push()
            try laptop.move("Link", from: .cloud, to: trash)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            try laptop.move("Link", from: trash, to: .cloud)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["Link"])
        }
    }

    @Test func `a scratch file does not bring back a folder that was deleted elsewhere, and is not lost`() async throws
    {
        try await Self.withDeletedFolder { laptop, phone, trip in
            #expect(try laptop.names() == [])
            #expect(try await phone.text(".Day.txt.swp", in: trip) == "scratch")
            #expect(try phone.pendingCount == 0)
            try phone.synchronizer.tree.removeEmptiedFolders()
            #expect(try phone.names() == ["Trip"])
            try phone.remove(".Day.txt.swp", in: trip)
            try phone.synchronizer.tree.removeEmptiedFolders()
            #expect(try phone.names() == [])
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == [])
        }
    }

    @Test func `a document that is put there brings the folder back`() async throws {
        try await Self.withDeletedFolder { laptop, phone, trip in
            try phone.create("Day.txt", "sun", in: trip)
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == ["Trip"])
            #expect(try await laptop.text("Day.txt", in: laptop.inode("Trip")) == "sun")
            #expect(try phone.pendingCount == 0)
            try phone.remove(".Day.txt.swp", in: trip)
            try phone.synchronizer.tree.removeEmptiedFolders()
            #expect(try phone.names() == ["Trip"])
        }
    }

    @Test func `a folder that another device brings back is a folder like any other`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Day.txt", "rain", in: laptop.makeFolder("Trip"))
            try await laptop.push()
            try await phone.pull()
            let tablet = try TestDevice("tablet", store: laptop.store + "-tablet", cloudFolder: laptop.cloudFolder)
            try tablet.open()
            defer { tablet.dismantle() }
            try await tablet.pull()
            let (trip, elsewhere) = (try phone.inode("Trip"), try tablet.inode("Trip"))
            #expect(try await tablet.text("Day.txt", in: elsewhere) == "rain")
            try phone.create(".Day.txt.swp", "scratch", in: trip)
            try laptop.remove("Day.txt", in: laptop.inode("Trip"))
            try laptop.library.removeFolder(Array("Trip".utf8), in: .cloud)
            try await laptop.push()
            try await phone.pull()
            // The tablet did not know of the deletion.
            try tablet.create("Night.txt", "moon", in: elsewhere)
            try await tablet.push()
            try await phone.pull()
            try tablet.remove("Night.txt", in: tablet.inode("Trip"))
            try await tablet.push()
            try await phone.pull()
            try phone.remove(".Day.txt.swp", in: trip)
            try phone.synchronizer.tree.removeEmptiedFolders()
            for device in [tablet, phone] { #expect(try device.names() == ["Trip"]) }
        }
    }

    @Test func `folders in folders are removed with the last scratch file`() async throws {
        try await withTwoDevices { laptop, phone in
            let outer = try laptop.makeFolder("Outer")
            _ = try laptop.makeFolder("Inner", in: outer)
            try await laptop.push()
            try await phone.pull()
            let inner = try phone.inode("Inner", in: phone.inode("Outer"))
            try phone.create("a.tmp", "scratch", in: inner)
            try laptop.library.removeFolder(Array("Inner".utf8), in: outer)
            try laptop.library.removeFolder(Array("Outer".utf8), in: .cloud)
            try await laptop.push()
            try await phone.push()
            #expect(try phone.names() == ["Outer"])
            try phone.remove("a.tmp", in: inner)
            try phone.synchronizer.tree.removeEmptiedFolders()
            try phone.synchronizer.tree.removeEmptiedFolders()
            #expect(try phone.names() == [])
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == [])
        }
    }
}
