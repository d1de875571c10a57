import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct RenamingTests {
    @Test(arguments: Listing.allCases, ["local", "cloud"])
    func
        `renaming to an unused name sets the display name, and the filename stays and still resolves`(
            listing: Listing, container: String
        ) async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.documents / container
            let before = folder / "Groceries.txt"
            let after = folder / "Shopping list.txt"
            try before.create("milk")
            let identity = try before.identity()
            try before.rename(to: after)
            #expect(!before.exists)
            #expect(
                try after.identity()
                    == Identity(
                        id: identity.id, filename: identity.filename, displayName: "Shopping list"))
            #expect(try (folder / identity.filename).text() == "milk")
            #expect(
                try folder.documentNames()
                    == [listing == .filenames ? identity.filename : "Shopping list.txt"])
        }
    }

    @Test func `renaming by filename works as by display name`() async throws {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk")
            let filename = try (device.local / "Groceries.txt").filename()
            try await device.shell("mv local/\(filename) local/Trip.txt")
            #expect(try (device.local / "Trip.txt").text() == "milk")
            #expect(try (device.local / "Trip.txt").filename() == filename)
            #expect(!(device.local / "Groceries.txt").exists)
        }
    }

    @Test(arguments: [
        ("Draft.txt", "Draft.md"), ("Draft.txt", "Draft"), ("Draft", "Draft.txt"),
        ("Draft.txt", "Letter.v2.txt"),
    ])
    func `renaming sets the extension when it changes`(from old: String, to new: String)
        async throws
    {
        try await withDevice(.displayNames) { device in
            try (device.local / old).create("text")
            let filename = try (device.local / old).filename()
            try (device.local / old).rename(to: device.local / new)
            #expect(!(device.local / old).exists)
            #expect(try device.local.documentNames() == [new])
            // A filename that has just been generated for another extension is generated anew.
            let renamed = try (device.local / new).filename()
            let pathExtension = FilePath(new).extension
            #expect((renamed == filename) == (FilePath(old).extension == pathExtension))
            #expect(FilePath(renamed).extension == pathExtension)
            #expect(try (device.local / renamed).text() == "text")
        }
    }

    @Test(arguments: Listing.allCases)
    func `renaming into another folder keeps the document`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            let before = device.local / "Groceries.txt"
            try before.create("milk")
            try before.setAttribute("user.colour", "green")
            let identity = try before.identity()
            try before.rename(to: folder / "Groceries.txt")
            #expect(try (folder / "Groceries.txt").identity() == identity)
            #expect(try (folder / identity.filename).attribute("user.colour") == "green")
            #expect(try device.local.documentNames() == ["Folder"])
        }
    }

    @Test func `moving a document by its filename keeps its display name`() async throws {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            try (device.local / "Groceries.txt").create("milk")
            let identity = try (device.local / "Groceries.txt").identity()
            try (device.local / identity.filename).rename(to: folder / identity.filename)
            #expect(try (folder / identity.filename).identity() == identity)
            #expect(try (folder / "Groceries.txt").text() == "milk")
        }
    }

    @Test func `renaming a folder keeps what it holds`() async throws {
        try await withDevice { device in
            let inner = device.local / "Old" / "Inner"
            try (device.local / "Old").makeFolder()
            try inner.makeFolder()
            try (inner / "Plan.txt").create("plan")
            let identity = try (inner / "Plan.txt").identity()
            try (device.local / "Old").rename(to: device.local / "New")
            let document = device.local / "New" / "Inner" / "Plan.txt"
            #expect(try document.identity() == identity)
            #expect(try document.text() == "plan")
            #expect(!(device.local / "Old").exists)
        }
    }

    @Test(arguments: Listing.allCases)
    func `RENAME_NOREPLACE refuses a name that some document answers to`(listing: Listing)
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            let first = device.local / "First.txt"
            let second = device.local / "Second.txt"
            try first.create("first")
            try second.create("second")
            let filename = try second.filename()
            #expect(throws: Errno.fileExists) { try first.rename(to: second, .noReplace) }
            #expect(throws: Errno.fileExists) {
                try first.rename(to: device.local / filename, .noReplace)
            }
            #expect(try first.text() == "first")
            #expect(try second.text() == "second")
            try first.rename(to: device.local / "Third.txt", .noReplace)
            #expect(try (device.local / "Third.txt").text() == "first")
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `RENAME_EXCHANGE within one container swaps contents`(container: String) async throws {
        try await withDevice { device in
            let folder = device.documents / container
            let first = folder / "First.txt"
            let second = folder / "Second.md"
            try first.create("one")
            try second.create("two, longer")
            let identities = try [first.identity(), second.identity()]
            try first.rename(to: second, .exchange)
            #expect(try first.text() == "two, longer")
            #expect(try second.text() == "one")
            #expect(try [first.identity(), second.identity()] == identities)
            #expect(try first.stat().size == 11)
            #expect(try second.stat().size == 3)
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `the display name on the file in the store follows exchanges, and goes with renames to scratch names`(
        container: String
    ) async throws {
        try await withDevice { device in
            let folder = device.documents / container
            let stored = device.store / container
            let (first, second) = (folder / "First.txt", folder / "Second.txt")
            try first.create("1")
            try second.create("2")
            let filenames = (try first.filename(), try second.filename())
            try first.rename(to: second, .exchange)
            #expect(try (stored / filenames.0).text() == "2")
            #expect(try (stored / filenames.0).attribute("user.displayName") == "First")
            #expect(try (stored / filenames.1).attribute("user.displayName") == "Second")
            let scratch = folder / "notes~"
            try scratch.create("scratch")
            try first.rename(to: scratch, .exchange)
            #expect(try (stored / filenames.0).attribute("user.displayName") == "First")
            #expect(try (stored / "notes~").attributeNames() == [])
            try first.rename(to: folder / "First.txt~")
            #expect(try (stored / "First.txt~").attributeNames() == [])
        }
    }

    @Test func `RENAME_EXCHANGE needs both names`() async throws {
        try await withDevice { device in
            try (device.local / "First.txt").create("one")
            #expect(throws: Errno.noSuchFileOrDirectory) {
                try (device.local / "First.txt").rename(to: device.local / "Missing.txt", .exchange)
            }
            #expect(try (device.local / "First.txt").text() == "one")
        }
    }

    @Test func `a document is not renamed over a folder, nor a folder over a document`()
        async throws
    {
        try await withDevice { device in
            let document = device.local / "Plan.txt"
            let folder = device.local / "Folder"
            try document.create("plan")
            try folder.makeFolder()
            #expect(throws: Errno.isDirectory) { try document.rename(to: folder) }
            #expect(throws: Errno.notDirectory) { try folder.rename(to: document) }
            #expect(try document.text() == "plan")
            #expect(try folder.stat().type == .directory)
        }
    }

    @Test func `a renamed document can be renamed again while it is open`() async throws {
        try await withDevice { device in
            let file = try (device.local / "A.txt").open(.readWrite, .create)
            try file.write("one ")
            try (device.local / "A.txt").rename(to: device.local / "B.txt")
            try file.write("two ")
            try (device.local / "B.txt").rename(to: device.local / "C.txt")
            try file.write("three")
            try file.close()
            #expect(try (device.local / "C.txt").text() == "one two three")
            #expect(try device.local.documentNames().count == 1)
        }
    }
}
