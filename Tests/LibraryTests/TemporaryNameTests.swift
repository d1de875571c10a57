import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
@testable import Replica
import Replication
import SystemPackage
import Testing
import TestSupport

/// Programs that write under a temporary name which is no scratch name, and rename that when they are done (`zip`).
@Suite(.timeLimit(.minutes(15)))
struct TemporaryNameTests {
    private static let containers: [InodeNumber] = [.local, .cloud]

    /// The properties that a save must not change.
    private struct Identity: Equatable {
        let id: EntryID?
        let filename: String
        let name: DocumentName?
        let position: OrderKey
        let created: Timestamp
        let colour: [UInt8]

        init(_ name: String, in folder: InodeNumber, of device: TestDevice) throws {
            let entry = try device.entry(name, in: folder)
            id = entry.id
            filename = entry.filename
            self.name = entry.name
            position = entry.position
            created = entry.created
            colour = try device.library.extendedAttribute("user.colour", of: .entry(entry.inode))
        }
    }

    /// A document with an attribute, between two others.
    private static func makeDocument(in folder: InodeNumber, of device: TestDevice) throws -> Identity {
        try device.create("Before.txt", "before", in: folder)
        let inode = try device.create("Photos.zip", "old", in: folder)
        try device.create("After.txt", "after", in: folder)
        try device.library.setExtendedAttribute("user.colour", to: Array("green".utf8), of: .entry(inode), .either)
        return try Identity("Photos.zip", in: folder, of: device)
    }

    // MARK: A document continues one that was removed

    @Test
    func `a document that continues a deleted one is removed from the cloud only when the cloud has it as that one`()
        async throws
    {
        try await withDevice { device in
            try device.create("report.txt", "report")
            try device.create("draft.txt", "draft")
            try await device.push()
            let draft = try #require(try device.entry("draft.txt").id)
            try device.remove("report.txt")
            try await device.push()
            try device.rename("draft.txt", to: "report.txt")
            // Nothing is uploaded yet.
            _ = try await device.synchronizer.sender.sendPending()
            #expect(try device.library.store.catalog.read { try CatalogReplica($0).entry(draft)?.isDeleted } == false)
            try await device.push()
            #expect(try device.library.store.catalog.read { try CatalogReplica($0).entry(draft)?.isDeleted } == true)
            #expect(try await device.text("report.txt") == "draft")
        }
    }

    @Test(arguments: containers)
    func `a document that is renamed to a name from which one was removed a moment ago is that document`(
        folder: InodeNumber
    )
        async throws
    {
        try await withDevice { device in
            let identity = try Self.makeDocument(in: folder, of: device)
            try await device.push()
            try device.create("ziAbC123", "new", in: folder)
            try device.remove("Photos.zip", in: folder)
            try device.rename("ziAbC123", in: folder, to: "Photos.zip")
            #expect(try Identity("Photos.zip", in: folder, of: device) == identity)
            #expect(try await device.text("Photos.zip", in: folder) == "new")
            #expect(try await device.text(identity.filename, in: folder) == "new")
            #expect(try device.names(in: folder) == ["After.txt", "Before.txt", "Photos.zip"])
            let carried = try FileManager.default.contentsOfDirectory(
                atPath: (device.backingPath("Photos.zip", in: folder) as NSString).deletingLastPathComponent)
            #expect(carried.count == 3)
            try device.close()
            try device.open()
            #expect(try Identity("Photos.zip", in: folder, of: device) == identity)
        }
    }

    @Test(arguments: containers)
    func `a document that is renamed to the name of one that became a backup is that document, and the backup another`(
        folder: InodeNumber
    ) async throws {
        try await withDevice { device in
            let identity = try Self.makeDocument(in: folder, of: device)
            try device.create("Photos.new", "new", in: folder)
            try device.rename("Photos.zip", in: folder, to: "Photos.zip.bak")
            try device.rename("Photos.new", in: folder, to: "Photos.zip")
            #expect(try Identity("Photos.zip", in: folder, of: device) == identity)
            #expect(try await device.text("Photos.zip", in: folder) == "new")
            #expect(try await device.text("Photos.zip.bak", in: folder) == "old")
            #expect(try device.entry("Photos.zip.bak", in: folder).id != identity.id)
        }
    }

    @Test(arguments: containers)
    func `a backup that is renamed back is the document it was`(folder: InodeNumber) async throws {
        try await withDevice { device in
            let identity = try Self.makeDocument(in: folder, of: device)
            device.advance(seconds: 16)
            try device.rename("Photos.zip", in: folder, to: "Photos.zip.bak")
            try device.rename("Photos.zip.bak", in: folder, to: "Photos.zip")
            #expect(try Identity("Photos.zip", in: folder, of: device) == identity)
            #expect(try await device.text("Photos.zip", in: folder) == "old")
        }
    }

    @Test(arguments: containers)
    func `15 seconds after a removal the name means a new document`(folder: InodeNumber) async throws {
        try await withDevice { device in
            let identity = try Self.makeDocument(in: folder, of: device)
            try device.create("Other.zip", "new", in: folder)
            try device.remove("Photos.zip", in: folder)
            let other = try device.entry("Other.zip", in: folder)
            device.advance(seconds: 16)
            try device.rename("Other.zip", in: folder, to: "Photos.zip")
            let renamed = try device.entry("Photos.zip", in: folder)
            #expect(renamed.id == other.id && renamed.id != identity.id)
            #expect(renamed.filename == other.filename)
        }
    }

    @Test func `a document that migrates to where one was removed stays itself`() async throws {
        try await withDevice { device in
            let identity = try Self.makeDocument(in: .cloud, of: device)
            try device.create("ziAbC123", "new", in: .local)
            let before = try device.entry("ziAbC123", in: .local)
            try device.remove("Photos.zip")
            try device.rename("ziAbC123", in: .local, to: "Photos.zip", in: .cloud)
            let after = try device.entry("Photos.zip")
            #expect(after.id == before.id && after.id != identity.id)
            #expect(after.filename == before.filename)
        }
    }

    @Test func `a document from another folder that continues a removed one gets its position in the order`()
        async throws
    {
        try await withDevice { device in
            let identity = try Self.makeDocument(in: .cloud, of: device)
            let folder = try device.makeFolder("Folder")
            for name in ["ziAbC123", "draft.tmp"] {
                try device.create(name, "new", in: folder)
                try device.remove("Photos.zip")
                try device.rename(name, in: folder, to: "Photos.zip", in: .cloud)
                #expect(try Identity("Photos.zip", in: .cloud, of: device) == identity)
            }
        }
    }

    @Test func `an automatic name follows the content`() async throws {
        try await withDevice { device in
            try device.create("Untitled.txt", "Milk", in: .local)
            #expect(try device.names(in: .local) == ["Milk.txt"])
            for (name, text) in [("new.tmp", "Eggs"), ("new", "Tea")] {
                let filename = try device.entry("Untitled.txt", in: .local).filename
                try device.create(name, text, in: .local)
                try device.remove("Untitled.txt", in: .local)
                try device.rename(name, in: .local, to: filename)
                #expect(try device.names(in: .local) == [text + ".txt"])
                #expect(try device.entry("Untitled.txt", in: .local).filename == filename)
            }
        }
    }

    @Test(arguments: [false, true])
    func `other devices see a save, with the versions before it`(isRemovalSent: Bool) async throws {
        try await withTwoDevices { laptop, phone in
            let identity = try Self.makeDocument(in: .cloud, of: laptop)
            try await laptop.push()
            try await phone.pull()
            try laptop.create("ziAbC123", "new")
            try laptop.remove("Photos.zip")
            if isRemovalSent { try await laptop.push() }
            try laptop.rename("ziAbC123", to: "Photos.zip")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["After.txt", "Before.txt", "Photos.zip"])
                let entry = try device.entry("Photos.zip")
                #expect(entry.id == identity.id && entry.conflicts == 0)
                #expect(entry.filename == identity.filename)
                #expect(try await device.text("Photos.zip") == "new")
                let versions = try device.library.transactions.inspect {
                    try CatalogReplica($0).entry(identity.id!)?.versions
                }
                #expect(versions?.superseded.count == 1)
            }
            #expect(try phone.pendingCount == 0)
        }
    }

    @Test func `the conflict versions of a renamed document are those of the document that it continues`() async throws
    {
        try await withTwoDevices { laptop, phone in
            let identity = try Self.makeDocument(in: .cloud, of: laptop)
            try laptop.create("Draft.zip", "draft")
            try await laptop.push()
            try await phone.pull()
            try await phone.save("Draft.zip", "theirs")
            try await phone.push()
            try await laptop.save("Draft.zip", "ours")
            try await laptop.push()
            #expect(try laptop.entry("Draft.zip").conflicts == 1)
            try await phone.pull()
            #expect(try await phone.text("Draft.zip") == "ours")
            try laptop.remove("Photos.zip")
            try laptop.rename("Draft.zip", to: "Photos.zip")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                let entry = try device.entry("Photos.zip")
                #expect(entry.id == identity.id && entry.conflicts == 1)
                #expect(try await device.text("Photos.zip") == "ours")
                #expect(!device.exists("Draft.zip"))
            }
        }
    }

    // MARK: A temporary name leaves no trace

    @Test(arguments: containers)
    func `a filename that was just generated for a temporary name is generated anew`(folder: InodeNumber) async throws {
        try await withDevice { device in
            let observer = ObserverSpy()
            device.library.observer = observer
            try device.create("ziAbC123", "new", in: folder)
            let before = try device.entry("ziAbC123", in: folder)
            try device.rename("ziAbC123", in: folder, to: "Photos.zip")
            let after = try device.entry("Photos.zip", in: folder)
            #expect(after.id == before.id && after.inode == before.inode)
            #expect(after.filename.hasSuffix(".zip") && after.hasGeneratedFilename)
            #expect(try await device.text(after.filename, in: folder) == "new")
            #expect(try device.backingPath("Photos.zip", in: folder).hasSuffix(after.filename))
            #expect(!device.exists(before.filename, in: folder))
            #expect(observer.hasHeard(of: before.filename, in: folder))
            device.advance(seconds: 16)
            try device.rename("Photos.zip", in: folder, to: "Photos.tar")
            #expect(try device.entry("Photos.tar", in: folder).filename == after.filename)
        }
    }

    /// A program closed the file, and renamed it a few seconds later.
    @Test func `the container is told of a filename that is generated anew`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("ziAbC123", "new")
            try await laptop.push()
            try await phone.pull()
            try await phone.library.waitForContent(of: phone.inode("ziAbC123"))
            let before = try laptop.entry("ziAbC123")
            try laptop.rename("ziAbC123", to: "Photos.zip")
            let filename = try laptop.entry("Photos.zip").filename
            #expect(filename.hasSuffix(".zip"))
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Photos.zip"])
                #expect(try device.entry("Photos.zip").filename == filename)
                #expect(try device.entry("Photos.zip").id == before.id)
                #expect(!device.exists(before.filename))
                #expect(try await device.text("Photos.zip") == "new")
            }
            try await laptop.save("Photos.zip", "newer")
            try await laptop.push()
            let versions =
                try laptop.library.transactions.inspect { try CatalogReplica($0).entry(before.id!)?.versions?.all }
                ?? []
            #expect(Set(versions.map(\.filename)) == [before.filename, filename])
        }
    }
}
