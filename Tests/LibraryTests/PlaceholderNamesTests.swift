import Backing
import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import SystemPackage
import TestSupport
import Testing

/// Placeholders that get names with a meaning: those of scratch files, of backups, and places in a file manager's trash.
@Suite(.timeLimit(.minutes(15)))
struct PlaceholderNamesTests {
    /// Where a placeholder goes when it becomes scratch.
    enum Scratch: CaseIterable, Sendable {
        case endsInTilde, endsInTmp, part, trash, localTrash, inFolder
    }

    /// Renames the phone's placeholder `Plan.txt`.
    ///
    /// - Returns: the name and folder that it has then.
    private static func rename(
        _ scratch: Scratch, on phone: TestDevice
    ) throws -> (name: String, folder: InodeNumber) {
        switch scratch {
        case .endsInTilde:
            try phone.rename("Plan.txt", to: "Plan.txt~")
            return ("Plan.txt~", .cloud)
        case .endsInTmp:
            try phone.rename("Plan.txt", to: "Other.tmp")
            return ("Other.tmp", .cloud)
        case .part:
            try phone.rename("Plan.txt", in: .cloud, to: "Plan.part", in: .local)
            return ("Plan.part", .local)
        case .trash, .localTrash:
            let container: InodeNumber = scratch == .trash ? .cloud : .local
            let trash = try phone.makeFolder(".Trash-0", in: container)
            let files = try phone.makeFolder("files", in: trash)
            try phone.move("Plan.txt", from: .cloud, to: files)
            return ("Plan.txt", files)
        case .inFolder:
            let folder = try phone.makeFolder("F")
            try phone.move("Plan.txt", from: .cloud, to: folder)
            let trash = try phone.makeFolder(".Trash-0", in: .local)
            try phone.move("F", from: .cloud, to: trash)
            return ("Plan.txt", try phone.inode("F", in: trash))
        }
    }

    private static func expectGone(from laptop: TestDevice, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        try await laptop.pull()
        #expect(try laptop.names() == [], sourceLocation: sourceLocation)
    }

    @Test(arguments: Scratch.allCases)
    func `a placeholder that becomes scratch is fetched before its cloud copy is withdrawn`(_ scratch: Scratch)
        async throws
    {
        try await withPlanElsewhere { laptop, phone in
            phone.cloud.hold()
            let (name, folder) = try Self.rename(scratch, on: phone)
            #expect(try phone.entry(name, in: folder).size == 13)
            #expect(!phone.exists("Plan.txt"))
            try await phone.work()
            await phone.cloud.waitUntilHolding()
            try await laptop.pull()
            if scratch != .inFolder { #expect(try laptop.names() == ["Plan.txt"]) }
            phone.cloud.release()
            try await phone.push()
            #expect(try phone.hasFile(name, in: folder))
            #expect(try await phone.text(name, in: folder) == "first version")
            #expect(try phone.entry(name, in: folder).kind == .scratch)
            try await Self.expectGone(from: laptop)
            #expect(try phone.library.store.catalog.read { try $0.replicaEntriesNotShown() }.isEmpty)
        }
    }

    @Test(arguments: Scratch.allCases)
    func `an open waits for the content of a placeholder that became scratch, after another mount as well`(
        _ scratch: Scratch
    ) async throws {
        try await withPlanElsewhere { laptop, phone in
            let (name, folder) = try Self.rename(scratch, on: phone)
            try phone.crash()
            try phone.open()
            #expect(try await phone.text(name, in: folder) == "first version")
            try await phone.push()
            try await Self.expectGone(from: laptop)
        }
    }

    @Test(arguments: Scratch.allCases)
    func `offline a placeholder does not become scratch`(_ scratch: Scratch) async throws {
        try await withPlanElsewhere { laptop, phone in
            _ = phone.connection.set(.offline("the line is cut"))
            #expect(throws: Refusal.rename(.migration(.notHere))) { try Self.rename(scratch, on: phone) }
            _ = phone.connection.set(.online)
            try await phone.push()
            try await laptop.pull()
            let folder: InodeNumber = scratch == .inFolder ? try phone.inode("F") : .cloud
            #expect(try await phone.text("Plan.txt", in: folder) == "first version")
            #expect(try laptop.exists("Plan.txt", in: scratch == .inFolder ? laptop.inode("F") : .cloud))
        }
    }

    @Test(arguments: Scratch.allCases)
    func `a scratch file that is removed before its content came is gone everywhere`(_ scratch: Scratch) async throws {
        try await withPlanElsewhere { laptop, phone in
            let (name, folder) = try Self.rename(scratch, on: phone)
            try phone.remove(name, in: folder)
            try await phone.push()
            try await Self.expectGone(from: laptop)
        }
    }

    @Test(arguments: [O_WRONLY | O_TRUNC, O_RDWR])
    func `a scratch file whose content has not come can be written`(flags: Int32) async throws {
        try await withPlanElsewhere { laptop, phone in
            try phone.rename("Plan.txt", to: "Plan.tmp")
            let number = try await phone.open("Plan.tmp", flags)
            try phone.write("FIRST", to: number)
            phone.library.close(number)
            try await phone.push()
            #expect(try await phone.text("Plan.tmp") == (flags == O_RDWR ? "FIRST version" : "FIRST"))
            try await Self.expectGone(from: laptop)
        }
    }

    @Test func `a version that another device saves meanwhile stays a document`() async throws {
        try await withPlanElsewhere { laptop, phone in
            try phone.rename("Plan.txt", to: "Plan.tmp")
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            #expect(try await phone.text("Plan.tmp") == "first version")
            for device in [laptop, phone] { #expect(try await device.text("Plan.txt") == "second version") }
        }
    }

    @Test(arguments: [Int64(0), 20])
    func `a placeholder that was scratch for a moment is a document with its content`(seconds: Int64) async throws {
        try await withPlanElsewhere { laptop, phone in
            let id = try phone.entry("Plan.txt").id
            try phone.rename("Plan.txt", to: "Plan.tmp")
            phone.advance(seconds: seconds)
            try phone.rename("Plan.tmp", to: "Plan.txt")
            if seconds == 0 { #expect(try phone.entry("Plan.txt").id == id) }
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Plan.txt"])
                #expect(try await device.text("Plan.txt") == "first version")
            }
        }
    }

    @Test func `a document in conflict becomes scratch only as the backup of a save`() async throws {
        try await withConflictOnTwoDevices { _, phone in
            #expect(throws: Refusal.rename(.migration(.inConflict))) { try phone.rename("F.txt", to: "F.tmp") }
            try phone.rename("F.txt", to: "F.txt~")
            try phone.create("F.txt", "new")
            #expect(try phone.entry("F.txt").conflicts == 1)
        }
    }

    // MARK: Backups

    @Test(arguments: Moment.allCases, ["Plan.txt.1", "Plan.bak"])
    func `a placeholder that became a backup keeps its content when the document is made anew`(
        _ moment: Moment, backup: String
    ) async throws {
        try await withPlanElsewhere { laptop, phone in
            let id = try phone.entry("Plan.txt").id
            try phone.rename("Plan.txt", to: backup)
            try await phone.reach(moment)
            try phone.create("Plan.txt", "new")
            #expect(try phone.entry("Plan.txt").id == id)
            #expect(try phone.entry(backup).size == 13)
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Plan.txt", backup].sorted())
                #expect(try device.entry("Plan.txt").id == id)
                #expect(try device.entry("Plan.txt").conflicts == 0)
                #expect(try await device.text("Plan.txt") == "new")
                #expect(try await device.text(backup) == "first version")
            }
        }
    }

    @Test func `so does one offline, and after a crash`() async throws {
        try await withPlanElsewhere { laptop, phone in
            _ = phone.connection.set(.offline("the line is cut"))
            try phone.rename("Plan.txt", to: "Plan.txt.1")
            try phone.create("Plan.txt", "new")
            try phone.crash()
            try phone.open()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("Plan.txt") == "new")
                #expect(try await device.text("Plan.txt.1") == "first version")
            }
        }
    }

    @Test func `an outdated document becomes a backup with its newest content`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            try phone.rename("Plan.txt", to: "Plan.bak")
            try phone.create("Plan.txt", "new")
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("Plan.txt") == "new")
                #expect(try await device.text("Plan.bak") == "second version")
                #expect(try device.entry("Plan.txt").conflicts == 0)
            }
        }
    }

    @Test func `a document on its way out of the cloud becomes a backup with its content`() async throws {
        try await withPlanElsewhere { laptop, phone in
            try phone.move("Plan.txt", from: .cloud, to: .local)
            try phone.rename("Plan.txt", in: .local, to: "Plan.bak")
            try phone.create("Plan.txt", "new", in: .local)
            try await phone.push()
            #expect(try await phone.text("Plan.bak", in: .local) == "first version")
            #expect(try await phone.text("Plan.txt", in: .local) == "new")
            try await Self.expectGone(from: laptop)
            #expect(try phone.names() == [])
        }
    }

    @Test(arguments: [false, true])
    func `a document that was removed on its way out of the cloud comes back`(_ isDeletionSent: Bool) async throws {
        try await withPlanElsewhere { laptop, phone in
            try phone.move("Plan.txt", from: .cloud, to: .local)
            try phone.remove("Plan.txt", in: .local)
            if isDeletionSent {
                try await phone.push()
                try await Self.expectGone(from: laptop)
            }
            try phone.library.perform(.undo)
            try await phone.push()
            #expect(try await phone.text("Plan.txt", in: .local) == "first version")
            try await Self.expectGone(from: laptop)
            #expect(try phone.names() == [])
        }
    }

    @Test(arguments: [false, true])
    func `a new document has the name of one that is on its way out of the cloud`(_ isRemoved: Bool) async throws {
        try await withPlanElsewhere { laptop, phone in
            if isRemoved {
                try phone.remove("Plan.txt")
            } else {
                try phone.move("Plan.txt", from: .cloud, to: .local)
            }
            phone.advance(seconds: 20)
            try phone.create("Plan.txt", "new")
            try await phone.push()
            #expect(try phone.names() == ["Plan.txt"])
            try await laptop.pull()
            #expect(try laptop.names() == ["Plan.txt"])
            #expect(try await laptop.text("Plan.txt") == "new")
        }
    }

    @Test(arguments: [false, true])
    func `a document whose content does not come does not keep its name for ever`(_ isScratch: Bool) async throws {
        try await withPlanElsewhere { laptop, phone in
            phone.cloud.release(failing: .unreachable("the content does not come"))
            if isScratch {
                try phone.rename("Plan.txt", to: "Plan.tmp")
            } else {
                try phone.move("Plan.txt", from: .cloud, to: .local)
            }
            phone.advance(seconds: 20)
            try phone.create("Plan.txt", "new")
            func send() async throws -> Int {
                try await phone.upload()
                _ = try await phone.synchronizer.sender.sendPending()
                try await laptop.pull()
                return try laptop.names().count
            }
            #expect(try await send() == 1)
            // Time in which no commit could be made does not count: the content had none to come in.
            phone.advance(seconds: 700)
            for _ in 1...10 {
                #expect(try await send() == 1)
                phone.advance(seconds: 60)
            }
            #expect(try await send() == 2)
        }
    }

    @Test func `a new document has the name of one that was renamed over another`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["A.txt", "B.txt"] { try laptop.create(name, name) }
            try await laptop.push()
            try await phone.pull()
            try phone.rename("A.txt", to: "B.txt")
            phone.advance(seconds: 20)
            try phone.create("A.txt", "new")
            // The new content is ready when the other one is withdrawn.
            try await phone.upload()
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names().sorted() == ["A.txt", "B.txt"])
            #expect(try await laptop.text("A.txt") == "new")
            #expect(try await laptop.text("B.txt") == "A.txt")
        }
    }

    @Test func `a new document does not get the name of one that another device's edit brings back`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "old")
            try await laptop.push()
            try await phone.pull()
            try phone.remove("Plan.txt")
            phone.advance(seconds: 20)
            try phone.create("Plan.txt", "new")
            try await phone.upload()
            try await laptop.save("Plan.txt", "edited")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Plan (phone).txt", "Plan.txt"])
                #expect(try await device.text("Plan.txt") == "edited")
                #expect(try await device.text("Plan (phone).txt") == "new")
            }
        }
    }

    /// The other version of the document stays in the cloud under that name.
    @Test func `a new document does not get the name of one in conflict that became a backup`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "first version")
            try await laptop.push()
            try await phone.pull()
            try await laptop.save("Plan.txt", "of the laptop")
            try await phone.save("Plan.txt", "of the phone")
            try await laptop.push()
            try await phone.push()
            #expect(try phone.entry("Plan.txt").conflicts == 1)
            try phone.rename("Plan.txt", to: "Plan.txt~")
            phone.advance(seconds: 20)
            try phone.create("Plan.txt", "new")
            // The new content is ready when the other one is withdrawn.
            try await phone.upload()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names().filter { !$0.hasSuffix("~") } == ["Plan (phone).txt", "Plan.txt"])
                #expect(try await device.text("Plan.txt") == "of the laptop")
                #expect(try await device.text("Plan (phone).txt") == "new")
            }
        }
    }

    /// It is deleted although its deletion does not know of the version that was discarded.
    @Test func `a new document has the name of one in conflict that was resolved and removed`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            _ = try await phone.text("F.txt")
            try phone.library.removeFolder(Array("F.txt.conflicts".utf8), in: .cloud)
            phone.advance(seconds: 100)
            try phone.remove("F.txt")
            phone.advance(seconds: 20)
            try phone.create("F.txt", "new")
            try await phone.upload()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["F.txt", "G.txt"])
                #expect(try await device.text("F.txt") == "new")
            }
        }
    }

    @Test func `a deletion is sent although its heir left the cloud and was deleted there`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["A.txt", "B.txt"] { try phone.create(name, name) }
            try await phone.push()
            try await laptop.pull()
            try phone.rename("A.txt", to: "B.txt")
            try phone.move("B.txt", from: .cloud, to: .local)
            try laptop.remove("B.txt")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == [])
            #expect(try await phone.text("B.txt", in: .local) == "A.txt")
        }
    }

    @Test func `an edit elsewhere of a document whose removal was undone here stays a document beside it`() async throws
    {
        try await withPlanElsewhere { laptop, phone in
            try phone.move("Plan.txt", from: .cloud, to: .local)
            try phone.remove("Plan.txt", in: .local)
            try await phone.push()
            try phone.library.perform(.undo)
            try await laptop.save("Plan.txt", "edited")
            try await laptop.push()
            try await phone.push()
            #expect(try await phone.text("Plan.txt", in: .local) == "first version")
            #expect(try phone.names() == ["Plan.txt"])
            #expect(try await phone.text("Plan.txt") == "edited")
        }
    }
}
