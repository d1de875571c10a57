import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import SystemPackage
import Replication
import Testing

/// Undo and redo of local documents, without a mount.
@Suite(.timeLimit(.minutes(15)))
struct UndoTests {
    /// What undo must bring back.
    private struct Known: Equatable {
        let id: EntryID?
        let filename: String
        let name: DocumentName?
        let attributes: [UInt8]?
        let mode: UInt16
        let modified: Timestamp
        let position: String
        let parent: InodeNumber
        let text: String

        init(_ name: String, in folder: InodeNumber, of device: TestDevice) async throws {
            let entry = try device.entry(name, in: folder)
            id = entry.id
            filename = entry.filename
            self.name = entry.name
            attributes = entry.attributes
            position = "\(entry.position)"
            parent = entry.parent
            let status = try device.library.attributes(of: .entry(entry.inode))
            (mode, modified) = (status.mode, status.modified)
            text = try await device.text(name, in: folder)
        }
    }

    @Test func `a deleted document comes back whole`() async throws {
        try await withDevice { device in
            for name in ["Before.txt", "Groceries.txt", "After.txt"] { try device.create(name, name, in: .local) }
            let inode = try device.inode("Groceries.txt", in: .local)
            try device.library.setExtendedAttribute("user.colour", to: [7], of: .entry(inode), .either)
            var changes = AttributeChanges()
            changes.mode = 0o640
            changes.modified = .at(Timestamp(nanoseconds: 1_000_000_000))
            _ = try device.library.setAttributes(of: inode, changes)
            let known = try await Known("Groceries.txt", in: .local, of: device)
            try device.remove("Groceries.txt", in: .local)
            #expect(!device.exists("Groceries.txt", in: .local))
            #expect(try device.library.actionListText(.undo).hasPrefix("Delete “Groceries”\n"))
            try device.library.perform(.undo)
            #expect(try await Known("Groceries.txt", in: .local, of: device) == known)
            #expect(try device.library.actionListText(.redo) == "Delete “Groceries”\n")
            try device.library.perform(.redo)
            #expect(!device.exists("Groceries.txt", in: .local))
            try device.library.perform(.undo)
            #expect(try await Known("Groceries.txt", in: .local, of: device) == known)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `undo survives the end of the process`(crashes: Bool, defersCommits: Bool) async throws {
        try await withDevice { device in
            try device.close()
            try device.open(defersCommits: defersCommits)
            for number in 1...3 { try device.create("\(number).txt", "text \(number)", in: .local) }
            let known = try await Known("2.txt", in: .local, of: device)
            for number in 1...3 {
                try device.library.remove(Array("\(number).txt".utf8), in: .local, by: Caller(thread: 7))
            }
            if crashes { try device.crash() } else { try device.close() }
            try device.open()
            #expect(try device.names(in: .local) == [])
            #expect(try device.library.actionListText(.undo).split(separator: "\n").first == "Delete 3 documents")
            try device.library.perform(.undo)
            if !(crashes && defersCommits) {
                #expect(try device.names(in: .local) == ["1.txt", "2.txt", "3.txt"])
                #expect(try await Known("2.txt", in: .local, of: device).text == known.text)
            } else {
                // No row was ever written: the files in the trash tell the names.
                #expect(try device.names(in: .local).count == 3)
            }
            try device.close()
            try device.open()
            try device.library.perform(.redo)
            #expect(try device.names(in: .local) == [])
        }
    }

    /// In `cloud` of a document of which the container knows nothing.
    @Test(arguments: [InodeNumber.local, .cloud])
    func `a removal whose row was not written is undone after a crash`(folder: InodeNumber) async throws {
        try await withTwoDevices { device, phone in
            try device.close()
            try device.open(defersCommits: true)
            try device.create("Plan.txt", "plan", in: folder)
            try device.library.store.catalog.writeWaiting()
            let known = try await Known("Plan.txt", in: folder, of: device)
            try device.remove("Plan.txt", in: folder)
            try device.crash()
            try device.open()
            #expect(!device.exists("Plan.txt", in: folder))
            try await device.push()
            #expect(try await device.commits.allSatisfy { $0.changes.isEmpty })
            try device.library.perform(.undo)
            #expect(try await Known("Plan.txt", in: folder, of: device) == known)
            if folder == .cloud {
                try await device.push()
                try await phone.pull()
                #expect(try await phone.text("Plan.txt") == "plan")
            }
        }
    }

    @Test(arguments: [Moment.underWay, .inLog, .read])
    func `a removal while the commit that creates the document is on its way is told to the container`(
        moment: Moment
    ) async throws {
        try await withTwoDevices { device, phone in
            try device.close()
            try device.open(defersCommits: true)
            try device.create("Plan.txt", "plan")
            try await device.reach(moment)
            try device.remove("Plan.txt")
            try device.crash()
            try device.open()
            #expect(!device.exists("Plan.txt"))
            try await device.push()
            try await phone.pull()
            #expect(!phone.exists("Plan.txt"))
        }
    }

    @Test func `an undo that was not committed is not done`() async throws {
        try await withDevice { device in
            let folder = try device.makeFolder("Trip", in: .local)
            try device.create("Plan.txt", "plan", in: folder)
            let filename = try device.entry("Plan.txt", in: folder).filename
            try device.library.remove(Array("Plan.txt".utf8), in: folder, by: Caller(thread: 7))
            try device.library.removeFolder(Array("Trip".utf8), in: .local, by: Caller(thread: 7))
            #expect(try device.library.actionListText(.undo).hasPrefix("Delete folder “Trip” with 1 document\n"))
            let inTrash = try #require(
                try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash").first)
            try device.crash()
            // As far as an undo may have come.
            try FileManager.default.createDirectory(
                atPath: device.store + "/local/Trip", withIntermediateDirectories: false)
            try FileManager.default.moveItem(
                atPath: device.store + "/trash/" + inTrash, toPath: device.store + "/local/Trip/" + filename)
            try device.open()
            #expect(try device.names(in: .local) == [])
            #expect(!FileManager.default.fileExists(atPath: device.store + "/local/Trip"))
            try device.library.perform(.undo)
            #expect(try await device.text("Plan.txt", in: device.inode("Trip", in: .local)) == "plan")
        }
    }

    /// The row of a document that was saved a moment ago waits. Writing it must not commit the steps before.
    @Test func `an undo of which a later step is refused changes nothing`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.close()
            try laptop.open(defersCommits: true)
            try laptop.create("B.txt", "B")
            for name in ["A", "C"] { try laptop.create("\(name).txt", name, in: .local) }
            laptop.advance(seconds: 20)
            try laptop.rename("B.txt", to: "B2.txt", by: 77)
            for name in ["A", "C"] { try laptop.rename("\(name).txt", in: .local, to: "\(name)2.txt", by: 77) }
            try await laptop.push()
            // Another device takes the name.
            try phone.create("B.txt", "another")
            try await phone.push()
            try await laptop.pull()
            laptop.advance(seconds: 20)
            try laptop.create("save.tmp", "saved", in: .local)
            try laptop.rename("save.tmp", in: .local, to: "A2.txt")
            #expect(throws: Refusal.undo(.nameIsTaken("B.txt"))) { try laptop.library.perform(.undo) }
            #expect(try laptop.names(in: .local) == ["A2.txt", "C2.txt"])
            try laptop.crash()
            try laptop.open()
            #expect(try laptop.names(in: .local) == ["A2.txt", "C2.txt"])
            #expect(try laptop.names() == ["B.txt", "B2.txt"])
            #expect(try await laptop.text("A2.txt", in: .local) == "saved")
            #expect(try await laptop.text("C2.txt", in: .local) == "C")
        }
    }

    @Test func `one process within a few seconds makes one action, another process another`() async throws {
        try await withDevice { device in
            for number in 1...6 { try device.create("\(number).txt", in: .local) }
            func remove(_ number: Int, by process: Int32) throws {
                try device.library.remove(Array("\(number).txt".utf8), in: .local, by: Caller(thread: process))
            }
            try remove(1, by: 7)
            try remove(2, by: 7)
            try remove(3, by: 8)
            device.advance(seconds: 6)
            try remove(4, by: 8)
            try remove(5, by: 8)
            let lines = try device.library.actionListText(.undo).split(separator: "\n").prefix(3)
            #expect(lines == ["Delete 2 documents", "Delete “3”", "Delete 2 documents"])
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == ["4.txt", "5.txt", "6.txt"])
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == ["3.txt", "4.txt", "5.txt", "6.txt"])
        }
    }

    @Test func `names and places come back`() async throws {
        try await withDevice { device in
            let folder = try device.makeFolder("Trip", in: .local)
            try device.create("a.txt", "text", in: .local)
            let known = try await Known("a.txt", in: .local, of: device)
            device.advance(seconds: 60)
            try device.rename("a.txt", in: .local, to: "b.txt")
            try device.move("b.txt", from: .local, to: folder)
            try device.rename("Trip", in: .local, to: "Journey")
            let lines = try device.library.actionListText(.undo).split(separator: "\n").prefix(3)
            #expect(
                lines == [
                    "Rename folder “Trip” to “Journey”", "Move “b” to “Trip”", "Rename “a” to “b”",
                ])
            try device.library.perform(.undo)
            #expect(try device.inode("Trip", in: .local) == folder)
            try device.library.perform(.undo)
            #expect(device.exists("b.txt", in: .local))
            try device.library.perform(.undo)
            #expect(try await Known("a.txt", in: .local, of: device) == known)
            for _ in 1...3 { try device.library.perform(.redo) }
            #expect(try await device.text("b.txt", in: device.inode("Journey", in: .local)) == "text")
            #expect(throws: Refusal.undo(.nothing(.redo))) { try device.library.perform(.redo) }
        }
    }

    @Test func `what was made is removed, and comes back with what was written to it`() async throws {
        try await withDevice { device in
            try device.create("a.txt", "first", in: .local)
            try await device.save("a.txt", "second", in: .local)
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == [])
            try device.library.perform(.redo)
            #expect(try await device.text("a.txt", in: .local) == "second")
        }
    }

    @Test func `a new action clears redo, but loses no work`() async throws {
        try await withDevice { device in
            try device.create("a.txt", "first", in: .local)
            device.advance(seconds: 3600)
            try device.create("b.txt", in: .local)
            try device.library.perform(.undo)
            try device.create("c.txt", in: .local)
            #expect(try device.library.actionListText(.redo) == "")
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash") == [])
            #expect(try device.library.actionListText(.undo) == "Create “c”\nCreate “a”\n")
        }
    }

    /// `docfs reorder b.txt --before Trip/y.txt` moves, and then reorders.
    @Test func `a reorder into another folder is undone as a whole, and comes back to its place`() async throws {
        try await withDevice { device in
            let folder = try device.makeFolder("Trip", in: .local)
            func order() throws -> [String] {
                try device.library.transactions.inspect { try $0.children(of: folder) }.compactMap { $0.name?.full }
            }
            for name in ["x.txt", "y.txt"] { try device.create(name, in: folder) }
            try device.create("b.txt", in: .local)
            try device.rename("b.txt", in: .local, to: "b.txt", in: folder, by: 7)
            try device.library.setExtendedAttribute(
                "user.document.order", to: Array("before y.txt".utf8), of: .entry(device.inode("b.txt", in: folder)),
                .either, by: Caller(thread: 7))
            #expect(try order() == ["x.txt", "b.txt", "y.txt"])
            #expect(try device.library.actionListText(.undo).hasPrefix("Move “b” to “Trip”\nCreate “b”"))
            try device.library.perform(.undo)
            #expect(try order() == ["x.txt", "y.txt"] && device.exists("b.txt", in: .local))
            try device.library.perform(.redo)
            #expect(try order() == ["x.txt", "b.txt", "y.txt"])
        }
    }

    @Test func `names that one program takes away are one action`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt"] { try device.create(name, in: .local) }
            for name in ["a.txt", "b.txt"] {
                try device.library.removeExtendedAttribute(
                    "user.displayName", of: .entry(device.inode(name, in: .local)), by: Caller(thread: 7))
            }
            #expect(try device.library.actionListText(.undo).split(separator: "\n").count == 3)
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == ["a.txt", "b.txt"])
        }
    }

    @Test func `a folder that is gone is made again`() async throws {
        try await withDevice { device in
            let folder = try device.makeFolder("Trip", in: .local)
            try device.create("a.txt", "text", in: folder)
            try device.remove("a.txt", in: folder)
            try device.library.removeFolder(Array("Trip".utf8), in: .local)
            try device.library.perform(.undo)
            try device.library.perform(.undo)
            #expect(try await device.text("a.txt", in: device.inode("Trip", in: .local)) == "text")
        }
    }

    @Test func `a name that is taken is said, and nothing changes`() async throws {
        try await withDevice { device in
            try device.create(".env", "old", in: .local)
            try device.remove(".env", in: .local)
            device.advance(seconds: 60)
            try device.create(".env", "new", in: .local)
            // As if something else than an action had made it.
            let list = try device.library.actionListText(.undo)
            #expect(list == "Create “.env”\nDelete “.env”\nCreate “.env”\n")
            try device.library.store.catalog.write { try $0.deleteAction($0.lastAction()) }
            #expect(throws: Refusal.undo(.nameIsTaken(".env"))) { try device.library.perform(.undo) }
            #expect(try await device.text(".env", in: .local) == "new")
            #expect(try device.library.actionListText(.undo).hasPrefix("Delete “.env”\n"))
            #expect(device.library.outcomeOfUndo.hasPrefix("refused the name “.env” is taken"))
        }
    }

    @Test func `a new order is undone`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt", "c.txt"] { try device.create(name, in: .local) }
            func order() throws -> [String] {
                try device.library.transactions.inspect { try $0.children(of: .local) }.compactMap { $0.name?.full }
            }
            try device.library.transactions.mutate { transaction in
                try device.library.order.move(
                    device.library.namespace.existing(Array("c.txt".utf8), in: .local, transaction).inode,
                    to: .before("a.txt"), by: .unknown,
                    transaction)
            }
            #expect(try order() == ["c.txt", "a.txt", "b.txt"])
            #expect(try device.library.actionListText(.undo).hasPrefix("Reorder “c”\n"))
            try device.library.perform(.undo)
            #expect(try order() == ["a.txt", "b.txt", "c.txt"])
            try device.library.perform(.redo)
            #expect(try order() == ["c.txt", "a.txt", "b.txt"])
        }
    }

    // MARK: Saves

    @Test func `a save by deleting first is no action`() async throws {
        try await withDevice { device in
            try device.create("a.txt", "old", in: .local)
            let id = try device.entry("a.txt", in: .local).id
            try device.remove("a.txt", in: .local)
            try device.create("a.txt", "new", in: .local)
            #expect(try device.entry("a.txt", in: .local).id == id)
            #expect(try device.library.actionListText(.undo) == "Create “a”\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash") == [])
        }
    }

    @Test(arguments: ["a.txt.tmp", "lu1234abcd.txt"])
    func `a save by renaming is no action`(temporary: String) async throws {
        try await withDevice { device in
            try device.create("a.txt", "old", in: .local)
            try device.create(temporary, "new", in: .local)
            try device.rename(temporary, in: .local, to: "a.txt")
            #expect(try await device.text("a.txt", in: .local) == "new")
            #expect(try device.library.actionListText(.undo) == "Create “a”\n")
        }
    }

    @Test(arguments: ["a.txt~", "a.txt.bak"])
    func `a save that renames to a backup first is no action`(backup: String) async throws {
        try await withDevice { device in
            try device.create("a.txt", "old", in: .local)
            try device.rename("a.txt", in: .local, to: backup)
            try device.create("a.txt", "new", in: .local)
            #expect(try await device.text("a.txt", in: .local) == "new")
            #expect(try device.library.actionListText(.undo) == "Create “a”\n")
        }
    }

    @Test func `a new document that its program names at last is one action`() async throws {
        try await withDevice { device in
            let process = Caller(thread: 7)
            let creator = Creator(owner: geteuid(), group: getegid(), mode: 0o644, caller: process)
            let (_, opening) = try device.library.create(
                Array("ziAbC123".utf8), in: .local, by: creator, flags: O_WRONLY | O_EXCL)
            device.library.close(try device.opened(opening))
            try device.rename("ziAbC123", in: .local, to: "Photos.zip", by: 7)
            #expect(try device.library.actionListText(.undo) == "Create “Photos”\n")
        }
    }

    @Test func `scratch files take part in no action`() async throws {
        try await withDevice { device in
            try device.create("a.swp", in: .local)
            try device.remove("a.swp", in: .local)
            try device.makeFolder(".Trash-1000", in: .local)
            #expect(try device.library.actionListText(.undo) == "")
        }
    }
}
