import Glibc
import MountSupport
import SystemPackage
import Testing

/// Versions in conflict, and choosing among them (Semantics, "Conflicts").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ConflictTests {
    /// `Plan.txt`, edited by both devices while neither could see the other; the desktop later.
    private func withConflict(
        _ options: MountOptions = MountOptions(),
        perform body: (_ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await withTwoDevices(options) { laptop, desktop in
            let here = laptop.cloud / "Plan.txt"
            let there = desktop.cloud / "Plan.txt"
            try here.create("plan\n")
            try await eventually { try there.text() == "plan\n" }
            try await desktop.waitUntilHere(there)
            try laptop.cloudDirectory.appendUnseen("laptop\n", "desktop, later\n", to: [(here, there)])
            for device in [laptop, desktop] {
                try await eventually {
                    let state = try (device.cloud / "Plan.txt").state()
                    return state["conflicts"] == "1" && state["uploading"] == "uploaded"
                }
            }
            try await body(laptop, desktop)
        }
    }

    private func conflicts(_ device: Device) throws -> [FilePath] {
        let folder = device.cloud / "Plan.txt.conflicts"
        return try folder.listing().sorted().map { folder / $0 }
    }

    /// Waits until a device shows the document with this content and without a conflict.
    private func expectSettled(_ device: Device, _ text: String) async throws {
        let document = device.cloud / "Plan.txt"
        try await eventually { try document.state()["conflicts"] == "0" }
        #expect(try document.text() == text)
        #expect(try document.state()["indicator"] == "green")
        #expect(try device.cloud.listing().filter { $0.hasSuffix(".conflicts") } == [])
    }

    @Test func `both devices agree on the later edit and show the other as a file`() async throws {
        try await withConflict { laptop, desktop in
            for device in [laptop, desktop] {
                let document = device.cloud / "Plan.txt"
                #expect(try document.text() == "plan\ndesktop, later\n")
                #expect(try document.state()["indicator"] == "yellow")
                #expect(try document.state()["state"]?.contains("inConflict") == true)
                let files = try conflicts(device)
                #expect(files.count == 1)
                #expect(try files.first?.text() == "plan\nlaptop\n")
                let name = try #require(files.first?.lastComponent?.string)
                #expect(try /Laptop \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.txt/.wholeMatch(in: name) != nil)
                #expect(try files[0].stat().size == 12)
            }
            #expect(try conflicts(laptop).map(\.lastComponent) == conflicts(desktop).map(\.lastComponent))
        }
    }

    @Test(arguments: Listing.allCases)
    func `the folder of conflicts is listed beside the document as long as there are any`(_ listing: Listing)
        async throws
    {
        try await withConflict(MountOptions(listing: listing)) { laptop, _ in
            let shown = try laptop.cloud.documentNames()
            let document = try #require(shown.first { !$0.hasSuffix(".conflicts") })
            #expect(shown.contains(document + ".conflicts"))
            try await laptop.shell("rm -r cloud/Plan.txt.conflicts")
            try await expectSettled(laptop, "plan\ndesktop, later\n")
        }
    }

    @Test func `a conflict version can be read and not written, and nothing put beside it`() async throws {
        try await withConflict { laptop, _ in
            let version = try #require(try conflicts(laptop).first)
            #expect(throws: Errno.permissionDenied) { try version.open(.writeOnly) }
            // ENOENT: a virtual name must not block the creation of a document with that name, so create does not find it.
            #expect(throws: Errno.noSuchFileOrDirectory) {
                try (laptop.cloud / "Plan.txt.conflicts" / "New.txt").create("x")
            }
            #expect(throws: Errno.noSuchFileOrDirectory) {
                try (laptop.cloud / "Plan.txt.conflicts" / "New").makeFolder()
            }
            #expect(throws: Errno.notPermitted) {
                try version.rename(to: laptop.cloud / "Plan.txt.conflicts" / "Other.txt")
            }
            #expect(try version.stat().permissions == [.ownerRead, .groupRead, .otherRead])
            #expect(try version.text() == "plan\nlaptop\n")
        }
    }

    @Test func `removing a conflict version discards it everywhere`() async throws {
        try await withConflict { laptop, desktop in
            try #require(try conflicts(laptop).first).remove()
            try await expectSettled(laptop, "plan\ndesktop, later\n")
            try await expectSettled(desktop, "plan\ndesktop, later\n")
        }
    }

    @Test func `moving a conflict version over the document makes it current everywhere`() async throws {
        try await withConflict { laptop, desktop in
            let identity = try (laptop.cloud / "Plan.txt").identity()
            try await desktop.shell("mv -f cloud/Plan.txt.conflicts/Laptop* cloud/Plan.txt")
            try await expectSettled(desktop, "plan\nlaptop\n")
            try await expectSettled(laptop, "plan\nlaptop\n")
            #expect(try (desktop.cloud / "Plan.txt").identity() == identity)
            // The content that it replaced is in the history.
            let history = laptop.cloud / "Plan.txt.versions"
            #expect(try history.listing().map { try (history / $0).text() }.contains("plan\ndesktop, later\n"))
        }
    }

    @Test(arguments: ["rm -r cloud/Plan.txt.conflicts", "rmdir cloud/Plan.txt.conflicts"])
    func `removing the folder keeps the document as it is`(_ command: String) async throws {
        try await withConflict { laptop, desktop in
            try await laptop.shell(command)
            try await expectSettled(laptop, "plan\ndesktop, later\n")
            try await expectSettled(desktop, "plan\ndesktop, later\n")
        }
    }

    @Test func `a conflict version can be moved out as a document of its own`() async throws {
        try await withConflict { laptop, desktop in
            try await laptop.shell("mv cloud/Plan.txt.conflicts/Laptop* cloud/Mine.txt")
            try await expectSettled(laptop, "plan\ndesktop, later\n")
            try await eventually { try (desktop.cloud / "Mine.txt").text() == "plan\nlaptop\n" }
        }
    }

    @Test func `a choice made offline goes out when the connection is back`() async throws {
        try await withConflict { laptop, desktop in
            _ = try conflicts(laptop).first?.text()
            try laptop.cloudDirectory.disconnect()
            try await eventually { try laptop.treeState()["cloud.connection"] == "offline" }
            try #require(try conflicts(laptop).first).remove()
            #expect(try (laptop.cloud / "Plan.txt").state()["conflicts"] == "0")
            try await laptop.remount()
            #expect(try (laptop.cloud / "Plan.txt").state()["conflicts"] == "0")
            try laptop.cloudDirectory.reconnect()
            try await expectSettled(desktop, "plan\ndesktop, later\n")
            try await eventually { try laptop.treeState()["cloud.pending"] == "0" }
        }
    }

    @Test func `a choice is undone on all devices`() async throws {
        try await withConflict { laptop, desktop in
            func expectConflict() async throws {
                for device in [laptop, desktop] {
                    try await eventually {
                        try (device.cloud / "Plan.txt").state()["conflicts"] == "1"
                            && (device.cloud / "Plan.txt").text() == "plan\ndesktop, later\n"
                    }
                    #expect(try conflicts(device).map { try $0.text() } == ["plan\nlaptop\n"])
                }
            }
            try await desktop.shell("mv -f cloud/Plan.txt.conflicts/Laptop* cloud/Plan.txt")
            for device in [laptop, desktop] { try await expectSettled(device, "plan\nlaptop\n") }
            try await desktop.remount()
            let undo = try await desktop.docfs("undo", desktop.documents.string)
            #expect(undo.standardOutput == "Undid: Choose a version of “Plan”\n", "\(undo)")
            try await expectConflict()
            #expect(try await desktop.docfs("redo", desktop.documents.string).exitStatus == 0)
            for device in [laptop, desktop] { try await expectSettled(device, "plan\nlaptop\n") }
            #expect(try await desktop.docfs("undo", desktop.documents.string).exitStatus == 0)
            try await expectConflict()
            try await laptop.shell("rm -r cloud/Plan.txt.conflicts")
            for device in [laptop, desktop] { try await expectSettled(device, "plan\ndesktop, later\n") }
            #expect(try await laptop.docfs("undo", laptop.documents.string).exitStatus == 0)
            try await expectConflict()
        }
    }

    @Test func `the tree counts conflicts`() async throws {
        try await withConflict { laptop, _ in
            let state = try laptop.treeState()
            #expect(state["cloud.conflicts"] == "1")
        }
    }

    @Test func `an edit resolves no conflict, and continues the version that it was made from`() async throws {
        try await withConflict { laptop, desktop in
            try (laptop.cloud / "Plan.txt").append("more\n")
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "plan\ndesktop, later\nmore\n" }
            for device in [laptop, desktop] {
                #expect(try conflicts(device).map { try $0.text() } == ["plan\nlaptop\n"])
            }
        }
    }

    @Test func `alternating saves that see each other never conflict`() async throws {
        try await withTwoDevices { laptop, desktop in
            let here = laptop.cloud / "Log.txt"
            let there = desktop.cloud / "Log.txt"
            try here.create("0\n")
            var text = "0\n"
            for round in 1...6 {
                let (writer, reader) = round.isMultiple(of: 2) ? (here, there) : (there, here)
                try await eventually { try writer.text() == text }
                try writer.append("\(round)\n")
                text += "\(round)\n"
                try await eventually { try reader.text() == text }
            }
            for document in [here, there] { #expect(try document.state()["conflicts"] == "0") }
        }
    }
}
