import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import ObjectStore
import Replication
import SystemPackage
import TestSupport
import Testing

/// Undo of changes that other devices may have heard of.
@Suite(.timeLimit(.minutes(15)))
struct UndoInCloudTests {
    /// As where another program emptied the store's trash.
    @Test func `a document whose file in the trash is gone comes back as a placeholder`() async throws {
        try await withTwoDevices { laptop, _ in
            try laptop.create("F.txt", "text")
            try await laptop.push()
            try laptop.remove("F.txt")
            for name in try FileManager.default.contentsOfDirectory(atPath: laptop.store + "/trash") {
                try FileManager.default.removeItem(atPath: laptop.store + "/trash/" + name)
            }
            try laptop.library.perform(.undo)
            let entry = try laptop.entry("F.txt")
            #expect(!entry.isHere && entry.contentVersion == nil && entry.currentVersion != nil)
            #expect(try laptop.library.attributes(of: .entry(entry.inode)).size == 4)
            #expect(try await laptop.text("F.txt") == "text")
        }
    }

    @Test func `a document whose content was only in the cloud is found again after redo is cleared`() async throws {
        try await withTwoDevices { laptop, _ in
            try laptop.create("F.txt", "text")
            try await laptop.push()
            try laptop.evict("F.txt")
            try laptop.library.perform(.undo)
            laptop.advance(seconds: 3600)
            try laptop.create("new.txt", in: .local)
            #expect(
                try laptop.library.actionListText(.undo).split(separator: "\n").prefix(2)
                    == ["Create “new”", "Delete “F”"])
            try laptop.library.perform(.undo)
            try laptop.library.perform(.undo)
            #expect(try await laptop.text("F.txt") == "text")
        }
    }

    @Test func `a deletion that was sent is undone on all devices`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, known in
            try laptop.library.setExtendedAttribute(
                "user.colour", to: [7], of: .entry(laptop.inode("Plan.txt")), .either)
            try await laptop.push()
            let before = try laptop.entry("Plan.txt")
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            try laptop.library.perform(.undo)
            #expect(try await laptop.text("Plan.txt") == "first version")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                let entry = try device.entry("Plan.txt")
                #expect(entry.id == known.id)
                #expect(entry.filename == before.filename)
                #expect(entry.attributes == before.attributes)
                #expect(entry.currentVersion == before.currentVersion)
                #expect(entry.pending.isEmpty)
                #expect(try await device.text("Plan.txt") == "first version")
            }
            // Nothing was sent again.
            #expect(laptop.cloud.created.filter { $0.components[0] == "documents" }.count == 1)
            try laptop.library.perform(.redo)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
        }
    }

    @Test(arguments: [Moment.underWay, .inLog], [false, true])
    func `a save that was on its way when the document was deleted is not sent twice`(moment: Moment, hearsOfIt: Bool)
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await laptop.save("Plan.txt", "second version")
            try await laptop.reach(moment)
            try laptop.remove("Plan.txt")
            if hearsOfIt { try await laptop.pull() }
            try laptop.library.perform(.undo)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("Plan.txt") == "second version")
                #expect(try device.entry("Plan.txt").conflicts == 0)
            }
            #expect(try laptop.entry("Plan.txt").pending.isEmpty)
            #expect(try await laptop.savesInLog == 1)
        }
    }

    @Test func `a deletion that was not sent leaves no trace`() async throws {
        try await withPlanElsewhere { laptop, phone in
            let position = try laptop.position
            try laptop.remove("Plan.txt")
            try laptop.library.perform(.undo)
            #expect(try laptop.pendingCount == 0)
            try await laptop.push()
            #expect(try laptop.position == position)
            #expect(try await laptop.text("Plan.txt") == "first version")
        }
    }

    @Test func `a document whose content is not here comes back as a placeholder`() async throws {
        try await withPlanElsewhere { laptop, phone in
            try phone.remove("Plan.txt")
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == [])
            try phone.library.perform(.undo)
            #expect(try !phone.entry("Plan.txt").isHere)
            try await phone.push()
            try await laptop.pull()
            #expect(try await phone.text("Plan.txt") == "first version")
            #expect(try await laptop.text("Plan.txt") == "first version")
        }
    }

    @Test func `conflict versions come back with their document`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            try await laptop.pull()
            let known = try laptop.entry("F.txt")
            #expect(known.conflicts == 1)
            try laptop.remove("F.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["G.txt"])
            try laptop.library.perform(.undo)
            #expect(try laptop.entry("F.txt").conflicts == 1)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                let entry = try device.entry("F.txt")
                #expect(entry.conflicts == 1)
                #expect(entry.currentVersion == known.currentVersion)
                #expect(try device.library.list(.conflicts, of: entry.inode).count == 1)
            }
        }
    }

    @Test func `a document that another device brought back is said to be there`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try laptop.remove("Plan.txt")
            try await phone.save("Plan.txt", "of the phone")
            try await phone.push()
            try await laptop.push()
            #expect(try await laptop.text("Plan.txt") == "of the phone")
            #expect(throws: Refusal.undo(.isThereAgain("Plan"))) { try laptop.library.perform(.undo) }
            #expect(try await laptop.text("Plan.txt") == "of the phone")
        }
    }

    @Test func `what another device removed cannot be renamed back`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try laptop.rename("Plan.txt", to: "Agenda.txt")
            try await laptop.push()
            try await phone.pull()
            try phone.remove("Agenda.txt")
            try await phone.push()
            try await laptop.pull()
            #expect(throws: Refusal.undo(.isGone("Plan"))) { try laptop.library.perform(.undo) }
            #expect(try laptop.names() == [])
        }
    }

    @Test func `a folder with all that is in it comes back on all devices`() async throws {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("Trip")
            for name in ["a.txt", "b.txt"] { try laptop.create(name, name, in: folder) }
            try await laptop.push()
            try await phone.pull()
            let process = Caller(thread: 7)
            for name in ["a.txt", "b.txt"] { try laptop.library.remove(Array(name.utf8), in: folder, by: process) }
            try laptop.library.removeFolder(Array("Trip".utf8), in: .cloud, by: process)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            try laptop.library.perform(.undo)
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("b.txt", in: phone.inode("Trip")) == "b.txt")
        }
    }

    @Test func `moves to the cloud and out of it are undone`() async throws {
        try await withTwoDevices { laptop, phone in
            let process: Int32 = 7
            for name in ["a.txt", "b.txt"] { try laptop.create(name, name, in: .local) }
            let id = try laptop.entry("a.txt", in: .local).id
            for name in ["a.txt", "b.txt"] { try laptop.rename(name, in: .local, to: name, in: .cloud, by: process) }
            #expect(try laptop.library.actionListText(.undo).hasPrefix("Move 2 documents to the cloud\n"))
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["a.txt", "b.txt"])
            try laptop.library.perform(.undo)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            #expect(try laptop.names(in: .local) == ["a.txt", "b.txt"])
            try laptop.library.perform(.redo)
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("a.txt") == "a.txt")
            #expect(try phone.entry("a.txt").id == id)
        }
    }

    @Test func `a removal that was committed keeps its file, wherever the process died`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan")
            try await device.push()
            try device.remove("Plan.txt")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash").first)
            try device.crash()
            try FileManager.default.moveItem(
                atPath: device.store + "/trash/" + name, toPath: device.store + "/staging/removed-" + name)
            try device.open()
            try device.library.perform(.undo)
            #expect(try device.entry("Plan.txt").isHere)
            #expect(try await device.text("Plan.txt") == "plan")
        }
    }

    // MARK: Open while removed

    /// Seed 2412 of the simulation.
    @Test(arguments: [false, true])
    func `what a program writes to a document that it had open when it was removed is sent when it is back`(
        writesUnseen: Bool
    ) async throws {
        try await withPlanOnTwoDevices(storage: .disk) { laptop, phone, known in
            if writesUnseen { laptop.library.contents.prepareForUnseenWrites() }
            if writesUnseen, !laptop.library.canNoticeUnseenWrites { return }
            let writer =
                writesUnseen ? try await laptop.openUnseen("Plan.txt") : try await laptop.open("Plan.txt", O_RDWR)
            func write(_ text: String) throws {
                if writesUnseen { try laptop.writeUnseen(text, to: writer) } else { try laptop.write(text, to: writer) }
            }
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try write("while it was removed")
            try laptop.library.perform(.undo)
            #expect(try laptop.inode("Plan.txt") == known.inode)
            #expect(try laptop.library.attributes(of: .entry(known.inode)).links == 1)
            #expect(try laptop.entry("Plan.txt").pending.contains(.content))
            try write("since it is back again")
            laptop.library.close(writer)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("Plan.txt") == "since it is back again")
                #expect(try device.entry("Plan.txt").conflicts == 0)
            }
            #expect(try laptop.pendingCount == 0)
        }
    }

    @Test func `a program that wrote nothing while its document was removed may write at any time after`() async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            let writer = try await laptop.open("Plan.txt", O_RDWR)
            try laptop.remove("Plan.txt")
            try laptop.library.perform(.undo)
            #expect(try laptop.entry("Plan.txt").pending.isEmpty)
            try laptop.write("later", to: writer)
            #expect(try laptop.entry("Plan.txt").pending.contains(.content))
            laptop.library.close(writer)
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "later version")
        }
    }

    @Test func `a document that was open for writing while it was removed is not sent again if nothing was written`()
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            let version = try laptop.entry("Plan.txt").currentVersion
            let writer = try await laptop.open("Plan.txt", O_RDWR)
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try laptop.library.perform(.undo)
            laptop.library.close(writer)
            try await laptop.push()
            try await phone.pull()
            #expect(try laptop.pendingCount == 0)
            for device in [laptop, phone] { #expect(try device.entry("Plan.txt").currentVersion == version) }
            #expect(laptop.cloud.created.filter { $0.components[0] == "documents" }.count == 1)
            #expect(try await phone.text("Plan.txt") == "first version")
        }
    }

    @Test func `conflict versions come back with their document while a program has it open for writing`() async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            try await laptop.pull()
            let version = try laptop.entry("F.txt").currentVersion
            let writer = try await laptop.open("F.txt", O_RDWR)
            try laptop.remove("F.txt")
            try await laptop.push()
            try laptop.library.perform(.undo)
            laptop.library.close(writer)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.entry("F.txt").conflicts == 1)
                #expect(try device.entry("F.txt").currentVersion == version)
            }
        }
    }

    @Test func `a document that another device saved meanwhile comes back unchanged to a program that wrote nothing`()
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            // The time of the file is that of no version.
            try phone.setModified("Plan.txt", seconds: 1_900_000_000)
            try await phone.push()
            try await laptop.pull()
            let writer = try await laptop.open("Plan.txt", O_RDWR)
            try laptop.remove("Plan.txt")
            try await phone.save("Plan.txt", "second version")
            try await phone.push()
            try await laptop.pull()
            try laptop.library.perform(.undo)
            #expect(try !laptop.entry("Plan.txt").pending.contains(.content))
            laptop.library.close(writer)
            try await laptop.push()
            #expect(try await laptop.text("Plan.txt") == "second version")
            #expect(try laptop.entry("Plan.txt").conflicts == 0)
        }
    }

    @Test func `a reader of an older version does not hold the newer one up`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, known in
            let reader = try await laptop.open("Plan.txt")
            try laptop.remove("Plan.txt")
            try await phone.save("Plan.txt", "second version")
            try phone.setModified("Plan.txt", seconds: 2_000_000_000)
            try await phone.push()
            try await laptop.pull()
            try laptop.library.perform(.undo)
            #expect(try laptop.inode("Plan.txt") != known.inode)
            #expect(try await laptop.text("Plan.txt") == "second version")
            #expect(try await laptop.text(of: reader) == "first version")
            laptop.library.close(reader)
            try await laptop.push()
            #expect(try laptop.pendingCount == 0)
            #expect(try laptop.entry("Plan.txt").conflicts == 0)
        }
    }

    @Test func `what a program wrote before it closed a removed document is sent when it is back`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            let writer = try await laptop.open("Plan.txt", O_RDWR)
            try laptop.remove("Plan.txt")
            try laptop.write("later", to: writer)
            laptop.library.close(writer)
            try await laptop.push()
            try laptop.library.perform(.undo)
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "later version")
        }
    }
}
