import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct NamesTests {
    @Test func `every document has a generated filename and the display name it was created under`()
        async throws
    {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk, eggs\n")
            let names = try device.local.documentNames()
            try #require(names.count == 1)
            #expect(names[0] != "Groceries.txt")
            #expect(names[0].hasSuffix(".txt"))
            let listed = device.local / names[0]
            #expect(try listed.displayName() == "Groceries")
            #expect(try listed.filename() == names[0])
        }
    }

    @Test(arguments: Listing.allCases)
    func `a path accepts either name`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            for container in [device.local, device.cloud] {
                let byDisplayName = container / "Groceries.txt"
                try byDisplayName.create("milk\n")
                let byFilename = container / (try byDisplayName.filename())
                #expect(try byFilename.text() == "milk\n")
                #expect(try byFilename.stat().inode == byDisplayName.stat().inode)
                // One file, so one page cache: what is written through one name is read through the other.
                let reader = try byFilename.open(.readOnly)
                try byDisplayName.append("eggs\n")
                #expect(try reader.text() == "milk\neggs\n")
            }
        }
    }

    @Test func `ls shows filenames`() async throws {
        try await withDevice(MountOptions(listing: .filenames)) { device in
            try (device.local / "Groceries.txt").create()
            let filename = try (device.local / "Groceries.txt").filename()
            #expect(try device.local.documentNames() == [filename])
        }
    }

    @Test func `--show display-names shows display names instead`() async throws {
        try await withDevice(.displayNames) { device in
            try (device.local / "Groceries.txt").create()
            try (device.local / "README").create()
            #expect(try Set(device.local.documentNames()) == ["Groceries.txt", "README"])
        }
    }

    @Test
    func
        `a document whose display name another in the folder already shows is listed by its filename`()
        async throws
    {
        try await withDevice(.displayNames) { device in
            let first = device.local / "Notes.txt"
            let second = device.local / "Other.txt"
            try first.create("first")
            try second.create("second")
            let filename = try second.filename()
            try second.setAttribute("user.displayName", "Notes")
            #expect(try Set(device.local.documentNames()) == ["Notes.txt", filename])
            // In another folder the name is free.
            let folder = device.local / "Folder"
            try folder.makeFolder()
            try (folder / "Notes.txt").create()
            #expect(try folder.listing() == ["Notes.txt"])
        }
    }

    @Test(arguments: Listing.allCases)
    func `a path means the filename first, and with display names shown the display name first`(
        listing: Listing
    ) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let first = device.local / "First.txt"
            let second = device.local / "Second.txt"
            try first.create("first")
            try second.create("second")
            let filename = try first.filename()
            // Now the second is called what the first has as its filename.
            try second.setAttribute("user.displayName", String(filename.dropLast(".txt".count)))
            #expect(
                try (device.local / filename).text() == (listing == .filenames ? "first" : "second")
            )
        }
    }

    @Test(arguments: Listing.allCases)
    func `a display name that two documents bear means the one created first`(listing: Listing)
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            let older = device.local / "Older.txt"
            let newer = device.local / "Notes.txt"
            try older.create("older")
            try newer.create("newer")
            let newerByFilename = device.local / (try newer.filename())
            #expect(try newer.text() == "newer")
            try older.setAttribute("user.displayName", "Notes")
            #expect(try (device.local / "Notes.txt").text() == "older")
            #expect(try newerByFilename.text() == "newer")
        }
    }

    static let extensions: [(name: String, displayName: String, filenameExtension: String)] = [
        ("Report.pdf", "Report", ".pdf"),
        ("archive.tar.gz", "archive.tar", ".gz"),
        ("README", "README", ""),
        ("Ends with a dot.", "Ends with a dot.", ""),
        ("v1.2 final", "v1.2 final", ""),
        ("a.0123456789abcdef", "a", ".0123456789abcdef"),
        ("a.0123456789abcdefg", "a.0123456789abcdefg", ""),
        ("Ünïcödé.текст", "Ünïcödé", ".текст"),
        ("a..txt", "a.", ".txt"),
        ("Capital.TXT", "Capital", ".TXT"),
        (" leading and trailing .txt", " leading and trailing ", ".txt"),
    ]

    @Test(arguments: extensions)
    func
        `an extension follows the last dot, has 1 to 16 characters without a space, and something before the dot`(
            name: String, displayName: String, filenameExtension: String
        ) async throws
    {
        try await withDevice(MountOptions(convention: .uuid)) { device in
            let document = device.local / name
            try document.create("content")
            #expect(try document.displayName() == displayName)
            let uuid = 36
            #expect(try String(document.filename().dropFirst(uuid)) == filenameExtension)
            #expect(try document.text() == "content")
        }
    }

    @Test(arguments: Listing.allCases)
    func `names are kept byte for byte`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            // Swift's == takes both for one name; these are two.
            let composed = device.local / Array("Caf\u{E9}.txt".utf8)
            let decomposed = device.local / Array("Cafe\u{301}.txt".utf8)
            try composed.create("composed")
            #expect(!decomposed.exists)
            try decomposed.create("decomposed")
            #expect(try composed.text() == "composed")
            #expect(try decomposed.text() == "decomposed")
            #expect(try composed.attributeBytes("user.displayName") == Array("Caf\u{E9}".utf8))
            #expect(try decomposed.attributeBytes("user.displayName") == Array("Cafe\u{301}".utf8))
            if listing == .displayNames {
                let listed = try Set(device.local.documentNames().map { Array($0.utf8) })
                #expect(listed == [Array("Caf\u{E9}.txt".utf8), Array("Cafe\u{301}.txt".utf8)])
            }
        }
    }

    @Test func `folder names are kept byte for byte`() async throws {
        try await withDevice { device in
            let composed = device.local / Array("Caf\u{E9}".utf8)
            let decomposed = device.local / Array("Cafe\u{301}".utf8)
            try composed.makeFolder()
            #expect(!decomposed.exists)
            try decomposed.makeFolder()
            let listed = try Set(device.local.documentNames().map { Array($0.utf8) })
            #expect(listed == [Array("Caf\u{E9}".utf8), Array("Cafe\u{301}".utf8)])
        }
    }

    @Test func `names are case-sensitive`() async throws {
        try await withDevice { device in
            try (device.local / "notes.txt").create("small")
            #expect(!(device.local / "Notes.txt").exists)
            try (device.local / "Notes.txt").create("capital")
            #expect(try (device.local / "notes.txt").text() == "small")
            #expect(try (device.local / "Notes.txt").text() == "capital")
        }
    }

    @Test func `a name that is not UTF-8 is EILSEQ`() async throws {
        try await withDevice { device in
            let broken = device.local / [0x61, 0xFF, 0x62]
            let document = device.local / "Document.txt"
            try document.create()
            #expect(throws: Errno.illegalByteSequence) { try broken.create() }
            #expect(throws: Errno.illegalByteSequence) { try broken.makeFolder() }
            #expect(throws: Errno.illegalByteSequence) { try broken.makeSymbolicLink(to: "target") }
            #expect(throws: Errno.illegalByteSequence) { try document.rename(to: broken) }
            #expect(document.exists)
            #expect(try device.local.documentNames().count == 1)
        }
    }

    @Test(arguments: Listing.allCases)
    func `creating or opening a name that some document answers to is that document`(
        listing: Listing
    )
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk\n")
            let byFilename = device.local / (try document.filename())
            let identity = try document.identity()
            try document.append("eggs\n")
            try byFilename.append("bread\n")
            #expect(try document.text() == "milk\neggs\nbread\n")
            #expect(throws: Errno.fileExists) { try document.create() }
            #expect(throws: Errno.fileExists) { try byFilename.create() }
            #expect(throws: Errno.fileExists) { try document.makeFolder() }
            try document.write("tea\n")
            #expect(try document.identity() == identity)
            #expect(try device.local.documentNames().count == 1)
        }
    }

    @Test func `a name is looked for in its own folder`() async throws {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            try (device.local / "Groceries.txt").create("above")
            #expect(!(folder / "Groceries.txt").exists)
            #expect(!(device.cloud / "Groceries.txt").exists)
            let filename = try (device.local / "Groceries.txt").filename()
            #expect(!(folder / filename).exists)
        }
    }

    @Test func `names and content outlive the mount`() async throws {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            try (folder / "Groceries.txt").create("milk")
            try (folder / "Groceries.txt").setAttribute("user.displayName", "Shopping")
            let identity = try (folder / "Shopping.txt").identity()
            try await device.remount()
            #expect(try (folder / "Shopping.txt").identity() == identity)
            #expect(try (folder / identity.filename).text() == "milk")
        }
    }
}
