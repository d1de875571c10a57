import Backing
import Catalog
import Documents
import Foundation
@testable import Library
import SystemPackage
import Testing

/// Undo of `docfs versions restore`, which renames a file with a name of its own over the document.
@Suite(.timeLimit(.minutes(15)))
struct UndoOfRestorationTests {
    private static let temporary = ".docfs-restore-1.tmp"
    private let command = Caller(thread: getpid())

    private func restore(_ text: String, on device: TestDevice, in folder: InodeNumber = .cloud) throws {
        try device.create(Self.temporary, text, in: folder)
        try device.library.rename(
            Self.temporary.utf8, in: folder, to: "Plan.txt".utf8, in: folder, options: [], by: command)
    }

    private func undoList(_ device: TestDevice) throws -> [Substring] {
        try device.library.undoing.listText(.undo).split(separator: "\n")
    }

    private func trash(_ device: TestDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash")
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `undo brings the content back that a restored version replaced, and redo the version`(folder: InodeNumber)
        async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote", in: folder)
            try device.library.setExtendedAttribute(
                "user.colour", to: [7], of: .entry(device.inode("Plan.txt", in: folder)), .either)
            let before = try device.entry("Plan.txt", in: folder)
            try restore("of last week", on: device, in: folder)
            #expect(try await device.text("Plan.txt", in: folder) == "of last week")
            #expect(try undoList(device).first == "Restore a version of “Plan”")
            for _ in 0..<2 {
                try device.library.perform(.undo)
                #expect(try await device.text("Plan.txt", in: folder) == "what I wrote")
                #expect(try undoList(device).first == "Create “Plan”")
                try device.library.perform(.redo)
                #expect(try await device.text("Plan.txt", in: folder) == "of last week")
            }
            let after = try device.entry("Plan.txt", in: folder)
            #expect(after.id == before.id && after.name == before.name && after.position == before.position)
            #expect(after.mode == before.mode && after.attributes == before.attributes)
            #expect(try device.names(in: folder) == ["Plan.txt"])
            #expect(try trash(device).count == 1)
        }
    }

    @Test func `a document that was edited since keeps its edit, and the action is no longer there`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote")
            try await device.push()
            try restore("of last week", on: device)
            try await device.save("Plan.txt", "of today")
            #expect(throws: Refusal.undo(.isChanged("Plan"))) { try device.library.perform(.undo) }
            #expect(try await device.text("Plan.txt") == "of today")
            #expect(try undoList(device) == ["Create “Plan”"])
            #expect(try trash(device) == [])
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `what was never sent stays in the trash when it can no longer be taken back`(folder: InodeNumber) async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote", in: folder)
            try restore("of last week", on: device, in: folder)
            let writer = try await device.open(device.inode("Plan.txt", in: folder), O_RDWR)
            #expect(throws: Refusal.undo(.isOpen("Plan"))) { try device.library.perform(.undo) }
            device.library.close(writer)
            try await device.save("Plan.txt", "of today", in: folder)
            #expect(throws: Refusal.undo(.isChanged("Plan"))) { try device.library.perform(.undo) }
            let listed = try device.library.reportText(.trash).split(separator: "\n").map {
                try JSONDecoder().decode(TrashedDocument.self, from: Data($0.utf8))
            }
            #expect(listed.map(\.name) == ["Plan.txt"] && listed.first?.size == 12)
            try device.library.restoreFromTrash(try #require(listed.first).key)
            #expect(try device.names(in: folder).count == 2)
            #expect(try await device.text("Plan.txt", in: folder) == "of today")
            #expect(try trash(device) == [])
            try await device.push()
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a restoration that fails leaves both contents where they were`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote", in: folder)
            try device.create(Self.temporary, "of last week", in: folder)
            let (plan, version) = (
                try device.entry("Plan.txt", in: folder), try device.entry(Self.temporary, in: folder)
            )
            let tree = device.library.tree
            #expect(throws: Refusal.file(.ioError)) {
                try device.library.transactions.mutate { transaction in
                    try tree.restoreVersion(of: plan, with: version, by: command, transaction)
                    throw Errno.ioError
                }
            }
            #expect(try await device.text("Plan.txt", in: folder) == "what I wrote")
            #expect(try await device.text(Self.temporary, in: folder) == "of last week")
            #expect(try trash(device) == [])
            #expect(try undoList(device) == ["Create “Plan”"])
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `an undo that fails leaves both contents where they were`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote", in: folder)
            let former = try device.inode("Plan.txt", in: folder)
            try restore("of last week", on: device, in: folder)
            let plan = try device.entry("Plan.txt", in: folder)
            let tree = device.library.tree
            #expect(throws: Refusal.file(.ioError)) {
                try device.library.transactions.mutate { transaction in
                    _ = try tree.exchangeContent(of: plan, forTrashed: former, transaction)
                    throw Errno.ioError
                }
            }
            #expect(try await device.text("Plan.txt", in: folder) == "of last week")
            #expect(try device.names(in: folder) == ["Plan.txt"])
            #expect(try trash(device) == ["\(former)"])
            try device.library.perform(.undo)
            #expect(try await device.text("Plan.txt", in: folder) == "what I wrote")
        }
    }

    @Test func `undo is sent to other devices, and what it took away is a version there`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try restore("of last week", on: laptop)
            try await laptop.push()
            try laptop.library.perform(.undo)
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "first version")
            #expect(try phone.entry("Plan.txt").conflicts == 0)
            #expect(try phone.library.list(.history, of: phone.inode("Plan.txt")).count == 2)
        }
    }

    @Test func `what another device made of it is not overwritten`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try restore("of last week", on: laptop)
            try await laptop.push()
            try await phone.pull()
            try await phone.save("Plan.txt", "of the phone")
            try await phone.push()
            try await laptop.pull()
            #expect(throws: Refusal.undo(.isChanged("Plan"))) { try laptop.library.perform(.undo) }
            #expect(try await laptop.text("Plan.txt") == "of the phone")
        }
    }

    @Test func `a version that was evicted meanwhile can be taken back and restored once more`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote")
            try restore("of last week", on: device)
            try await device.push()
            try device.evict("Plan.txt")
            try device.library.perform(.undo)
            #expect(try await device.text("Plan.txt") == "what I wrote")
            try device.library.perform(.redo)
            #expect(try await device.text("Plan.txt") == "of last week")
            try device.library.perform(.undo)
            #expect(try await device.text("Plan.txt") == "what I wrote")
        }
    }

    @Test func `the trash counts the former content, and loses it with the action`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote")
            try restore("of last week", on: device)
            #expect(try device.library.store.read { try $0.trashSize() }.bytes == 12)
            #expect(try device.library.reportText(.trash) == "")
            try device.library.emptyTrash()
            #expect(try trash(device) == [])
            #expect(try undoList(device) == ["Create “Plan”"])
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `undo survives the end of the process`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote", in: folder)
            try restore("of last week", on: device, in: folder)
            try device.crash()
            try device.open()
            #expect(try await device.text("Plan.txt", in: folder) == "of last week")
            try device.library.perform(.undo)
            try device.crash()
            try device.open()
            #expect(try await device.text("Plan.txt", in: folder) == "what I wrote")
            #expect(try device.names(in: folder) == ["Plan.txt"])
        }
    }

    @Test func `a kill between keeping the former content and replacing it leaves no second document`() async throws {
        try await withDevice { device in
            let inode = try device.create("Plan.txt", "what I wrote", in: .local)
            try device.library.synchronizeFolder(.local)
            try FileManager.default.linkItem(
                atPath: device.backingPath("Plan.txt", in: .local), toPath: device.store + "/trash/\(inode)")
            try device.crash()
            try device.open()
            #expect(try trash(device) == [])
            #expect(try undoList(device) == ["Create “Plan”"])
            #expect(try await device.text("Plan.txt", in: .local) == "what I wrote")
        }
    }

    @Test func `restoring over a version that is not here is a save, and undo does not bring an older content back`()
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await phone.save("Plan.txt", "newest")
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.entry("Plan.txt").isOutdated)
            let before = try undoList(laptop)
            try restore("of last week", on: laptop)
            #expect(try undoList(laptop) == before)
            try await laptop.push()
            let folder = try laptop.library.list(.history, of: laptop.inode("Plan.txt"))
            #expect(folder.count == 2)
        }
    }

    @Test func `a content that a program has open for writing does not come back before it is closed`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "what I wrote")
            let writer = try await device.open("Plan.txt", O_RDWR)
            try restore("of last week", on: device)
            #expect(throws: Refusal.undo(.isOpen("Plan"))) { try device.library.perform(.undo) }
            try device.write("WHAT", to: writer)
            device.library.close(writer)
            try device.library.perform(.undo)
            #expect(try await device.text("Plan.txt") == "WHAT I wrote")
            try await device.push()
            #expect(try device.entry("Plan.txt").pending.isEmpty)
        }
    }
}
