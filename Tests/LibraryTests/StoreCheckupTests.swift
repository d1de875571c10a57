import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import Logging
import Replica
import SystemPackage
import Testing

/// `docfs check` of a store: what it finds, and that a repair mends it and loses nothing.
@Suite(.timeLimit(.minutes(15)))
struct StoreCheckupTests {
    private static let files = FileManager.default

    /// Two documents and a folder with one in each container, and one removed from each. The container has what it should have.
    private func withDocuments(_ body: (TestDevice) async throws -> Void) async throws {
        try await withDevice { device in
            for folder in [InodeNumber.local, .cloud] {
                for name in ["a.txt", "b.txt", "removed.txt"] { try device.create(name, "text of \(name)", in: folder) }
                try device.create("inner.txt", "inner", in: try device.makeFolder("Folder", in: folder))
            }
            try await device.push()
            for folder in [InodeNumber.local, .cloud] { try device.remove("removed.txt", in: folder) }
            try await device.push()
            try await body(device)
        }
    }

    private func facts(_ device: TestDevice) throws -> [String] {
        try device.library.storeCheck.audit { _ in }.findings.map { "\($0.area.rawValue): \($0.fact)" }
    }

    /// Finds one thing, mends it, and finds nothing more.
    private func expectMended(_ device: TestDevice, _ fact: String, count: Int = 1) throws {
        let found = try facts(device)
        #expect(found.count == count, "\(found)")
        #expect(found.contains { $0.contains(fact) }, "\(found)")
        let report = try device.library.storeCheck.repair { _ in }
        #expect(report.remaining == [], "\(report.lines)")
        #expect(report.mended.count == count)
        #expect(try facts(device) == [])
    }

    @Test func `a store that nobody damaged has no findings`() async throws {
        try await withDocuments { device in
            #expect(try facts(device) == [])
            try device.create("later.txt", "later", in: .cloud)
            try device.create("note.tmp", "scratch", in: .cloud)
            try device.rename("a.txt", in: .local, to: "renamed.txt", in: .local)
            try device.library.perform(.undo)
            #expect(try facts(device) == [])
            try device.crash()
            try device.open()
            #expect(try facts(device) == [])
            #expect(try device.library.storeCheck.repair { _ in } == StoreReport())
        }
    }

    // MARK: Rows and files

    @Test func `a local document without its file leaves the listing, and a cloud document is fetched again`()
        async throws
    {
        try await withDocuments { device in
            for folder in [InodeNumber.local, .cloud] {
                try Self.files.removeItem(atPath: try device.backingPath("a.txt", in: folder))
            }
            try expectMended(device, "the file is gone (“a.txt”)", count: 2)
            #expect(!device.exists("a.txt", in: .local))
            #expect(try await device.text("a.txt", in: .cloud) == "text of a.txt")
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a folder that is gone is made again, and a file without a row becomes a document`(folder: InodeNumber)
        async throws
    {
        try await withDocuments { device in
            let inner = try device.inode("Folder", in: folder)
            try Self.files.removeItem(atPath: try device.backingPath("inner.txt", in: inner))
            try Self.files.removeItem(atPath: try device.backingPath("Folder", in: folder))
            let place = device.store + (folder == .local ? "/local" : "/cloud")
            try Data("found".utf8).write(to: URL(fileURLWithPath: place + "/Found.txt"))
            try Self.files.createDirectory(atPath: place + "/Empty", withIntermediateDirectories: false)
            let report = try device.library.storeCheck.repair { _ in }
            #expect(report.isGood, "\(report.lines)")
            #expect(try facts(device) == [])
            #expect(device.exists("Folder", in: folder) && device.exists("Empty", in: folder))
            #expect(try await device.text("Found.txt", in: folder) == "found")
            #expect(device.exists("inner.txt", in: inner) == (folder == .cloud))
        }
    }

    @Test func `a folder in the place of a document gets a name of its own`() async throws {
        try await withDocuments { device in
            let path = try device.backingPath("a.txt", in: .cloud)
            try Self.files.removeItem(atPath: path)
            try Self.files.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data("inside".utf8).write(to: URL(fileURLWithPath: path + "/inside.txt"))
            try expectMended(device, "is a folder where the catalog has a file")
            #expect(try await device.text("a.txt", in: .cloud) == "text of a.txt")
            let name = try #require(path.split(separator: "/").last.map(String.init))
            let folder = try #require(try device.library.store.read { try $0.entry(in: .cloud, filename: name) })
            #expect(folder.kind == .folder)
            #expect(try await device.text("inside.txt", in: folder.inode) == "inside")
        }
    }

    @Test func `the name on a file counts, unless no document can have it`() async throws {
        try await withDocuments { device in
            let (first, second) = (try device.backingPath("a.txt"), try device.backingPath("b.txt"))
            try setName("Other", first)
            try setName("no/name", second)
            try expectMended(device, "carries the name “Other”, and the catalog says “a”", count: 2)
            #expect(try await device.text("Other.txt") == "text of a.txt")
            #expect(try await device.text("b.txt") == "text of b.txt")
        }
    }

    private func setName(_ name: String, _ path: String) throws {
        let file = try Descriptor.open(path, O_RDWR)
        try file.setExtendedAttribute(BackingStore.displayNameAttribute, Array(name.utf8))
    }

    @Test func `an edit that nobody noticed becomes a new version`() async throws {
        try await withDocuments { device in
            let path = try device.backingPath("a.txt")
            try Data("edited in the store".utf8).write(to: URL(fileURLWithPath: path))
            try expectMended(device, "has another content than the catalog says")
            #expect(try device.entry("a.txt").pending.contains(.content))
            try await device.push()
            #expect(try await device.text("a.txt") == "edited in the store")
        }
    }

    @Test func `what somebody left in staging or in the trash becomes a document`() async throws {
        try await withDocuments { device in
            for (folder, name) in [("staging", "Letter.txt"), ("trash", "Note.txt"), ("trash", "0815")] {
                try Data("text of \(name)".utf8).write(to: URL(fileURLWithPath: "\(device.store)/\(folder)/\(name)"))
            }
            try expectMended(device, "is no file that docfs has put there", count: 3)
            #expect(try await device.text("Letter.txt", in: .local) == "text of Letter.txt")
            #expect(try await device.text("Note.txt", in: .local) == "text of Note.txt")
            // A mount leaves such files alone.
            try Data("again".utf8).write(to: URL(fileURLWithPath: device.store + "/staging/again.txt"))
            try device.close()
            try device.open()
            #expect(Self.files.fileExists(atPath: device.store + "/staging/again.txt"))
        }
    }

    // MARK: The trash

    @Test func `a removal without its file leaves the undo list, and a file without a removal joins it`() async throws {
        try await withDocuments { device in
            let trash = device.store + "/trash/"
            let names = try Self.files.contentsOfDirectory(atPath: trash).sorted()
            #expect(names.count == 2)
            try Self.files.moveItem(atPath: trash + names[0], toPath: trash + "770077")
            try expectMended(device, "cannot be brought back: its file is gone", count: 2)
            #expect(try Self.files.contentsOfDirectory(atPath: trash).count == 2)
            try device.library.perform(.undo)
            try device.library.perform(.undo)
            let texts = try device.names(in: .local) + device.names(in: .cloud)
            #expect(texts.count == 2 * 3 + 2, "\(texts)")
        }
    }

    // MARK: Order

    @Test(arguments: ["malformed", "repeated"])
    func `entries with the same place, or none, get one of their own in the order that is shown`(kind: String)
        async throws
    {
        try await withDocuments { device in
            for number in 1...5 { try device.create("\(number).txt", in: .local) }
            let first = try device.entry("2.txt", in: .local).position
            try device.library.store.write { transaction in
                for name in ["3.txt", "4.txt"] {
                    var entry = try #require(try transaction.document(in: .local, fullName: name))
                    entry.position = kind == "repeated" ? first : OrderKey(unchecked: "?")
                    try transaction.update(entry)
                }
            }
            let shown = try device.library.store.read { try $0.children(of: .local).map(\.filename) }
            try expectMended(device, "entries have the same place in the order, or none")
            try device.library.store.read { rows in
                let children = try rows.children(of: .local)
                #expect(children.map(\.filename) == shown)
                #expect(Set(children.map(\.position)).count == children.count)
                #expect(children.allSatisfy { OrderKey($0.position.text) != nil })
            }
        }
    }

    // MARK: Rows and rows

    @Test(arguments: [InodeNumber.local, .cloud])
    func `an entry outside the tree comes to the top of its container with its file`(folder: InodeNumber) async throws {
        try await withDocuments { device in
            let inner = try device.entry("inner.txt", in: try device.inode("Folder", in: folder))
            try device.library.store.write { transaction in
                var lost = inner
                lost.parent = InodeNumber(123_456)
                try transaction.update(lost)
            }
            #expect(try facts(device).contains("catalog: lies in a folder that is not in the tree"))
            let report = try device.library.storeCheck.repair { _ in }
            #expect(report.isGood, "\(report.lines)")
            #expect(try facts(device) == [])
            #expect(try device.entry("inner.txt", in: folder).id == inner.id)
            #expect(try await device.text("inner.txt", in: folder) == "inner")
        }
    }

    @Test func `folders that lie in each other come back with all that is in them`() async throws {
        try await withDocuments { device in
            let outer = try device.entry("Folder", in: .local)
            let inside = try device.makeFolder("Inside", in: outer.inode)
            try device.library.store.write { transaction in
                var lost = outer
                lost.parent = inside
                try transaction.update(lost)
            }
            let report = try device.library.storeCheck.repair { _ in }
            #expect(report.isGood, "\(report.lines)")
            #expect(try facts(device) == [])
            #expect(try await device.text("inner.txt", in: outer.inode) == "inner")
        }
    }

    @Test func `an entry of another container than its folder goes to its own, and nothing local is sent`() async throws
    {
        try await withDocuments { device in
            let folder = try device.inode("Folder", in: .cloud)
            try device.library.store.write { transaction in
                var lost = try #require(try transaction.children(of: .local).first { $0.name?.full == "a.txt" })
                lost.parent = folder
                try transaction.update(lost)
            }
            #expect(try facts(device).contains("catalog: belongs to another container than its folder"))
            let report = try device.library.storeCheck.repair { _ in }
            #expect(report.isGood, "\(report.lines)")
            #expect(try await device.text("a.txt", in: .local) == "text of a.txt")
            #expect(try device.entry("a.txt", in: .local).location == .local)
        }
    }

    // MARK: The container

    @Test func `an entry of the container that is not in the tree is shown again with its file`() async throws {
        try await withDocuments { device in
            let entry = try device.entry("a.txt")
            try device.library.store.write { try $0.delete(entry.inode) }
            try expectMended(device, "is in the container, and not in the tree", count: 2)
            #expect(try device.entry("a.txt").id == entry.id)
            #expect(try device.entry("a.txt").isHere)
            #expect(try device.hasNothingPending)
            #expect(try await device.text("a.txt") == "text of a.txt")
        }
    }

    @Test func `an entry that counts as sent and is not in the container is sent again`() async throws {
        try await withDocuments { device in
            try device.create("new.txt", "new")
            try device.library.store.write { transaction in
                var entry = try #require(try transaction.document(in: .cloud, fullName: "new.txt"))
                entry.pending = []
                try transaction.update(entry)
            }
            try expectMended(device, "counts as sent, and the container does not have it")
            try await device.push()
            #expect(try facts(device) == [])
            #expect(try await device.text("new.txt") == "new")
        }
    }

    @Test func `a damaged record of the container is read again from the container`() async throws {
        try await withDocuments { device in
            let id = try #require(try device.entry("a.txt").id)
            try device.library.store.write { transaction in
                var record = try #require(try transaction.replicaRecord(id))
                record[record.count / 2] ^= 1
                try transaction.storeReplicaRecord(
                    record, id: id, parent: .cloudRoot, filename: "?", fullName: nil, isDeleted: false, leaves: [])
            }
            #expect(try facts(device) == ["catalog: is not what its log has made it"])
            #expect(device.library.checkup.request(.repair))
            await device.synchronizer.checkup.runIfAsked()
            guard case .done(let report) = device.library.checkup.current else {
                Issue.record("\(device.library.checkup.current)")
                return
            }
            #expect(report.isGood, "\(report.lines)")
            #expect(report.store.mended.count == 1)
            #expect(try facts(device) == [])
            #expect(try await device.text("a.txt") == "text of a.txt")
        }
    }

    // MARK: A catalog that is made anew

    private func loseCatalog(_ device: TestDevice) throws {
        try device.close()
        for name in ["catalog.sqlite", "catalog.sqlite-wal"] {
            let path = device.store + "/" + name
            if Self.files.fileExists(atPath: path) { try Self.files.removeItem(atPath: path) }
        }
        try device.open()
    }

    @Test func `after a catalog was lost, cloud documents that are here join those of the container`() async throws {
        try await withDocuments { device in
            try device.makeLink("link", to: "target", in: .cloud)
            try await device.push()
            let known = try device.library.store.read { try $0.descendants(of: .cloud) }
            try loseCatalog(device)
            try await device.push()
            let now = try device.library.store.read { try $0.descendants(of: .cloud) }
            #expect(Set(now.map(\.id)) == Set(known.map(\.id)))
            #expect(Set(now.map(\.filename)) == Set(known.map(\.filename)))
            #expect(now.allSatisfy { $0.isHere && $0.pending == [] })
            #expect(try await device.text("a.txt") == "text of a.txt")
            #expect(try facts(device) == [])
        }
    }

    @Test func `an edit that was not sent stays a document beside that of the container`() async throws {
        try await withDocuments { device in
            let path = try device.backingPath("a.txt")
            try device.close()
            try Data("edited".utf8).write(to: URL(fileURLWithPath: path))
            try device.open()
            try loseCatalog(device)
            try await device.push()
            let documents = try device.library.store.read { rows in
                try rows.children(of: .cloud).filter { $0.kind == .document }
            }
            #expect(documents.count == 3)
            var texts: Set<String> = []
            for document in documents {
                let number = try await device.open(document.inode)
                texts.insert(try await device.text(of: number))
                device.library.close(number)
            }
            #expect(texts == ["edited", "text of a.txt", "text of b.txt"])
            #expect(try facts(device) == [])
        }
    }

    @Test func `a file that was set aside when the catalog was lost can be brought back`() async throws {
        try await withDocuments { device in
            let path = try device.backingPath("a.txt", in: .local)
            try device.close()
            try Self.files.moveItem(atPath: path, toPath: device.store + "/staging/removed-4711")
            try Self.files.removeItem(atPath: device.store + "/catalog.sqlite")
            try device.open()
            #expect(try facts(device) == [])
            #expect(try device.library.actionListText(.undo).contains("Delete"))
            #expect(try Self.files.contentsOfDirectory(atPath: device.store + "/trash").count == 3)
        }
    }

    // MARK: A store that no mount uses

    private enum DamagedRow: CaseIterable { case logHead, replica, attributes }

    /// SQLite notices nothing of it.
    private func damage(_ row: DamagedRow, on device: TestDevice) throws {
        var entry = try device.entry("a.txt")
        let id = try #require(entry.id)
        try device.library.store.write { transaction in
            switch row {
            case .logHead: try transaction.set(.logHead, "{")
            case .replica:
                try transaction.storeReplicaRecord(
                    [0x7b], id: id, parent: .cloudRoot, filename: "?", fullName: nil, isDeleted: false, leaves: [])
            case .attributes:
                entry.attributes = [0x7b]
                try transaction.update(entry)
            }
        }
    }

    @Test(arguments: DamagedRow.allCases, [false, true])
    private func `a row whose text is damaged stops no repair, and all documents are there afterwards`(
        row: DamagedRow, hasFile: Bool
    ) async throws {
        try await withDocuments { device in
            let path = try device.backingPath("a.txt")
            let surroundings = device.library.store.surroundings
            try damage(row, on: device)
            if !hasFile { try Self.files.removeItem(atPath: path) }
            try device.crash()
            _ = try closed(device, surroundings).check(repairs: true) { _ in }
            try device.open()
            _ = try? await device.pull()
            #expect(device.library.checkup.request(.repair))
            await device.synchronizer.checkup.runIfAsked()
            try await device.push()
            for folder in [InodeNumber.local, .cloud] {
                for name in ["a.txt", "b.txt"] {
                    #expect(try await device.text(name, in: folder) == "text of \(name)")
                }
            }
        }
    }

    @Test func `a store that no mount uses is looked at without a change, and mended`() async throws {
        try await withDocuments { device in
            let path = try device.backingPath("a.txt")
            let surroundings = device.library.store.surroundings
            try device.close()
            try Self.files.removeItem(atPath: path)
            let catalog = try Data(contentsOf: URL(fileURLWithPath: device.store + "/catalog.sqlite"))
            let found = try closed(device, surroundings).check(repairs: false) { _ in }
            #expect(found.remaining.map(\.fact) == ["the file is gone (“a.txt”)"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: device.store + "/catalog.sqlite")) == catalog)
            #expect(Self.files.fileExists(atPath: device.store + "/clean"))
            let repaired = try closed(device, surroundings).check(repairs: true) { _ in }
            #expect(repaired.isGood && repaired.mended == found.remaining)
            #expect(try closed(device, surroundings).check(repairs: false) { _ in } == StoreReport())
            try device.open()
            try await device.pull()
            // After a clean end a mount would have taken the missing file for a removal.
            #expect(try await device.text("a.txt") == "text of a.txt")
        }
    }

    private func closed(_ device: TestDevice, _ surroundings: Surroundings) throws -> ClosedStore {
        let configuration = LibraryConfiguration(
            storePath: device.store, filenames: try FilenameGenerator(convention: .uuid, prefix: ""),
            showsDisplayNames: false, timeout: .zero)
        return try ClosedStore(
            configuration, surroundings: surroundings, logger: Logger(label: "check") { _ in SwiftLogNoOpLogHandler() })
    }
}
