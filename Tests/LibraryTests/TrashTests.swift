import Backing
import Catalog
import Documents
import Foundation
@testable import Library
import SystemPackage
import Testing

/// What is kept in the trash, and for how long.
@Suite(.timeLimit(.minutes(15)))
struct TrashTests {
    private static func files(_ device: TestDevice) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash").count
    }

    private static func size(_ device: TestDevice) throws -> TrashSize {
        try device.library.store.read { try $0.trashSize() }
    }

    @Test func `what is in the trash is counted, also after a mount`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt"] { try device.create(name, "12345", in: .local) }
            for name in ["a.txt", "b.txt"] { try device.remove(name, in: .local) }
            #expect(try Self.size(device).documents == 2)
            #expect(try Self.size(device).bytes == 10)
            try device.close()
            try device.open()
            #expect(try Self.size(device).bytes == 10)
            try device.library.perform(.undo)
            #expect(try Self.size(device).documents == 1)
            #expect(try Self.files(device) == 1)
        }
    }

    /// XFS, btrfs and file systems in memory take such a size.
    @Test func `sparse files that are larger together than a number can be are thrown away, and come back`()
        async throws
    {
        try await withDevice { device in
            for name in ["a.txt", "b.txt"] {
                try device.create(name, "12345", in: .local)
                try device.change(device.inode(name, in: .local)) { $0.size = .max }
            }
            for name in ["a.txt", "b.txt"] { try device.remove(name, in: .local) }
            #expect(try Self.size(device).documents == 2)
            #expect(try Self.size(device).bytes == .max)
            try device.close()
            try device.open()
            #expect(try Self.size(device).bytes == .max)
            #expect(try !device.library.reportText(.trash).isEmpty)
            var limit = TrashLimit()
            limit.bytes = .max
            try device.library.store.tidyTrash(limit)
            for _ in 0..<2 { try device.library.perform(.undo) }
            #expect(try Self.size(device).bytes == 0)
            #expect(try device.names(in: .local).count == 2)
        }
    }

    @Test func `after 30 days a deletion cannot be undone`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt"] { try device.create(name, "text", in: .local) }
            try device.remove("a.txt", in: .local)
            device.advance(days: 20)
            try device.remove("b.txt", in: .local)
            try device.library.store.tidyTrash()
            #expect(try Self.files(device) == 2)
            device.advance(days: 11)
            try device.library.store.tidyTrash()
            #expect(try Self.files(device) == 1)
            #expect(try device.library.actionListText(.undo) == "Delete “b”\n")
        }
    }

    @Test func `the oldest goes first when the trash is too large`() async throws {
        try await withDevice { device in
            for number in 1...3 { try device.create("\(number).txt", "12345", in: .local) }
            for number in 1...3 { try device.remove("\(number).txt", in: .local) }
            var limit = TrashLimit()
            limit.bytes = 10
            try device.library.store.tidyTrash(limit)
            #expect(try Self.size(device).bytes == 10)
            #expect(try device.library.actionListText(.undo).hasPrefix("Delete “3”\nDelete “2”\nCreate “3”\n"))
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == ["3.txt"])
        }
    }

    @Test func `a file that fell out of the trash is out, also after a kill in between`() async throws {
        try await withDevice { device in
            try device.create("a.txt", "text", in: .local)
            try device.remove("a.txt", in: .local)
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash").first)
            try device.crash()
            try FileManager.default.removeItem(atPath: device.store + "/trash/" + name)
            try device.open()
            #expect(try device.library.actionListText(.undo) == "Create “a”\n")
            #expect(try Self.size(device).documents == 0)
        }
    }

    @Test func `content that is no longer in the trash is said, and the rest comes back the next time`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt"] { try device.create(name, name, in: .local) }
            let inode = try device.inode("b.txt", in: .local)
            for name in ["a.txt", "b.txt"] {
                try device.library.remove(Array(name.utf8), in: .local, by: Caller(thread: 7))
            }
            try FileManager.default.removeItem(atPath: device.store + "/trash/\(inode)")
            #expect(throws: Refusal.undo(.contentIsGone("b"))) { try device.library.perform(.undo) }
            #expect(try device.names(in: .local) == [])
            #expect(try device.library.actionListText(.undo).hasPrefix("Delete “a”\n"))
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == ["a.txt"])
        }
    }

    @Test func `a store without its catalog shows what was in the trash as a deletion`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.remove("Plan.txt", in: .local)
            try device.close()
            for suffix in ["", "-wal"] {
                try? FileManager.default.removeItem(atPath: device.store + "/catalog.sqlite" + suffix)
            }
            try device.open()
            #expect(try device.names(in: .local) == [])
            try device.library.perform(.undo)
            #expect(try await device.text("Plan", in: .local) == "plan")
        }
    }

    @Test func `a backup that is restored over a newer store loses no document to the trash of that store`()
        async throws
    {
        try await withDevice { device in
            let files = FileManager.default
            try device.create("Plan.txt", "plan", in: .local)
            try device.close()
            let backup = device.store + "-backup"
            try files.copyItem(atPath: device.store, toPath: backup)
            defer { try? files.removeItem(atPath: backup) }
            try device.open()
            try device.remove("Plan.txt", in: .local)
            // Later numbers, which the restored catalog gives once more.
            for name in ["a.txt", "b.txt"] { try device.create(name, name, in: .local) }
            for name in ["a.txt", "b.txt"] { try device.remove(name, in: .local) }
            try device.close()
            for name in ["catalog.sqlite", "local"] {
                try files.removeItem(atPath: device.store + "/" + name)
                try files.copyItem(atPath: backup + "/" + name, toPath: device.store + "/" + name)
            }
            try device.open()
            #expect(try device.names(in: .local) == ["Plan.txt"])
            #expect(try await device.text("Plan.txt", in: .local) == "plan")
            #expect(try Self.files(device) == 3)
        }
    }
}
