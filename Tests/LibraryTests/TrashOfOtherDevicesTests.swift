import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import TestSupport
import Testing

/// What the trash shows of deletions by other devices, and of placeholders.
@Suite(.timeLimit(.minutes(15)))
struct TrashOfOtherDevicesTests {
    private func trash(_ device: TestDevice) throws -> [TrashedDocument] {
        try device.library.reportText(.trash).split(separator: "\n").map {
            try JSONDecoder().decode(TrashedDocument.self, from: Data($0.utf8))
        }
    }

    @Test(arguments: [false, true])
    func `what another device deleted is listed, and comes back whole on all devices`(wasHere: Bool) async throws {
        try await withPlanElsewhere { laptop, phone in
            if wasHere { _ = try await phone.text("Plan.txt") }
            try laptop.library.setExtendedAttribute(
                "user.colour", to: [7], of: .entry(laptop.inode("Plan.txt")), .either)
            try await laptop.push()
            try await phone.pull()
            let before = try phone.entry("Plan.txt")
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try await phone.pull()
            let listed = try #require(try trash(phone).first)
            #expect(try trash(phone).count == 1)
            #expect(listed.name == "Plan.txt" && listed.place == "cloud" && listed.size == 13)
            #expect(listed.device == laptop.library.store.device.name)
            #expect(try trash(laptop).map(\.name) == ["Plan.txt"])
            try phone.library.restoreFromTrash(listed.key)
            #expect(try trash(phone) == [])
            let after = try phone.entry("Plan.txt")
            #expect(after.id == before.id && after.filename == before.filename && after.position == before.position)
            #expect(after.attributes == before.attributes && after.modified == before.modified)
            #expect(try await phone.text("Plan.txt") == "first version")
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("Plan.txt") == "first version")
            #expect(try laptop.entry("Plan.txt").id == before.id)
            #expect(try trash(laptop) == [])
            #expect(throws: Refusal.noSuchName) { try phone.library.restoreFromTrash(listed.key) }
            // Bringing it back is an action.
            try phone.library.perform(.undo)
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == [])
        }
    }

    @Test func `folders that were deleted with a document come back with it`() async throws {
        try await withPlanElsewhere { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            let inner = try laptop.makeFolder("Inner", in: trip)
            try laptop.create("A.txt", "a", in: inner)
            try await laptop.push()
            try await phone.pull()
            try laptop.remove("A.txt", in: inner)
            try laptop.library.removeFolder("Inner".utf8, in: trip)
            try laptop.library.removeFolder("Trip".utf8, in: .cloud)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["Plan.txt"])
            let listed = try #require(try trash(phone).first)
            #expect(listed.place == "cloud/Trip/Inner")
            try phone.library.restoreFromTrash(listed.key)
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                let folder = try device.inode("Inner", in: device.inode("Trip"))
                #expect(try await device.text("A.txt", in: folder) == "a")
                #expect(try device.entry("Trip").pending.isEmpty)
            }
        }
    }

    @Test func `an emptied trash stays empty, also of what is told to the container afterwards`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try laptop.create("Mine.txt", "mine")
            try await laptop.push()
            try await phone.pull()
            try phone.remove("Mine.txt")
            try await phone.push()
            try await laptop.pull()
            try laptop.remove("Plan.txt")
            #expect(try trash(laptop).map(\.name).sorted() == ["Mine.txt", "Plan.txt"])
            try laptop.library.emptyTrash()
            #expect(try trash(laptop) == [])
            try await laptop.push()
            try await phone.pull()
            #expect(try trash(laptop) == [])
            #expect(try trash(phone).map(\.name).sorted() == ["Mine.txt", "Plan.txt"])
            // Deleted once more, it is there again.
            let key = try #require(try trash(phone).first { $0.name == "Plan.txt" }).key
            try phone.library.restoreFromTrash(key)
            try await phone.push()
            try await laptop.pull()
            try phone.remove("Plan.txt")
            try await phone.push()
            try await laptop.pull()
            #expect(try trash(laptop).map(\.name) == ["Plan.txt"])
        }
    }

    @Test func `what two devices deleted is not shown again when the other one is heard of`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try laptop.remove("Plan.txt")
            try phone.remove("Plan.txt")
            try await laptop.push()
            try laptop.library.emptyTrash()
            try await phone.push()
            try await laptop.pull()
            #expect(try trash(laptop) == [])
            #expect(try trash(phone).map(\.device) == [phone.library.store.device.name])
        }
    }

    @Test func `a placeholder that was deleted here is listed, and its content stays unread`() async throws {
        try await withPlanElsewhere { laptop, phone in
            try phone.remove("Plan.txt")
            let listed = try #require(try trash(phone).first)
            #expect(listed.size == 13 && listed.device == phone.library.store.device.name)
            try await phone.push()
            #expect(try trash(phone) == [listed])
            try phone.library.restoreFromTrash(listed.key)
            #expect(try !phone.entry("Plan.txt").isHere)
            #expect(try trash(phone) == [])
            try await phone.push()
            #expect(try await phone.text("Plan.txt") == "first version")
        }
    }

    @Test func `moves, and saves by renaming, are no deletions`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try laptop.create("New.txt", "new")
            try await laptop.push()
            try laptop.rename("New.txt", to: "Plan.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "new")
            #expect(try trash(phone) == [])
            #expect(try trash(laptop) == [])
            try laptop.move("Plan.txt", from: .cloud, to: .local)
            try await laptop.push()
            #expect(try trash(laptop) == [])
        }
    }

    @Test func `what was deleted more than 30 days ago is gone from the trash`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try trash(phone).count == 1)
            phone.advance(days: 31)
            #expect(try trash(phone) == [])
        }
    }

    @Test func `a file manager sees and restores what another device deleted`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try await phone.pull()
            let files = try phone.library.list(FolderInTrash.files)
            #expect(files.map(\.name) == ["Plan.txt"])
            guard case .trashed(let number) = try #require(files.first).node else { throw Refusal.staleInode }
            #expect(throws: Refusal.contentNotInTrash) {
                try phone.library.trashDirectory.open(number, flags: O_RDONLY)
            }
            try phone.library.trashDirectory.restore(
                "Plan.txt".utf8, in: .files, to: "Back.txt".utf8, in: .cloud, by: .unknown)
            #expect(try await phone.text("Back.txt") == "first version")
            try phone.remove("Back.txt")
            try await phone.push()
            try phone.library.trashDirectory.remove("Back.txt".utf8, in: .files)
            #expect(try trash(phone) == [])
        }
    }
}
