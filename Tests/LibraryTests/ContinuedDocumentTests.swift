import Backing
import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
@testable import Library
@testable import Replica
import Replication
import TestSupport
import Testing

/// A file takes back the identity of a document that was removed or became a backup a moment ago, at each moment of the way to the cloud.
@Suite(.timeLimit(.minutes(15)))
struct ContinuedDocumentTests {
    /// How programs make the new file.
    enum NewFile: CaseIterable, Sendable {
        /// `echo new >F`
        case created
        /// A scratch file that is renamed to F.
        case renamedScratch
        /// A document that is renamed to F.
        case renamedDocument
    }

    /// - Parameter prepared: whether the file that is renamed was made already.
    private static func make(
        _ file: NewFile, _ name: String, in folder: InodeNumber = .cloud, on device: TestDevice
    ) throws {
        switch file {
        case .created: try device.create(name, "new", in: folder)
        case .renamedScratch:
            try device.create("save.tmp", "new", in: folder)
            try device.rename("save.tmp", in: folder, to: name)
        case .renamedDocument:
            try device.create("save.new", "new", in: folder)
            try device.rename("save.new", in: folder, to: name)
        }
    }

    /// What the check compares: rows with files, and the tree with the replica.
    private static func expectWhole(_ device: TestDevice, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let unshown = try device.library.store.catalog.read { try $0.replicaEntriesNotShown() }
        #expect(unshown.isEmpty, sourceLocation: sourceLocation)
        let unknown = try device.library.store.catalog.read { try $0.entriesUnknownToContainer() }
        #expect(unknown.map(\.filename) == [], sourceLocation: sourceLocation)
    }

    // MARK: Removed, and made anew

    @Test(arguments: Moment.allCases, NewFile.allCases)
    func `a first content that went out while the document was removed and made anew is no conflict`(
        moment: Moment, file: NewFile
    ) async throws {
        for hearsOfIt in [false, true] {
            try await withTwoDevices { laptop, phone in
                try laptop.create("F.txt", "old")
                let id = try laptop.entry("F.txt").id
                try await laptop.reach(moment)
                try laptop.remove("F.txt")
                if hearsOfIt { try await laptop.pull() }
                try Self.make(file, "F.txt", on: laptop)
                try await laptop.push()
                try await phone.pull()
                for device in [laptop, phone] {
                    let entry = try device.entry("F.txt")
                    #expect(entry.id == id && entry.conflicts == 0, "\(device.name), \(hearsOfIt)")
                    #expect(try await device.text("F.txt") == "new")
                    #expect(try device.names() == ["F.txt"])
                }
                try Self.expectWhole(laptop)
            }
        }
    }

    // MARK: A backup, and the document anew

    struct Backup: Sendable, CustomTestStringConvertible {
        let moment: Moment
        let file: NewFile
        let isFresh: Bool
        let isKept: Bool

        static let all: [Backup] = Moment.allCases.flatMap { moment in
            NewFile.allCases.flatMap { file in
                [true, false].flatMap { isFresh in
                    [true, false].map { Backup(moment: moment, file: file, isFresh: isFresh, isKept: $0) }
                }
            }
        }

        var testDescription: String {
            "\(moment), \(file)\(isFresh ? ", a fresh filename" : "")\(isKept ? ", the backup stays" : "")"
        }
    }

    @Test(arguments: Backup.all, ["F.txt.old", "F.bak"])
    func `a document that became a backup and was made anew is the same one on all devices`(
        _ backup: Backup, name: String
    ) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("F.txt", "old")
            let id = try #require(try laptop.entry("F.txt").id)
            try await laptop.push()
            try await phone.pull()
            if !backup.isFresh { laptop.advance(seconds: 20) }
            try laptop.rename("F.txt", to: name)
            try await laptop.reach(backup.moment)
            try Self.make(backup.file, "F.txt", on: laptop)
            let former = try laptop.entry(name)
            #expect(former.currentVersion == nil && former.contentVersion == nil && former.id != id)
            if !backup.isKept { try laptop.remove(name) }
            try await laptop.push()
            try await phone.pull()
            let expected = backup.isKept ? ["F.txt", name].sorted() : ["F.txt"]
            for device in [laptop, phone] {
                #expect(try device.names() == expected)
                #expect(try device.entry("F.txt").id == id)
                #expect(try device.entry("F.txt").conflicts == 0)
                #expect(try await device.text("F.txt") == "new")
                if backup.isKept { #expect(try await device.text(name) == "old") }
                try Self.expectWhole(device)
            }
            #expect(try laptop.entry("F.txt").filename == phone.entry("F.txt").filename)
        }
    }

    /// Programs that go by the filename, which `ls` and the patterns of a shell give. The second is how JetBrains saves.
    @Test(arguments: Moment.allCases, [".bak", "___jb_old___"])
    func `a document that became a backup by its filename is the same one on all devices`(
        moment: Moment, ending: String
    ) async throws {
        for (file, isFresh) in NewFile.allCases.flatMap({ [($0, true), ($0, false)] }) {
            try await withTwoDevices { laptop, phone in
                try laptop.create("F.txt", "old")
                let before = try laptop.entry("F.txt")
                try await laptop.push()
                try await phone.pull()
                if !isFresh { laptop.advance(seconds: 20) }
                let backup = before.filename + ending
                try laptop.rename(before.filename, to: backup)
                #expect(!laptop.exists(before.filename))
                try await laptop.reach(moment)
                try Self.make(file, before.filename, on: laptop)
                try await laptop.push()
                try await phone.pull()
                for device in [laptop, phone] {
                    let entry = try device.entry("F.txt")
                    #expect(entry.id == before.id && entry.filename == before.filename && entry.conflicts == 0)
                    #expect(entry.position == before.position)
                    #expect(try await device.text("F.txt") == "new", "\(device.name), \(file), \(isFresh)")
                    #expect(try await device.text(backup) == "old", "\(device.name), \(file), \(isFresh)")
                    #expect(try device.names().count == 2)
                    try Self.expectWhole(device)
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a backup by filename that is renamed back is the document as it was`(isFresh: Bool) async throws {
        try await withDevice { device in
            try device.create("F.txt", "old", in: .local)
            if !isFresh { device.advance(seconds: 20) }
            let before = try device.entry("F.txt", in: .local)
            try device.rename(before.filename, in: .local, to: before.filename + ".bak")
            try device.rename(before.filename + ".bak", in: .local, to: before.filename)
            let after = try device.entry("F.txt", in: .local)
            #expect(after.id == before.id && after.filename == before.filename && after.name == before.name)
            #expect(try device.names(in: .local) == ["F.txt"])
            #expect(try await device.text(before.filename, in: .local) == "old")
        }
    }

    @Test func `a name that another document has had since continues nothing`() async throws {
        try await withDevice { device in
            try device.create("F.txt", "old")
            let id = try device.entry("F.txt").id
            try device.create("G.txt", "other", in: .local)
            try device.remove("F.txt")
            try device.rename("G.txt", in: .local, to: "F.txt", in: .cloud)
            try device.rename("F.txt", to: "X.txt")
            try device.create("F.txt", "new")
            #expect(try device.entry("F.txt").id != id)
        }
    }

    @Test func `documents of one name in two folders are each made anew`() async throws {
        try await withDevice { device in
            let folders = [InodeNumber.local, try device.makeFolder("Trip", in: .local)]
            for folder in folders { try device.create("F.txt", in: folder) }
            let ids = try folders.map { try device.entry("F.txt", in: $0).id }
            for folder in folders { try device.remove("F.txt", in: folder) }
            for folder in folders { try device.create("F.txt", in: folder) }
            #expect(try folders.map { try device.entry("F.txt", in: $0).id } == ids)
        }
    }

    /// `git checkout` of another branch removes many files and makes them anew.
    @Test func `thousands of documents that are removed and made anew are the same ones`() async throws {
        try await withDevice { device in
            let names = (1...3000).map { "\($0).txt" }
            for name in names { try device.create(name, in: .local) }
            let ids = try names.map { try device.entry($0, in: .local).id }
            for name in names { try device.remove(name, in: .local) }
            for name in names { try device.create(name, in: .local) }
            #expect(try names.map { try device.entry($0, in: .local).id } == ids)
        }
    }

    /// The second `sed -i.bak`: the backup of the first is there.
    @Test(arguments: Moment.allCases)
    func `a document that replaces an older backup and is made anew is the same one`(_ moment: Moment) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("F.txt", "first")
            try laptop.create("F.txt.bak", "older")
            let (id, backup) = (try laptop.entry("F.txt").id, try laptop.entry("F.txt.bak").id)
            try await laptop.push()
            try await phone.pull()
            laptop.advance(seconds: 20)
            try laptop.rename("F.txt", to: "F.txt.bak")
            try await laptop.reach(moment)
            try laptop.create("F.txt", "new")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["F.txt", "F.txt.bak"])
                #expect(try device.entry("F.txt").id == id)
                #expect(try device.entry("F.txt.bak").id == backup)
                #expect(try await device.text("F.txt") == "new")
                #expect(try await device.text("F.txt.bak") == "first")
                try Self.expectWhole(device)
            }
        }
    }

    @Test(arguments: Moment.allCases)
    func `a file without content takes the place of a document that became a backup`(_ moment: Moment) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("F.txt", "old")
            try await laptop.push()
            try laptop.rename("F.txt", to: "F.bak")
            try await laptop.reach(moment)
            try laptop.create("F.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("F.txt") == "")
            #expect(try await phone.text("F.bak") == "old")
        }
    }

    @Test func `an edit that is sent between the rename and the new file is its base, not its rival`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("F.txt", "first")
            try await laptop.push()
            try await laptop.save("F.txt", "second")
            try laptop.rename("F.txt", to: "F.txt.old")
            try await laptop.push()
            try laptop.create("F.txt", "new")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.entry("F.txt").conflicts == 0)
                #expect(try await device.text("F.txt") == "new")
                #expect(try await device.text("F.txt.old") == "second")
            }
        }
    }

    @Test func `another device's change of the backup does not take the name of the document away`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("F.txt", "old")
            try await laptop.push()
            try laptop.rename("F.txt", to: "F.txt.old")
            try await laptop.push()
            try await phone.pull()
            try laptop.create("F.txt", "new")
            try phone.library.setExtendedAttribute(
                "user.colour", to: Array("green".utf8), of: .entry(phone.inode("F.txt.old")), .either)
            try await phone.push()
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["F.txt", "F.txt.old"])
                #expect(try await device.text("F.txt") == "new")
            }
        }
    }

    @Test(arguments: Moment.allCases) func `the mode of the new file travels`(_ moment: Moment) async throws {
        try await withTwoDevices { laptop, phone in
            let inode = try laptop.create("F.txt", "old")
            try laptop.change(inode) { $0.mode = 0o600 }
            try await laptop.push()
            try laptop.remove("F.txt")
            try await laptop.reach(moment)
            try laptop.create("F.txt", "new")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] { #expect(try device.entry("F.txt").mode == 0o644) }
        }
    }

    // MARK: Out of the cloud

    @Test(arguments: Moment.allCases, NewFile.allCases)
    func `a document that left the cloud and was made anew in local is gone from the cloud`(
        _ moment: Moment, file: NewFile
    ) async throws {
        for becomesBackup in [false, true] {
            try await withTwoDevices { laptop, phone in
                try laptop.create("F.txt", "old")
                try await laptop.reach(moment)
                try laptop.move("F.txt", from: .cloud, to: .local)
                // The commit with the document is read while the deletion waits.
                try await laptop.pull()
                if becomesBackup {
                    try laptop.rename("F.txt", in: .local, to: "F.txt.old")
                } else {
                    try laptop.remove("F.txt", in: .local)
                }
                try Self.make(file, "F.txt", in: .local, on: laptop)
                try await laptop.push()
                try await phone.pull()
                #expect(try phone.names() == [])
                #expect(try laptop.names() == [])
                #expect(try await laptop.text("F.txt", in: .local) == "new")
                try Self.expectWhole(laptop)
                try laptop.remove("F.txt", in: .local)
                try Self.expectWhole(laptop)
            }
        }
    }

    @Test func `a file that is made in a folder which left the cloud a moment ago is local`() async throws {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("D")
            try laptop.create("F.txt", "old", in: folder)
            try await laptop.push()
            try laptop.remove("F.txt", in: folder)
            try laptop.move("D", from: .cloud, to: .local)
            try laptop.create("F.txt", "new", in: folder)
            #expect(try laptop.entry("F.txt", in: folder).location == .local)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            try Self.expectWhole(laptop)
        }
    }

    @Test(arguments: NewFile.allCases)
    func `a file that is made in a folder which came into the cloud a moment ago is sent`(file: NewFile) async throws {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("D", in: .local)
            try laptop.create("F.txt", "old", in: folder)
            try laptop.remove("F.txt", in: folder)
            try laptop.move("D", from: .local, to: .cloud)
            try Self.make(file, "F.txt", in: folder, on: laptop)
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("F.txt", in: phone.inode("D")) == "new")
            try Self.expectWhole(laptop)
        }
    }

    /// A document was renamed over one that the container never knew, and the folder of that left the cloud.
    @Test func `the deletion of a document does not wait for an heir that left the cloud with its folder`() async throws
    {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Draft.txt", "draft")
            try await laptop.push()
            try await phone.pull()
            let folder = try laptop.makeFolder("D")
            try laptop.create("F.txt", "old", in: folder)
            try laptop.rename("Draft.txt", in: .cloud, to: "F.txt", in: folder)
            try laptop.move("D", from: .cloud, to: .local)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
        }
    }

    // MARK: Out and in again

    @Test(arguments: Moment.allCases)
    func `a name that was given in local is the name in the cloud`(_ moment: Moment) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("N1.txt", "text")
            try await laptop.reach(moment)
            try laptop.rename("N1.txt", in: .cloud, to: "N2.txt", in: .local)
            try laptop.change(try laptop.inode("N2.txt", in: .local)) { $0.mode = 0o600 }
            try laptop.library.setExtendedAttribute(
                "user.colour", to: Array("green".utf8), of: .entry(laptop.inode("N2.txt", in: .local)), .either)
            try laptop.move("N2.txt", from: .local, to: .cloud)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["N2.txt"])
                #expect(try await device.text("N2.txt") == "text")
                #expect(try device.entry("N2.txt").mode == 0o600)
                #expect(try device.attribute("user.colour", "N2.txt") == "green")
                try Self.expectWhole(device)
            }
        }
    }

    @Test(arguments: Moment.allCases)
    func `names that were given in a folder in local are the names in the cloud`(_ moment: Moment) async throws {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("D")
            try laptop.create("N1.txt", "text", in: folder)
            try await laptop.reach(moment)
            try laptop.move("D", from: .cloud, to: .local)
            try laptop.rename("N1.txt", in: folder, to: "N2.txt")
            try laptop.move("D", from: .local, to: .cloud)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                let folder = try device.inode("D")
                #expect(try device.names(in: folder) == ["N2.txt"])
                #expect(try await device.text("N2.txt", in: folder) == "text")
                try Self.expectWhole(device)
            }
        }
    }

    // MARK: The backup of a placeholder, edited

    @Test(arguments: [false, true])
    func `a backup that is edited keeps its name, also while the document itself is still being written`(isOpen: Bool)
        async throws
    {
        try await withTwoDevices { laptop, phone in
            try phone.create("F.txt", "old")
            try await phone.push()
            try await laptop.pull()
            phone.advance(seconds: 20)
            laptop.advance(seconds: 20)
            try laptop.rename("F.txt", to: "F.txt.bak")
            try await laptop.push()
            try laptop.create("F.txt", "new")
            let number = isOpen ? try await laptop.open("F.txt", O_WRONLY) : nil
            if let number { try laptop.write("newer", to: number) }
            try await laptop.save("F.txt.bak", "old, edited")
            for _ in 0..<2 {
                try await laptop.work()
                await laptop.finishUploads()
            }
            #expect(try laptop.names() == ["F.txt", "F.txt.bak"])
            if let number { laptop.library.close(number) }
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["F.txt", "F.txt.bak"])
                #expect(try await device.text("F.txt.bak") == "old, edited")
                #expect(try await device.text("F.txt") == (isOpen ? "newer" : "new"))
            }
            try Self.expectWhole(laptop)
        }
    }
}
