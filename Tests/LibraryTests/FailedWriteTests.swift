import Backing
import Catalog
import Documents
import Foundation
@testable import Library
import Synchronization
import SystemPackage
import Testing
import TestSupport

/// A write that fails after it has changed files leaves files and rows as they were.
@Suite(.timeLimit(.minutes(15)))
struct FailedWriteTests {
    @Test func `files that were moved go back to where their rows say`() async throws {
        try await withDevice { device in
            let library = device.library
            let folder = try device.makeFolder("Folder", in: .local)
            try device.create("Plan.txt", "plan", in: .local)
            try device.create(".rc", "settings", in: .local)
            let entries = try ["Plan.txt", ".rc"].map { try device.entry($0, in: .local) }
            #expect(throws: Refusal.file(.ioError)) {
                try library.transactions.mutate { transaction in
                    let (source, target) = (
                        try library.store.files.folder(.local, transaction),
                        try library.store.files.folder(folder, transaction)
                    )
                    for var entry in entries {
                        try source.rename(entry.filename, to: target, entry.filename)
                        entry.parent = folder
                        try transaction.update(entry)
                    }
                    throw Errno.ioError
                }
            }
            #expect(try await device.text("Plan.txt", in: .local) == "plan")
            #expect(try await device.text(".rc", in: .local) == "settings")
            #expect(try device.names(in: folder) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/local/Folder").isEmpty)
        }
    }

    @Test func `a removal that fails puts the file back, and open handles are the document's`() async throws {
        try await withDevice { device in
            let library = device.library
            try device.create("Plan.txt", "plan")
            let entry = try device.entry("Plan.txt")
            let writer = try await device.open("Plan.txt", O_RDWR)
            #expect(throws: Refusal.file(.ioError)) {
                try library.transactions.mutate { transaction in
                    try library.tree.removal.removeFile(entry, keeps: true, transaction)
                    throw Errno.ioError
                }
            }
            #expect(try await device.text("Plan.txt") == "plan")
            #expect(try !library.handle(writer).file.isUnlinked)
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/staging").isEmpty)
            library.close(writer)
        }
    }

    @Test func `created entries are gone, and nothing that was there before`() async throws {
        try await withDevice { device in
            let library = device.library
            try Data("stranger".utf8).write(to: URL(fileURLWithPath: device.store + "/local/stranger"))
            #expect(throws: Refusal.file(.ioError)) {
                try library.transactions.mutate { transaction in
                    let directory = try library.store.files.folder(.local, transaction)
                    _ = try directory.makeFile("made.txt", mode: 0o644)
                    transaction.ifFailed { try? directory.removeFile("made.txt") }
                    _ = try transaction.insert(
                        Entry(
                            parent: .local, location: .local, nature: .scratch, filename: "made.txt",
                            created: Timestamp(nanoseconds: 0),
                            position: 1, mode: 0o644))
                    throw Errno.ioError
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/local") == ["stranger"])
            #expect(try device.names(in: .local) == [])
        }
    }
}

/// The mark by which a store tells the next mount how it was closed.
@Suite(.timeLimit(.minutes(15)))
struct StoreStateTests {
    private static func hasMark(_ device: TestDevice) -> Bool {
        FileManager.default.fileExists(atPath: device.store + "/clean")
    }

    @Test func `only a store that was closed is marked as clean, and only until it is opened`() async throws {
        try await withDevice { device in
            #expect(!Self.hasMark(device))
            try device.close()
            #expect(Self.hasMark(device))
            try device.open()
            #expect(!Self.hasMark(device))
            try device.crash()
            #expect(!Self.hasMark(device))
            try device.open()
        }
    }

    /// As when a backup of a store in use is restored over one that was closed.
    @Test func `a mark beside another catalog says nothing`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            let (path, log) = (device.store + "/catalog.sqlite", device.store + "/catalog.sqlite-wal")
            let files = try [path, log].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            try device.create("Later.txt", "later", in: .local)
            try device.close()
            for (path, content) in zip([path, log], files) { try content.write(to: URL(fileURLWithPath: path)) }
            try device.open()
            // Its row is not in the older catalog; its file is.
            #expect(try await device.text("Later.txt", in: .local) == "later")
        }
    }

    @Test func `a copy of a store is another device, and stays that`() async throws {
        try await withDevice { device in
            let id = device.library.store.device.id
            try device.close()
            let copy = try TestDevice("copy", store: device.store + "-copy", cloudFolder: device.cloudFolder)
            defer { copy.dismantle() }
            try FileManager.default.removeItem(atPath: copy.store)
            try FileManager.default.copyItem(atPath: device.store, toPath: copy.store)
            try copy.open()
            let other = copy.library.store.device.id
            #expect(other != id)
            try copy.close()
            try copy.open()
            #expect(copy.library.store.device.id == other)
            try device.open()
            #expect(device.library.store.device.id == id)
        }
    }
}
