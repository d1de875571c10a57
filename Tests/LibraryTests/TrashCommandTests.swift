import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import TestSupport
import Testing

/// What `docfs trash` lists and brings back, and what stays in the trash.
@Suite(.timeLimit(.minutes(15)))
struct TrashCommandTests {
    private static func trash(_ device: TestDevice) throws -> [TrashedDocument] {
        try device.library.reportText(.trash).split(separator: "\n").map {
            try JSONDecoder().decode(TrashedDocument.self, from: Data($0.utf8))
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a document of several that were deleted together comes back alone, whole`(container: InodeNumber) async throws
    {
        try await withDevice { device in
            let folder = try device.makeFolder("Trip", in: container)
            for name in ["A.txt", "B.txt", "C.txt"] { try device.create(name, name, in: folder) }
            let before = try device.entry("B.txt", in: folder)
            for name in ["A.txt", "B.txt", "C.txt"] { try device.remove(name, in: folder) }
            let trashed = try Self.trash(device)
            #expect(trashed.map(\.name).sorted() == ["A.txt", "B.txt", "C.txt"])
            #expect(
                trashed.allSatisfy { $0.place == (container == .local ? "local/Trip" : "cloud/Trip") && $0.size == 5 })
            let key = try #require(trashed.first { $0.name == "B.txt" }?.key)
            try device.library.restoreFromTrash(key)
            #expect(try device.names(in: folder) == ["B.txt"])
            #expect(try await device.text("B.txt", in: folder) == "B.txt")
            let after = try device.entry("B.txt", in: folder)
            #expect(after.id == before.id && after.filename == before.filename && after.position == before.position)
            #expect(try Self.trash(device).count == 2)
            #expect(throws: Refusal.noSuchName) { try device.library.restoreFromTrash(key) }
            #expect(throws: Refusal.noSuchName) { try device.library.restoreFromTrash("no key") }
        }
    }

    @Test func `what one command brings back is one action`() async throws {
        try await withDevice { device in
            for name in ["A.txt", "B.txt"] {
                try device.create(name, name, in: .local)
                try device.remove(name, in: .local)
            }
            for trashed in try Self.trash(device) {
                #expect(trashed.filename.hasSuffix(".txt") && trashed.filename != trashed.name)
                try device.library.restoreFromTrash(trashed.key, by: Caller(thread: 7))
            }
            #expect(try device.library.actionListText(.undo).hasPrefix("Create 2 documents\n"))
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == [])
            // A file manager goes on: another name is an action of its own.
            try device.library.perform(.redo)
            try device.rename("A.txt", in: .local, to: "C.txt", by: 7)
            try device.library.perform(.undo)
            #expect(try device.names(in: .local).sorted() == ["A.txt", "B.txt"])
        }
    }

    @Test func `what is saved over another document at once is not undone as one that came back`() async throws {
        try await withDevice { device in
            try device.create("C.txt", "c", in: .local)
            for name in ["A.txt", "B.txt"] {
                try device.create(name, name, in: .local)
                try device.remove(name, in: .local)
            }
            for trashed in try Self.trash(device) {
                try device.library.restoreFromTrash(trashed.key, by: Caller(thread: 7))
            }
            try device.rename("A.txt", in: .local, to: "C.txt", by: 8)
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == ["C.txt"])
            #expect(try await device.text("C.txt", in: .local) == "A.txt")
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `the place of a document is told also when its folders were removed with it`(container: InodeNumber)
        async throws
    {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip", in: container)
            let inner = try device.makeFolder("Inner", in: trip)
            try device.create("A.txt", "a", in: inner)
            try device.remove("A.txt", in: inner)
            try device.library.removeFolder("Inner".utf8, in: trip)
            try device.library.removeFolder("Trip".utf8, in: container)
            let top = container == .local ? "local" : "cloud"
            #expect(try Self.trash(device).map(\.place) == ["\(top)/Trip/Inner"])
        }
    }

    @Test func `a name that is taken is not overwritten`() async throws {
        try await withDevice { device in
            try device.create("A.txt", "first", in: .local)
            try device.remove("A.txt", in: .local)
            device.advance(seconds: 20)
            try device.create("A.txt", "second", in: .local)
            let key = try #require(try Self.trash(device).first?.key)
            #expect(throws: Refusal.undo(.nameIsTaken("A.txt"))) { try device.library.restoreFromTrash(key) }
            try device.rename("A.txt", in: .local, to: "B.txt")
            try device.library.restoreFromTrash(key)
            #expect(try await device.text("A.txt", in: .local) == "first")
            #expect(try await device.text("B.txt", in: .local) == "second")
        }
    }

    @Test func `a trash that was emptied holds nothing`() async throws {
        try await withDevice { device in
            try device.create("A.txt", "text", in: .local)
            try device.remove("A.txt", in: .local)
            try device.library.emptyTrash()
            #expect(try Self.trash(device).isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash") == [])
        }
    }

    /// Undoing a creation is a deletion.
    @Test(arguments: [InodeNumber.local, .cloud])
    func `what was written to a document whose creation was undone stays in the trash`(folder: InodeNumber) async throws
    {
        try await withDevice { device in
            try device.create("Novel.txt", "chapter one", in: folder)
            try device.library.perform(.undo)
            #expect(!device.exists("Novel.txt", in: folder))
            try device.create("Other.txt", "x", in: folder)
            let key = try #require(try Self.trash(device).first { $0.name == "Novel.txt" }?.key)
            try device.library.restoreFromTrash(key)
            #expect(try await device.text("Novel.txt", in: folder) == "chapter one")
        }
    }

    // MARK: One command, one action

    /// `rm -r` of a folder in which a document is in conflict, by one process.
    ///
    /// - Parameters:
    ///   - choice: how far the choice among the versions has come when the document is removed: many documents lie between.
    ///   - moment: how far the removal has come when it is undone.
    @Test(arguments: Moment.allCases, Moment.allCases)
    func `rm -r with a document in conflict is one action, and undo brings its conflict back`(
        choice: Moment, _ moment: Moment
    ) async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let undo = try phone.library.actionListText(.undo)
            let inode = try phone.inode("F.txt")
            let process: Int32 = 77
            let names = try phone.library.list(.conflicts, of: inode)
            for name in names {
                try phone.library.discardVersion(
                    Array(name.name.utf8), in: .conflicts, of: inode, by: Caller(thread: process))
            }
            try await phone.reach(choice)
            try phone.library.remove(Array("F.txt".utf8), in: .cloud, by: Caller(thread: process))
            try phone.library.remove(Array("G.txt".utf8), in: .cloud, by: Caller(thread: process))
            #expect(try phone.library.actionListText(.undo) == "Delete 2 documents\n" + undo)
            try await phone.reach(moment)
            try phone.library.perform(.undo)
            #expect(try phone.names() == ["F.txt", "G.txt"])
            #expect(try phone.entry("F.txt").conflicts == 1)
            #expect(try phone.library.actionListText(.undo) == undo)
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == ["F.txt", "G.txt"])
            #expect(try laptop.entry("F.txt").conflicts == 1)
        }
    }
}
