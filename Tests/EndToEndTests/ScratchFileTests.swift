import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct ScratchFileTests {
    static let scratchNames = [
        "notes~", "#notes#", ".#lock", "a.swp", "a.swo", "a.swx", "b.tmp", "c.part",
        "d.crdownload", "~$letter.docx", ".~lock.letter.odt#", ".goutputstream-A1B2C3",
        ".fuse_hidden0000000100000001", ".nfs000000000000000100000001", "4913", "sedAb12Cd",
        ".Trash-1000", ".DS_Store", ".notes.txt.swp",
    ]

    static let documentNames = [
        "4913.txt", "sedAb12C", "sedAb12Cd.txt", "notes.tmpx", "#notes", "a.part.txt", "swp",
        "~notes",
    ]

    @Test func `scratch files are no documents: they keep their names and have no state`()
        async throws
    {
        try await withDevice { device in
            for container in [device.local, device.cloud] {
                for name in Self.scratchNames { try (container / name).create(name) }
                #expect(try Set(container.documentNames()) == Set(Self.scratchNames))
                for name in Self.scratchNames {
                    let file = container / name
                    #expect(try file.text() == name)
                    #expect(!file.stateFile.exists, "\(name)")
                    #expect(throws: Errno.noData, "\(name)") { try file.identifier() }
                    #expect(throws: Errno.noData, "\(name)") { try file.displayName() }
                }
            }
            #expect(try device.treeState()["local.documents"] == "0")
            #expect(try device.treeState()["cloud.documents"] == "0")
            #expect(try device.local.folderState().rows == [])
        }
    }

    @Test func `a file that only resembles a scratch file is a document`() async throws {
        try await withDevice { device in
            for name in Self.documentNames { try (device.local / name).create(name) }
            let listed = try Set(device.local.documentNames())
            #expect(listed.count == Self.documentNames.count)
            #expect(listed.isDisjoint(with: Self.documentNames))
            for name in Self.documentNames { #expect((device.local / name).stateFile.exists) }
        }
    }

    @Test func `scratch files stay on this machine even in the cloud folder`() async throws {
        try await withTwoDevices { laptop, desktop in
            let folder = laptop.cloud / "Folder"
            try folder.makeFolder()
            try (folder / "lock.tmp").create("scratch")
            try (laptop.cloud / "notes~").create("scratch")
            // Written last, so once it is over there, the others would be too.
            try (folder / "Document.txt").create("document")
            try await laptop.waitUntilUploaded(folder / "Document.txt")
            try await eventually { (desktop.cloud / "Folder" / "Document.txt").exists }
            #expect(try (desktop.cloud / "Folder").listing().count == 1)
            #expect(try desktop.cloud.documentNames() == ["Folder"])
            #expect(laptop.cloudDirectory.objects(named: "lock.tmp").isEmpty)
            #expect(laptop.cloudDirectory.objects(named: "notes~").isEmpty)
        }
    }

    @Test func `a scratch file outlives the mount`() async throws {
        try await withDevice { device in
            try (device.local / "a.swp").create("local")
            try (device.cloud / "b.swp").create("cloud")
            try await device.remount()
            #expect(try (device.local / "a.swp").text() == "local")
            #expect(try (device.cloud / "b.swp").text() == "cloud")
        }
    }

    @Test func `a scratch file renamed to an ordinary name becomes a document`() async throws {
        try await withDevice { device in
            try (device.local / "download.part").create("content")
            try (device.local / "download.part").rename(to: device.local / "Film.mp4")
            let document = device.local / "Film.mp4"
            #expect(try document.text() == "content")
            #expect(try document.displayName() == "Film")
            let names = try device.local.documentNames()
            #expect(names.count == 1)
            #expect(names != ["Film.mp4"])
            #expect(try document.state()["state"] == "closed")
        }
    }

    @Test func `dotfiles keep the name they were given as their filename`() async throws {
        try await withDevice { device in
            let dotfile = device.local / ".profile"
            try dotfile.create("content")
            try (device.local / ".settings.json").create("{}")
            #expect(try Set(device.local.documentNames()) == [".profile", ".settings.json"])
            #expect(try dotfile.filename() == ".profile")
            #expect(try dotfile.state()["filename"] == ".profile")
            #expect(try device.treeState()["local.documents"] == "2")
            try dotfile.rename(to: device.local / ".zprofile")
            #expect(
                try Set(device.local.documentNames()) == [".zprofile", ".settings.json"])
            #expect(try (device.local / ".zprofile").text() == "content")
        }
    }

    @Test func `everything inside a folder whose name starts with a dot keeps its name`()
        async throws
    {
        try await withDevice { device in
            for repository in ["One", "Two"] {
                let folder = device.local / repository / ".git" / "refs"
                try await device.shell("mkdir -p 'local/\(repository)/.git/refs'")
                try (folder / "main").create(repository)
                try (device.local / repository / ".git" / "config.txt").create(repository)
                #expect(try folder.listing() == ["main"])
                #expect(
                    try Set((device.local / repository / ".git").listing()) == [
                        "refs", "config.txt",
                    ])
                // As git replaces its index.
                try (folder / "main.lock").create("next")
                try (folder / "main.lock").rename(to: folder / "main")
                #expect(try folder.listing() == ["main"])
                #expect(try (folder / "main").text() == "next")
                try (folder / "main").rename(to: folder / "trunk")
                #expect(try folder.listing() == ["trunk"])
            }
        }
    }
}
