import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct TreeTests {
    @Test
    func `the mount holds Documents with local and cloud, and their states are not listed`()
        async throws
    {
        try await withDevice { device async throws in
            #expect(try device.mountpoint.listing() == ["Documents"])
            #expect(try Set(device.documents.listing()) == ["local", "cloud"])
            #expect(try device.local.listing() == [])
            #expect(try device.cloud.listing() == [])
            for folder in [device.documents, device.local, device.cloud] {
                #expect(try folder.stat().type == .directory)
                #expect(try (folder / ".state").stat().type == .regular)
            }
        }
    }

    @Test(arguments: ["Documents", "Documents/local", "Documents/cloud"])
    func `Documents, local and cloud can be neither renamed nor removed`(name: String) async throws {
        try await withDevice { device in
            let folder = device.mountpoint / name
            let beside = folder.removingLastComponent() / "Elsewhere"
            #expect(throws: Errno.resourceBusy) { try folder.rename(to: beside) }
            #expect(throws: Errno.resourceBusy) { try folder.removeFolder() }
            #expect(folder.exists)
            #expect(!beside.exists)
        }
    }

    @Test func `a folder cannot be renamed over local or cloud`() async throws {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            #expect(throws: Errno.resourceBusy) { try folder.rename(to: device.cloud) }
            #expect(folder.exists)
        }
    }

    @Test(arguments: Listing.allCases)
    func `a document created in Documents goes to local, and resolves in both`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            try (device.documents / "Groceries.txt").create("milk")
            let document = device.local / "Groceries.txt"
            #expect(try document.text() == "milk")
            #expect(try document.state()["location"] == "local")
            for name in ["Groceries.txt", try document.filename()] {
                #expect(try (device.documents / name).stat().inode == document.stat().inode)
            }
            #expect(try Set(device.documents.listing()) == ["local", "cloud"])
            try (device.local / "Folder").makeFolder()
            #expect(!(device.documents / "Folder").exists)
            try (device.cloud / "Elsewhere.txt").create()
            #expect(!(device.documents / "Elsewhere.txt").exists)
        }
    }

    @Test func `no folder is made in Documents`() async throws {
        try await withDevice { device async throws in
            #expect(throws: Errno.notPermitted) { try (device.documents / "Folder").makeFolder() }
            #expect(try device.local.documentNames() == [])
        }
    }

    @Test(arguments: Listing.allCases)
    func `folders keep the names people give them`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let names = ["Taxes 2026.old", "Ünïcödé 文書", "no extension", "Trailing. dots ."]
            for container in [device.local, device.cloud] {
                for name in names { try (container / name).makeFolder() }
                #expect(try Set(container.documentNames()) == Set(names))
            }
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `documents and folders go to any depth`(container: String) async throws {
        try await withDevice(.displayNames) { device in
            var folder = device.documents / container
            for level in 1...40 {
                folder = folder / "level \(level)"
                try folder.makeFolder()
            }
            let document = folder / "Deep.txt"
            try document.write("at the bottom")
            #expect(try document.text() == "at the bottom")
            #expect(try folder.listing() == ["Deep.txt"])
            #expect(try document.state()["location"] == container)
        }
    }

    @Test func `virtual names resolve without being listed`() async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            try (folder / "Plan.txt").write("plan")
            #expect((folder / "Plan.txt.state").exists)
            #expect((folder / ".state").exists)
            #expect(try folder.listing() == ["Plan.txt"])
            #expect(try device.local.listing() == ["Folder"])
        }
    }

    @Test func `cp -r, tar and rm -r meet documents only`() async throws {
        try await withDevice(.displayNames) { device in
            try await device.shell(
                """
                mkdir -p local/Trip/Days && echo a > local/Trip/Plan.txt && echo b > local/Trip/Days/1.txt
                cp -r local/Trip local/Copy
                """)
            let copied = try await device.shell("cd local/Copy && find . -type f | sort")
            #expect(copied.lines == ["./Days/1.txt", "./Plan.txt"])
            let archived = try await device.shell("tar c -C local Trip | tar t | sort")
            #expect(archived.lines == ["Trip/", "Trip/Days/", "Trip/Days/1.txt", "Trip/Plan.txt"])
            try await device.shell("rm -r local/Trip local/Copy")
            #expect(try device.local.documentNames() == [])
        }
    }

    @Test func `a document that really has a virtual name wins`() async throws {
        try await withDevice(.displayNames) { device in
            try (device.local / "Plan.txt.state").write("a document\n")
            try (device.local / "Plan.txt").write("plan")
            #expect(try (device.local / "Plan.txt.state").text() == "a document\n")
            #expect(
                try Set(device.local.documentNames()) == ["Plan.txt", "Plan.txt.state"])
        }
    }

    @Test func `a document can be renamed to the name of a virtual file`()
        async throws
    {
        try await withDevice(.displayNames) { device in
            try (device.local / "Plan.txt").write("plan")
            try (device.local / "Other.txt").write("a document\n")
            #expect((device.local / "Plan.txt.state").exists)
            try (device.local / "Other.txt").rename(to: device.local / "Plan.txt.state")
            #expect(try (device.local / "Plan.txt.state").text() == "a document\n")
            #expect(
                try Set(device.local.documentNames()) == ["Plan.txt", "Plan.txt.state"])
        }
    }

    @Test func `a folder may bear a virtual name`() async throws {
        try await withDevice(.displayNames) { device in
            try (device.local / "Plan.txt.state").makeFolder()
            try (device.local / "Plan.txt").write("plan")
            #expect(try (device.local / "Plan.txt.state").stat().type == .directory)
        }
    }

    @Test func `a virtual state file goes with its document`() async throws {
        try await withDevice { device in
            let document = device.local / "Plan.txt"
            #expect(!document.stateFile.exists)
            try document.write("plan")
            #expect(document.stateFile.exists)
            try document.remove()
            #expect(!document.stateFile.exists)
        }
    }
}
