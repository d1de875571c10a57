import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import SystemPackage
import Testing

/// Processes that die after they moved a backing file and before they committed the row.
@Suite(.timeLimit(.minutes(15)))
struct UncleanEndTests {
    /// The properties that must be the same after an unclean end.
    private struct Known: Equatable {
        let id: EntryID?
        let kind: EntryKind
        let filename: String
        let name: DocumentName?
        let isHere: Bool
        let pending: PendingChanges
        let text: String

        init(_ name: String, in folder: InodeNumber, of device: TestDevice) async throws {
            let entry = try device.entry(name, in: folder)
            id = entry.id
            kind = entry.kind
            filename = entry.filename
            self.name = entry.name
            isHere = entry.isHere
            pending = entry.pending
            text = try await device.text(name, in: folder)
        }
    }

    private static func move(_ path: String, to newPath: String) throws {
        guard Glibc.rename(path, newPath) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Lets `device` die just when it has moved backing files; paths are below its store.
    private static func crash(_ device: TestDevice, afterMoving moves: [(String, String)]) throws {
        try device.crash()
        for (path, newPath) in moves { try move(device.store + "/" + path, to: device.store + "/" + newPath) }
        try device.open()
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a rename within a folder is undone`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.create(".env", "secret", in: folder)
            try device.create(".other", "other", in: folder)
            try await device.push()
            let known = try await Known(".env", in: folder, of: device)
            let container = folder == .local ? "local" : "cloud"
            try Self.crash(device, afterMoving: [(container + "/.env", container + "/.env2")])
            #expect(try device.names(in: folder) == [".env", ".other"])
            #expect(try await Known(".env", in: folder, of: device) == known)
            #expect(try device.pendingCount == 0)
        }
    }

    @Test(arguments: [("draft.tmp", "draft.txt"), ("Draft.txt", "draft.tmp")])
    func `a scratch file that became a document is one again, and the other way round`(
        name: String, newName: String
    ) async throws {
        try await withDevice { device in
            try device.create(name, "draft", in: .local)
            let known = try await Known(name, in: .local, of: device)
            try Self.crash(device, afterMoving: [("local/" + known.filename, "local/" + newName)])
            #expect(try device.names(in: .local) == [name])
            #expect(try await Known(name, in: .local, of: device) == known)
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a filename that was to be generated anew is the old one after a crash`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.create("ziAbC123", "zip", in: folder)
            let known = try await Known("ziAbC123", in: folder, of: device)
            let path = folder == .local ? "local/" : "cloud/"
            try Self.crash(device, afterMoving: [(path + known.filename, path + UUID().uuidString + ".zip")])
            #expect(try device.names(in: folder) == ["ziAbC123"])
            #expect(try await Known("ziAbC123", in: folder, of: device) == known)
        }
    }

    private static func setName(_ name: String, ofFile path: String, of device: TestDevice) throws {
        try Descriptor.open(device.store + "/" + path, O_RDONLY)
            .setExtendedAttribute(BackingStore.displayNameAttribute, Array(name.utf8))
    }

    /// The files are exchanged before their names are written.
    @Test(arguments: [InodeNumber.local, .cloud], 0...2)
    func `an exchange is undone, whatever names the files carry`(folder: InodeNumber, namesWritten: Int) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: folder)
            try device.create("Notes.txt", "the notes", in: folder)
            try await device.push()
            let plan = try await Known("Plan.txt", in: folder, of: device)
            let notes = try await Known("Notes.txt", in: folder, of: device)
            let container = folder == .local ? "local/" : "cloud/"
            let (planFile, notesFile) = (container + plan.filename, container + notes.filename)
            try device.crash()
            for (path, newPath) in [(planFile, "parked"), (notesFile, planFile), ("parked", notesFile)] {
                try Self.move(device.store + "/" + path, to: device.store + "/" + newPath)
            }
            if namesWritten > 0 { try Self.setName("Plan", ofFile: planFile, of: device) }
            if namesWritten > 1 { try Self.setName("Notes", ofFile: notesFile, of: device) }
            try device.open()
            #expect(try await Known("Plan.txt", in: folder, of: device) == plan)
            #expect(try await Known("Notes.txt", in: folder, of: device) == notes)
            #expect(try device.names(in: folder) == ["Notes.txt", "Plan.txt"])
            #expect(try device.pendingCount == 0)
        }
    }

    /// The file is renamed before its name is written.
    @Test(arguments: [InodeNumber.local, .cloud], [false, true])
    func `a save by renaming another document is completed`(folder: InodeNumber, isNameWritten: Bool) async throws {
        try await withTwoDevices { device, phone in
            try device.create("Plan.txt", "plan", in: folder)
            try device.create("Notes.txt", "the notes", in: folder)
            try await device.push()
            try await phone.pull()
            let plan = try device.entry("Plan.txt", in: folder)
            let notes = try device.entry("Notes.txt", in: folder)
            let container = folder == .local ? "local/" : "cloud/"
            try device.crash()
            try Self.move(
                device.store + "/" + container + notes.filename, to: device.store + "/" + container + plan.filename)
            if isNameWritten { try Self.setName("Plan", ofFile: container + plan.filename, of: device) }
            try device.open()
            #expect(try device.names(in: folder) == ["Plan.txt"])
            #expect(try device.entry("Plan.txt", in: folder).id == plan.id)
            #expect(try await device.text("Plan.txt", in: folder) == "the notes")
            try await device.push()
            try await phone.pull()
            #expect(try phone.names() == (folder == .cloud ? ["Plan.txt"] : []))
            if folder == .cloud { #expect(try await phone.text("Plan.txt") == "the notes") }
        }
    }

    @Test func `a move under a new name is undone, and so is the name`() async throws {
        try await withDevice { device in
            try device.makeFolder("Trip", in: .local)
            try device.create("Plan.txt", "plan", in: .local)
            let plan = try await Known("Plan.txt", in: .local, of: device)
            try device.crash()
            try Self.move(device.store + "/local/" + plan.filename, to: device.store + "/local/Trip/" + plan.filename)
            try Self.setName("Letter", ofFile: "local/Trip/" + plan.filename, of: device)
            try device.open()
            #expect(try await Known("Plan.txt", in: .local, of: device) == plan)
            #expect(try device.names(in: .local) == ["Plan.txt", "Trip"])
        }
    }

    @Test(arguments: ["local/Archive/Trip", "local/Trip 2", "cloud/Trip"])
    func `a folder that was moved is back with all that is in it`(newPlace: String) async throws {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip", in: .local)
            let days = try device.makeFolder("Days", in: trip)
            try device.makeFolder("Archive", in: .local)
            try device.create("Plan.txt", "plan", in: trip)
            try device.create("Monday.txt", "monday", in: days)
            try device.makeLink("link", to: "Plan.txt", in: trip)
            let plan = try await Known("Plan.txt", in: trip, of: device)
            let monday = try await Known("Monday.txt", in: days, of: device)
            try Self.crash(device, afterMoving: [("local/Trip", newPlace)])
            #expect(try device.names(in: .local) == ["Archive", "Trip"])
            #expect(try device.names() == [])
            #expect(try device.inode("Trip", in: .local) == trip)
            #expect(try device.names(in: trip) == ["Days", "Plan.txt", "link"])
            #expect(try await Known("Plan.txt", in: trip, of: device) == plan)
            #expect(try await Known("Monday.txt", in: days, of: device) == monday)
            #expect(try device.names(in: device.inode("Archive", in: .local)) == [])
        }
    }

    /// A folder of the laptop with a document that is on the phone as well and one that is not.
    private static func withTrip(
        _ body: (_ laptop: TestDevice, _ phone: TestDevice, InodeNumber) async throws -> Void
    ) async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Here.txt", "here", in: trip)
            try laptop.create("Away.txt", "away", in: trip)
            try await laptop.push()
            try await phone.pull()
            try await phone.library.waitForContent(of: phone.inode("Here.txt", in: phone.inode("Trip")))
            try await body(laptop, phone, try phone.inode("Trip"))
        }
    }

    @Test func `a folder that was moved by the log is moved by it again`() async throws {
        try await Self.withTrip { laptop, phone, trip in
            let here = try phone.entry("Here.txt", in: trip)
            try laptop.rename("Trip", to: "Journey")
            try await laptop.push()
            try Self.crash(phone, afterMoving: [("cloud/Trip", "cloud/Journey")])
            #expect(try phone.names() == ["Trip"])
            #expect(try phone.entry("Here.txt", in: trip).isHere)
            #expect(try phone.pendingCount == 0)
            try await phone.push()
            #expect(try phone.names() == ["Journey"])
            #expect(try phone.inode("Journey") == trip)
            #expect(try phone.names(in: trip) == ["Away.txt", "Here.txt"])
            #expect(try phone.entry("Here.txt", in: trip).id == here.id)
            #expect(try await phone.text("Here.txt", in: trip) == "here")
            #expect(try await phone.text("Away.txt", in: trip) == "away")
            #expect(try await laptop.commits.count == phone.commits.count)
            try await laptop.pull()
            #expect(try laptop.names() == ["Journey"])
        }
    }

    @Test(arguments: 0...4)
    func `however far a round of moves had come, every file is back at its path`(count: Int) async throws {
        try await withDevice { device in
            for name in ["a", "b", "c"] {
                let folder = try device.makeFolder(name, in: .local)
                try device.create("In \(name).txt", name, in: folder)
            }
            let moves = [("c", "d"), ("b", "c"), ("a", "b"), ("d", "a")].prefix(count)
            let known = try device.library.transactions.inspect { try $0.children(of: .local) }
            try Self.crash(device, afterMoving: moves.map { ("local/" + $0.0, "local/" + $0.1) })
            #expect(try device.names(in: .local) == ["a", "b", "c"])
            for entry in known {
                let found = try device.entry(entry.filename, in: .local)
                #expect(found.inode == entry.inode)
                #expect(found.id == entry.id)
            }
            for name in ["a", "b", "c"] {
                let folder = try device.inode(name, in: .local)
                #expect(try device.names(in: folder) == ["In \(name).txt"])
                #expect(try await device.text("In \(name).txt", in: folder) == name)
            }
        }
    }

    /// Only their paths identify them: they have the contents that they would have in a plain folder.
    @Test(arguments: 0...4)
    func `however far a round of renames of dotfiles had come, each name has the content that its file has`(count: Int)
        async throws
    {
        try await withDevice { device in
            for name in ["a", "b", "c"] { try device.create("." + name, name, in: .local) }
            let moves = [("c", "d"), ("b", "c"), ("a", "b"), ("d", "a")].prefix(count)
            var contents = ["a": "a", "b": "b", "c": "c"]
            if count == 1 {
                // One alone is undone.
            } else {
                for (old, new) in moves { contents[new] = contents.removeValue(forKey: old) }
            }
            try Self.crash(device, afterMoving: moves.map { ("local/." + $0.0, "local/." + $0.1) })
            #expect(try device.names(in: .local) == contents.keys.sorted().map { "." + $0 })
            for (name, content) in contents { #expect(try await device.text("." + name, in: .local) == content) }
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a save by renaming that had replaced the file is done`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.create(".vimrc", "old", in: folder)
            try device.create("saved.tmp", "new content", in: folder)
            try await device.push()
            let before = try device.entry(".vimrc", in: folder)
            let container = folder == .local ? "local/" : "cloud/"
            try Self.crash(
                device,
                afterMoving: [
                    (container + ".vimrc", "staging/removed-\(before.inode)"),
                    (container + "saved.tmp", container + ".vimrc"),
                ])
            #expect(try device.names(in: folder) == [".vimrc"])
            #expect(try device.entry(".vimrc", in: folder).id == before.id)
            #expect(try await device.text(".vimrc", in: folder) == "new content")
            #expect(try device.entry(".vimrc", in: folder).pending == (folder == .cloud ? .content : []))
        }
    }

    @Test func `a save by renaming that only moved the replaced file to staging is undone`() async throws {
        try await withDevice { device in
            try device.create(".vimrc", "old", in: .local)
            try device.create("saved.tmp", "new content", in: .local)
            let before = try device.entry(".vimrc", in: .local)
            try Self.crash(device, afterMoving: [("local/.vimrc", "staging/removed-\(before.inode)")])
            #expect(try device.names(in: .local) == [".vimrc", "saved.tmp"])
            #expect(try device.entry(".vimrc", in: .local).id == before.id)
            #expect(try await device.text(".vimrc", in: .local) == "old")
        }
    }

    @Test func `in a copy of a store no file is matched with the wrong row`() async throws {
        try await withDevice { device in
            try device.create(".kept", "kept", in: .local)
            try device.create(".gone", "gone", in: .local)
            let (kept, gone) = (try device.entry(".kept", in: .local), try device.entry(".gone", in: .local))
            try device.crash()
            let copy = try TestDevice("copy", store: device.store + "-copy", cloudFolder: device.cloudFolder)
            defer { copy.dismantle() }
            try FileManager.default.removeItem(atPath: copy.store)
            try FileManager.default.copyItem(atPath: device.store, toPath: copy.store)
            // In the copy another file has the inode number in the row of the missing one.
            try FileManager.default.removeItem(atPath: copy.store + "/local/.gone")
            try Data("stranger".utf8).write(to: URL(fileURLWithPath: copy.store + "/local/.stranger"))
            var status = stat()
            try #require(lstat(copy.store + "/local/.stranger", &status) == 0)
            let catalog = try Catalog(path: copy.store + "/catalog.sqlite")
            try catalog.write { transaction in
                var row = gone
                row.evidence = FileEvidence(inode: UInt64(status.st_ino), birth: 1)
                try transaction.update(row)
            }
            try catalog.close()
            try copy.open()
            #expect(try copy.names(in: .local) == [".kept", ".stranger"])
            #expect(try copy.entry(".kept", in: .local).id == kept.id)
            #expect(try await copy.text(".kept", in: .local) == "kept")
            #expect(try copy.entry(".stranger", in: .local).id != gone.id)
            #expect(try await copy.text(".stranger", in: .local) == "stranger")
            // From now on it is treated as any other store.
            try Self.crash(copy, afterMoving: [("local/.kept", "local/.kept2")])
            #expect(try copy.names(in: .local) == [".kept", ".stranger"])
            #expect(try copy.entry(".kept", in: .local).id == kept.id)
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a document that was made just before a crash is there under both names, though its row was not written`(
        folder: InodeNumber
    ) async throws {
        try await withDevice { device in
            try device.close()
            try device.open(defersCommits: true)
            try device.create("Groceries.txt", "milk", in: folder)
            try device.create("draft.tmp", "draft", in: folder)
            let filename = try device.entry("Groceries.txt", in: folder).filename
            try device.crash()
            try device.open()
            let found = try device.entry("Groceries.txt", in: folder)
            #expect(found.filename == filename)
            #expect(found.hasGeneratedFilename)
            #expect(try device.entry("draft.tmp", in: folder).kind == .scratch)
            #expect(try await device.text("Groceries.txt", in: folder) == "milk")
            #expect(try device.names(in: folder) == ["Groceries.txt", "draft.tmp"])
            try await device.push()
            #expect(try await device.commits.count == (folder == .cloud ? 1 : 0))
        }
    }

    /// The id is on no file, so only the row can tell it.
    @Test func `an id that was read survives a crash, though the row had been waiting`() async throws {
        try await withDevice { device in
            try device.close()
            try device.open(defersCommits: true)
            try device.create("Groceries.txt", "milk", in: .local)
            let id = try device.attribute("user.document.id", "Groceries.txt", in: .local)
            try device.crash()
            try device.open()
            #expect(try device.attribute("user.document.id", "Groceries.txt", in: .local) == id)
        }
    }

    /// A mode with which docfs could not open the file is not set on the file.
    @Test(arguments: [
        (InodeNumber.local, UInt16(0o751), false), (.local, 0o400, true), (.cloud, 0o751, false), (.cloud, 0o400, true),
    ])
    func `a file that was made just before a crash has the attributes that it was given`(
        folder: InodeNumber, mode: UInt16, isCommitted: Bool
    ) async throws {
        try await withDevice { device in
            try device.close()
            try device.open(defersCommits: true)
            // The first file reserves inode numbers.
            try device.create("first.tmp", "", in: folder)
            // As tar does.
            let time = Timestamp(seconds: 1_000_000_000, nanoseconds: 7)
            let inode = try device.create("Plan.txt", "text of it", in: folder)
            try device.change(inode) { $0.modified = .at(time) }
            try device.change(inode) { $0.owner = geteuid() }
            try device.change(inode) { $0.mode = mode }
            let id = try device.entry("Plan.txt", in: folder).id
            try device.crash()
            try device.open()
            // No file carries an id.
            #expect(try (device.entry("Plan.txt", in: folder).id == id) == isCommitted)
            let attributes = try device.library.attributes(of: .entry(device.inode("Plan.txt", in: folder)))
            #expect(attributes.mode == mode)
            #expect(attributes.modified == time)
            #expect(try await device.text("Plan.txt", in: folder) == "text of it")
        }
    }

    /// The row has another mode than the file that replaced the document's file.
    @Test func `a mode that a saved document is given right after it has been saved is committed`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.close()
            try device.open(defersCommits: true)
            try Self.saveByRenaming("Plan.txt", "new plan", on: device)
            try device.change(device.inode("Plan.txt", in: .local)) { $0.mode = 0o600 }
            try device.crash()
            try device.open()
            #expect(try device.entry("Plan.txt", in: .local).mode == 0o600)
            #expect(try await device.text("Plan.txt", in: .local) == "new plan")
        }
    }

    @Test func `a document that was removed just before a crash does not come back`() async throws {
        try await withDevice { device in
            try device.create("Groceries.txt", "milk", in: .local)
            try device.create("draft.tmp", "draft", in: .local)
            try device.create("Kept.txt", "kept", in: .local)
            try device.close()
            try device.open(defersCommits: true)
            try device.remove("Groceries.txt", in: .local)
            try device.remove("draft.tmp", in: .local)
            try device.crash()
            try device.open()
            #expect(try device.names(in: .local) == ["Kept.txt"])
        }
    }

    /// A loss of power may leave the file's new name on the disk, and not the commit before it.
    @Test func `a removal from the cloud of which only the file's new place is left did not happen`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .cloud)
            try await device.push()
            let known = try await Known("Plan.txt", in: .cloud, of: device)
            let inode = try device.inode("Plan.txt", in: .cloud)
            try Self.crash(device, afterMoving: [("cloud/" + known.filename, "trash/\(inode.number)")])
            #expect(try await Known("Plan.txt", in: .cloud, of: device) == known)
            #expect(try device.pendingCount == 0)
            #expect(try device.library.reportText(.trash).isEmpty)
        }
    }

    @Test func `another file in the trash under the number of a document that the container has is one by itself`()
        async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .cloud)
            try await device.push()
            let entry = try device.entry("Plan.txt", in: .cloud)
            try device.crash()
            let other = device.store + "/trash/\(entry.inode.number)"
            try Data("other".utf8).write(to: URL(fileURLWithPath: other))
            unlink(device.store + "/cloud/" + entry.filename)
            try device.open()
            let found = try device.entry("Plan.txt", in: .cloud)
            #expect(found.id == entry.id && !found.isHere)
            #expect(try device.pendingCount == 0)
            #expect(try device.library.reportText(.trash).split(separator: "\n").count == 1)
        }
    }

    @Test func `a document whose removal with its folder was not committed is back with an edit that was not sent`()
        async throws
    {
        try await withDevice { device in
            let folder = try device.makeFolder("Work", in: .cloud)
            try device.create("Plan.txt", "plan", in: folder)
            try await device.push()
            try await device.save("Plan.txt", "plan, edited", in: folder)
            let entry = try device.entry("Plan.txt", in: folder)
            let place = try "cloud/" + device.entry("Work", in: .cloud).filename
            try device.crash()
            // The file carries the name that a renaming gave it, which was not committed either.
            try Self.setName("Letter", ofFile: place + "/" + entry.filename, of: device)
            try Self.move(
                device.store + "/" + place + "/" + entry.filename, to: device.store + "/trash/\(entry.inode.number)")
            rmdir(device.store + "/" + place)
            try device.open()
            #expect(try device.names(in: folder) == ["Plan.txt"])
            #expect(try await device.text("Plan.txt", in: folder) == "plan, edited")
            #expect(try device.entry("Plan.txt", in: folder).pending == [.content])
            #expect(try device.library.reportText(.trash).isEmpty)
        }
    }

    @Test func `a document that was renamed over one whose file is gone is deleted without an heir`() async throws {
        try await withDevice { device in
            try device.create("Old.txt", "old", in: .cloud)
            try await device.push()
            try device.create("New.txt", "new", in: .cloud)
            try device.rename("Old.txt", to: "New.txt")
            let file = device.store + "/cloud/" + (try device.entry("New.txt", in: .cloud).filename)
            try device.crash()
            #expect(unlink(file) == 0)
            try device.open()
            try await device.pull()
            try await device.work()
            #expect(try device.names(in: .cloud) == [])
            #expect(try device.pendingCount == 0)
        }
    }

    @Test func `a document whose edit is lost with its file tells of the content that the cloud has`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .cloud)
            try await device.push()
            let committed = try device.entry("Plan.txt")
            try await device.save("Plan.txt", "plan, edited")
            #expect(try device.entry("Plan.txt").pending == .content)
            let file = try device.backingPath("Plan.txt")
            try device.crash()
            #expect(unlink(file) == 0)
            try device.open()
            let placeholder = try device.entry("Plan.txt")
            #expect(!placeholder.isHere)
            #expect(placeholder.size == committed.size)
            #expect(placeholder.modified == committed.modified)
            #expect(try await device.text("Plan.txt") == "plan")
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a content that an undo was about to give back is still in the trash, and nowhere else`(folder: InodeNumber)
        async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: folder)
            try device.create(".docfs-restore-1.tmp", "former", in: folder)
            try device.rename(".docfs-restore-1.tmp", in: folder, to: "Plan.txt")
            let kept = try #require(try FileManager.default.contentsOfDirectory(atPath: device.store + "/trash").first)
            let place = folder == .local ? "/local/" : "/cloud/"
            try device.crash()
            #expect(link(device.store + "/trash/" + kept, device.store + place + ".docfs-restore-2.tmp") == 0)
            try device.open()
            #expect(try device.names(in: folder) == ["Plan.txt"])
            #expect(try await device.text("Plan.txt", in: folder) == "former")
            try device.library.perform(.undo)
            #expect(try await device.text("Plan.txt", in: folder) == "plan")
            try device.library.perform(.redo)
            #expect(try await device.text("Plan.txt", in: folder) == "former")
        }
    }

    @Test func `what the trash had given back, and a kill left there as well, is no second document`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            let file = device.store + "/local/" + (try device.entry("Plan.txt", in: .local).filename)
            try device.crash()
            #expect(link(file, device.store + "/trash/4711") == 0)
            try device.open()
            #expect(try device.library.reportText(.trash).isEmpty)
            #expect(access(device.store + "/trash/4711", F_OK) == -1)
            #expect(try await device.text("Plan.txt", in: .local) == "plan")
        }
    }

    /// No file carries an automatic name.
    @Test func `a document without a name of its own is committed at once`() async throws {
        try await withDevice { device in
            try device.close()
            try device.open(defersCommits: true)
            try device.create("Untitled.txt", "", in: .local)
            let id = try device.entry("Untitled.txt", in: .local).id
            try device.crash()
            try device.open()
            #expect(try device.entry("Untitled.txt", in: .local).id == id)
        }
    }

    /// Saves as programs do that write a new file first.
    private static func saveByRenaming(_ name: String, _ text: String, on device: TestDevice) throws {
        try device.create(".goutputstream-1", text, in: .local)
        try device.rename(".goutputstream-1", in: .local, to: name)
    }

    @Test func `a save by renaming just before a crash is the document's, though its row was not written`() async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.library.setExtendedAttribute(
                "user.colour", to: Array("red".utf8), of: .entry(device.inode("Plan.txt", in: .local)), .either)
            let known = try await Known("Plan.txt", in: .local, of: device)
            try device.close()
            try device.open(defersCommits: true)
            for round in 1...3 { try Self.saveByRenaming("Plan.txt", "plan \(round)", on: device) }
            #expect(try await device.text("Plan.txt", in: .local) == "plan 3")
            let saved = try device.inode("Plan.txt", in: .local)
            try device.crash()
            try device.open()
            // The row of the new file is gone.
            #expect(try device.inode("Plan.txt", in: .local) != saved)
            #expect(try device.names(in: .local) == ["Plan.txt"])
            let found = try await Known("Plan.txt", in: .local, of: device)
            #expect(found.text == "plan 3")
            #expect((found.id, found.filename, found.name) == (known.id, known.filename, known.name))
            let node = Node.entry(try device.inode("Plan.txt", in: .local))
            #expect(try device.library.extendedAttribute("user.colour", of: node) == Array("red".utf8))
        }
    }

    /// The file cannot tell all that the row would.
    @Test(arguments: [InodeNumber.local, .cloud])
    func `a save by renaming that only the row tells completely is committed at once`(folder: InodeNumber) async throws
    {
        try await withDevice { device in
            // The document's mode differs from that of the new file, or the container must be told.
            let inode = try device.create("Plan.txt", "plan", in: folder)
            if folder == .local { try device.change(inode) { $0.mode = 0o600 } }
            try device.close()
            try device.open(defersCommits: true)
            try device.create(".goutputstream-1", "new plan", in: folder)
            try device.rename(".goutputstream-1", in: folder, to: "Plan.txt")
            let saved = try device.entry("Plan.txt", in: folder)
            try device.crash()
            try device.open()
            let found = try device.entry("Plan.txt", in: folder)
            #expect(found.inode == saved.inode)
            #expect(found.mode == 0o644)
            #expect(found.pending == saved.pending)
        }
    }

    /// Otherwise the file of a save may get the inode number that the row of another document has.
    @Test func `of many saves by renaming each document has its own content, wherever the process died`() async throws {
        try await withDevice { device in
            let names = (1...8).map { ".plan \($0)" }
            for name in names { try device.create(name, "old", in: .local) }
            for saves in 1...names.count {
                try device.close()
                try device.open(defersCommits: true)
                for name in names.prefix(saves) {
                    let replaced = try device.inode(name, in: .local)
                    try Self.saveByRenaming(name, "\(name), saved \(saves)", on: device)
                    // No process holds the replaced files.
                    device.library.forget(replaced)
                }
                try device.create("unfinished.tmp", "half", in: .local)
                try device.crash()
                try device.open()
                for (number, name) in names.enumerated() {
                    let expected = number < saves ? "\(name), saved \(saves)" : "old"
                    #expect(try await device.text(name, in: .local) == expected)
                }
                #expect(try await device.text("unfinished.tmp", in: .local) == "half")
                try device.remove("unfinished.tmp", in: .local)
                #expect(try device.names(in: .local) == names)
            }
        }
    }

    /// After a power failure the catalog may be older than the files by more than a moment.
    @Test func `of many saves by renaming each document has its own content, however old the catalog is`() async throws
    {
        try await withDevice { device in
            let names = (1...8).map { ".plan \($0)" }
            for name in names { try device.create(name, "old", in: .local) }
            let ids = try names.map { try device.entry($0, in: .local).id }
            let catalog = try Self.catalogFiles(of: device)
            for name in names {
                let replaced = try device.inode(name, in: .local)
                try Self.saveByRenaming(name, name + ", saved", on: device)
                device.library.forget(replaced)
            }
            try device.create("unfinished.tmp", "half", in: .local)
            try device.crash()
            for (path, content) in catalog { try content.write(to: path) }
            try device.open()
            for (name, id) in zip(names, ids) {
                #expect(try await device.text(name, in: .local) == name + ", saved")
                #expect(try device.entry(name, in: .local).id == id)
            }
            #expect(try await device.text("unfinished.tmp", in: .local) == "half")
            #expect(try device.names(in: .local) == names + ["unfinished.tmp"])
        }
    }

    private static func catalogFiles(of device: TestDevice) throws -> [(path: URL, content: Data)] {
        try ["", "-wal"].map { suffix in
            let path = URL(fileURLWithPath: device.store + "/catalog.sqlite" + suffix)
            return (path, try Data(contentsOf: path))
        }
    }

    @Test
    func
        `an open by a lookup from just before a save by renaming opens the old content, and leaves no trace`()
        async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            let replaced = try device.inode("Plan.txt", in: .local)
            try Self.saveByRenaming("Plan.txt", "new plan", on: device)
            let number = try device.opened(try device.library.open(replaced, flags: O_RDONLY))
            #expect(try device.library.handle(number).descriptor.readPrefix(100) == Array("plan".utf8))
            device.library.close(number)
            device.library.forget(replaced)
            #expect(throws: Refusal.staleInode) { try device.library.open(replaced, flags: O_RDONLY) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/staging").isEmpty)
        }
    }

    @Test(arguments: ["Plan 2.txt", "Plan.txt~", "Inner/Plan.txt"])
    func `a document that was saved and moved just before a crash keeps its identity and content`(newName: String)
        async throws
    {
        try await withDevice { device in
            let inner = try device.makeFolder("Inner", in: .local)
            try device.create("Plan.txt", "plan", in: .local)
            let id = try device.entry("Plan.txt", in: .local).id
            try device.close()
            try device.open(defersCommits: true)
            try Self.saveByRenaming("Plan.txt", "new plan", on: device)
            let saved = try device.entry("Plan.txt", in: .local)
            // The process dies after the file was moved and before the row was written: the store is put back to that state.
            let path = device.store + "/catalog.sqlite"
            let folder = newName.hasPrefix("Inner/") ? inner : .local
            let name = newName.split(separator: "/").last.map(String.init) ?? newName
            let log = try Self.committedLog(of: device) {
                try device.rename("Plan.txt", in: .local, to: name, in: folder)
            }
            try device.crash()
            try log.write(to: URL(fileURLWithPath: path + "-wal"))
            try device.open()
            // A display name is written on the file first, so the file is newer than its row.
            let found = newName == "Plan 2.txt" ? newName : "Plan.txt"
            #expect(try device.entry(found, in: .local).id == id)
            #expect(try device.inode(found, in: .local) == saved.inode)
            #expect(try await device.text(found, in: .local) == "new plan")
        }
    }

    /// The catalog's log after the commit of the waiting rows and before the commit of the rows that `body` wrote.
    private static func committedLog(of device: TestDevice, _ body: () throws -> Void) throws -> Data {
        let path = URL(fileURLWithPath: device.store + "/catalog.sqlite-wal")
        let before = try Data(contentsOf: path)
        try body()
        let after = try Data(contentsOf: path)
        // Two commits were added. A log has a header of 32 bytes, and a header of 24 bytes for each page; the header of the last page of a
        // commit has the size of the database.
        var end = max(before.count, 32)
        while end + 4120 <= after.count {
            let size = after[end + 4..<end + 8]
            end += 4120
            if size.contains(where: { $0 != 0 }) { break }
        }
        #expect(end < after.count)
        return after.prefix(end)
    }

    /// A file that was made right after a save may have the inode number of the file that the save replaced.
    @Test func `a file that was moved aside in the store is a new document if another file is at its path`()
        async throws
    {
        try await withDevice { device in
            try device.create(".plan", "plan", in: .local)
            let known = try device.entry(".plan", in: .local)
            try device.crash()
            try Self.move(device.store + "/local/.plan", to: device.store + "/local/.stranger")
            try Data("new plan".utf8).write(to: URL(fileURLWithPath: device.store + "/local/.plan"))
            try device.open()
            #expect(try device.entry(".plan", in: .local).id == known.id)
            #expect(try await device.text(".plan", in: .local) == "new plan")
            #expect(try device.entry(".stranger", in: .local).id != known.id)
            #expect(try await device.text(".stranger", in: .local) == "plan")
        }
    }
}
