import Glibc
import MountSupport
import SystemPackage
import Testing

/// `MOUNT/.Trash-UID`, the trash as file managers expect it at the top of a volume.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct TrashDirectoryTests {
    private func trash(_ device: Device) -> FilePath { device.mountpoint / ".Trash-\(getuid())" }

    /// "Move to trash" of a file manager.
    private func throwAway(_ path: FilePath, _ device: Device) async throws {
        try await runShell(
            "timeout 60 gio trash '\(path)'", in: device.folder, environment: ["HOME": device.folder.string])
    }

    private func info(_ label: String, _ device: Device) throws -> String {
        try (trash(device) / "info" / "\(label).trashinfo").text()
    }

    @Test(arguments: ["local", "cloud"])
    func `what a file manager throws away is in the trash, and undo brings it back`(container: String) async throws {
        try await withDevice { device in
            let path = device.documents / container / "My Plan.txt"
            try path.create("plan")
            let filename = try path.filename()
            try await throwAway(path, device)
            #expect(!path.exists)
            #expect(try (trash(device) / "files" / "My Plan.txt").text() == "plan")
            let info = try info("My Plan.txt", device)
            #expect(
                info.hasPrefix("[Trash Info]\nPath=Documents/\(container)/My%20Plan.txt\nDeletionDate=20"), "\(info)")
            #expect(try await device.docfs("trash", device.mountpoint.string).standardOutput.contains("My Plan.txt"))
            #expect(try await device.docfs("undo", device.mountpoint.string).exitStatus == 0)
            #expect(try path.text() == "plan")
            #expect(try path.filename() == filename)
            #expect(try (trash(device) / "files").listing().isEmpty)
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `docfs trash restore brings a folder back by its name, with all in it`(container: String) async throws {
        try await withDevice { device in
            let folder = device.documents / container / "My Trip"
            try folder.makeFolder()
            try (folder / "Inner").makeFolder()
            let path = folder / "Inner" / "Plan.txt"
            try path.create("plan")
            let identity = try path.identity()
            try await device.shell("rm -r '\(container)/My Trip'; echo later >\(container)/Later.txt")
            #expect(!folder.exists)
            let restored = try await device.docfs("trash", "restore", "My Trip", device.mountpoint.string)
            #expect(restored.exitStatus == 0, "\(restored.standardError)")
            #expect(try path.text() == "plan")
            #expect(try path.identity() == identity)
            try await device.shell("rm -r '\(container)/My Trip'; mkdir '\(container)/My Trip'")
            let refused = try await device.docfs("trash", "restore", "My Trip", device.mountpoint.string)
            #expect(
                refused.exitStatus == 1 && refused.oneErrorLine?.contains("its name is taken") == true, "\(refused)")
        }
    }

    @Test func `what rm removes is there as well, and none of it is listed in the mount`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            try (device.local / "Plan.txt").remove()
            #expect(try (trash(device) / "files").listing() == ["Plan.txt"])
            #expect(try trash(device).listing().sorted() == ["files", "info"])
            #expect(try device.mountpoint.listing() == ["Documents"])
        }
    }

    @Test func `documents of one name that are thrown away one after the other are both there`() async throws {
        try await withDevice { device in
            for text in ["first", "second"] {
                try (device.local / "Plan.txt").create(text)
                try await throwAway(device.local / "Plan.txt", device)
            }
            let files = trash(device) / "files"
            #expect(try files.listing().sorted() == ["Plan.2.txt", "Plan.txt"])
            #expect(try (files / "Plan.txt").text() == "first")
            try (files / "Plan.txt").remove()
            #expect(try files.listing() == ["Plan.2.txt"])
            #expect(try (files / "Plan.2.txt").text() == "second")
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `a folder is thrown away as one action, lies in the trash as a folder, and comes back whole`(
        container: String
    ) async throws {
        try await withDevice { device in
            let trip = device.documents / container / "Trip"
            for folder in [trip, trip / "Inner"] { try folder.makeFolder() }
            try (trip / "a.txt").create("a")
            try (trip / "Inner" / "b.txt").create("b")
            let identity = try (trip / "a.txt").identity()
            try await throwAway(trip, device)
            #expect(!trip.exists)
            #expect(try (device.documents / ".undo").text().hasPrefix("Delete folder “Trip” with 2 documents\n"))
            let files = trash(device) / "files"
            #expect(try files.listing() == ["Trip"])
            #expect(try (files / "Trip").listing().sorted() == ["Inner", "a.txt"])
            #expect(try (files / "Trip" / "Inner" / "b.txt").text() == "b")
            #expect(try info("Trip", device).contains("\nPath=Documents/\(container)/Trip\n"))
            // Programs look at what they are about to restore.
            #expect(try await runProgram("find", [files.string, "-type", "f"], in: device.folder).lines.count == 2)
            try (files / "Trip").rename(to: trip)
            #expect(try (trip / "Inner" / "b.txt").text() == "b")
            #expect(try (trip / "a.txt").identity() == identity)
            #expect(try files.listing() == [])
            try (trash(device) / "info" / "Trip.trashinfo").remove()
            #expect(try (trash(device) / "info").listing() == [])
            #expect(try (device.documents / ".undo").text().hasPrefix("Create folder “Trip” with 2 documents\n"))
        }
    }

    @Test func `a folder in the trash is removed by rm -r, or document by document taken out`() async throws {
        try await withDevice { device in
            for name in ["Trip", "Journey"] {
                try await runShell(
                    "mkdir -p \(name)/Inner; echo a >\(name)/a.txt; echo b >\(name)/Inner/b.txt; rm -r \(name)",
                    in: device.cloud)
            }
            let files = trash(device) / "files"
            #expect(try files.listing().sorted() == ["Journey", "Trip"])
            try await runShell("rm -r Trip && mv Journey/Inner/b.txt '\(device.local)/Found.txt'", in: files)
            #expect(try (device.local / "Found.txt").text() == "b\n")
            #expect(try files.listing() == ["Journey"])
            try (device.local / "Taken").makeFolder()
            #expect(throws: Errno.fileExists) { try (files / "Journey").rename(to: device.local / "Taken") }
            #expect(try (files / "Journey" / "a.txt").text() == "a\n")
        }
    }

    @Test func `programs that watch the trash hear of what rm removes and undo brings back`() async throws {
        try await withDevice { device in
            let files = trash(device) / "files"
            let watcher = try await Watcher.inotifywait(files, notes: device.folder)
            try (device.local / "Plan.txt").create("plan")
            try (device.local / "Plan.txt").remove()
            _ = try await watcher.events(until: "CREATE Plan.txt")
            #expect(try await device.docfs("undo", device.mountpoint.string).exitStatus == 0)
            _ = try await watcher.events(until: "DELETE Plan.txt")
            try await runShell("mkdir Trip; echo a >Trip/a.txt; rm -r Trip", in: device.cloud)
            _ = try await watcher.events(until: "CREATE,ISDIR Trip")
            #expect(try await device.docfs("undo", device.mountpoint.string).exitStatus == 0)
            _ = try await watcher.events(until: "DELETE,ISDIR Trip")
            #expect(try files.listing() == [])
            #expect(try (device.cloud / "Trip" / "a.txt").text() == "a\n")
        }
    }

    @Test func `a document is restored to another place, under another name, and over nothing`() async throws {
        try await withDevice { device in
            let files = trash(device) / "files"
            for name in ["A.txt", "B.txt"] {
                try (device.local / name).create(name)
                try (device.local / name).remove()
            }
            try (device.local / "C.txt").create("c")
            #expect(throws: Errno.fileExists) { try (files / "A.txt").rename(to: device.local / "C.txt") }
            #expect(try (device.local / "C.txt").text() == "c")
            try (files / "A.txt").rename(to: device.cloud / "A again.txt")
            #expect(try (device.cloud / "A again.txt").text() == "A.txt")
            #expect(try (device.cloud / "A again.txt").state()["location"] == "cloud")
            try (files / "B.txt").rename(to: device.documents / "B.txt")
            #expect(try (device.local / "B.txt").text() == "B.txt")
            #expect(try files.listing().isEmpty)
        }
    }

    @Test func `what is removed in the trash is gone for good, in the way of gvfs as well`() async throws {
        try await withDevice { device in
            let files = trash(device) / "files"
            for name in ["A.txt", "B.txt"] {
                try (device.local / name).create(name)
                try (device.local / name).remove()
            }
            try (files / "A.txt").remove()
            try (files / "B.txt").rename(to: trash(device) / "expunged" / "17")
            #expect(try files.listing().isEmpty)
            #expect(try (trash(device) / "expunged").listing().isEmpty)
            #expect(try device.treeState()["trash"] == "0 in 0 documents")
            #expect(try (device.store / "trash").listing().isEmpty)
        }
    }

    @Test func `nothing else can be made in the trash, and what is in it cannot be written`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            try (device.local / "Plan.txt").remove()
            try (device.local / "List.txt").create("list")
            try (device.local / "draft.tmp").create("draft")
            let trash = trash(device)
            #expect(throws: Errno.notPermitted) { try (trash / "files" / "New.txt").create("new") }
            #expect(throws: Errno.notPermitted) { try (trash / "info" / "New.txt").create("new") }
            #expect(throws: Errno.notPermitted) { try (trash / "files" / "New").makeFolder() }
            #expect(throws: Errno.notPermitted) { try (device.local / "List.txt").rename(to: trash / "List.txt") }
            #expect(throws: Errno.fileExists) {
                try (device.local / "List.txt").rename(to: trash / "files" / "Plan.txt")
            }
            #expect(throws: Errno.notPermitted) {
                try (device.local / "draft.tmp").rename(to: trash / "files" / "draft.tmp")
            }
            #expect(throws: Errno.resourceBusy) { try device.local.rename(to: trash / "files" / "local") }
            #expect(throws: Errno.fileExists) { try (trash / "info" / "Plan.txt.trashinfo").create() }
            #expect(try (device.local / "List.txt").text() == "list")
            #expect(try (device.local / "draft.tmp").text() == "draft")
            #expect(try (trash / "files").listing() == ["Plan.txt"])
        }
    }
}
