import MountSupport
import SystemPackage
import Testing

/// Semantics, "Two names".
@Suite(.mounting, .timeLimit(.minutes(15)))
struct NamingTests {
    @Test(arguments: Ground.all)
    func `every document has a generated filename and the display name it was created under`(ground: Ground)
        async throws
    {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt", "milk")
            let names = try tree.list("local")
            try #require(names.count == 1)
            #expect(names[0] != "Groceries.txt" && names[0].hasSuffix(".txt"))
            #expect(try tree.filename("local/Groceries.txt") == names[0])
            #expect(try tree.displayName("local/\(names[0])") == "Groceries")
        }
    }

    @Test(arguments: Ground.all, Listing.allCases)
    func `a path accepts either name`(ground: Ground, listing: Listing) async throws {
        try await withTree(on: ground, showing: listing) { tree in
            for container in ["local", "cloud"] {
                try tree.create("\(container)/Groceries.txt", "milk\n")
                let byFilename: DocumentPath = "\(container)/\(try tree.filename("\(container)/Groceries.txt"))"
                #expect(try tree.text(byFilename) == "milk\n")
                try tree.append(byFilename, "eggs\n")
                #expect(try tree.text("\(container)/Groceries.txt") == "milk\neggs\n")
                #expect(try tree.status(byFilename) == tree.status("\(container)/Groceries.txt"))
            }
        }
    }

    @Test(arguments: Ground.all, Listing.allCases)
    func `a path means the filename first, and with display names shown the display name first`(
        ground: Ground, listing: Listing
    ) async throws {
        try await withTree(on: ground, showing: listing) { tree in
            try tree.create("local/First.txt", "first")
            try tree.create("local/Second.txt", "second")
            let filename = try tree.filename("local/First.txt")
            // Now the display name of the second is the filename of the first.
            try tree.setDisplayName(String(filename.dropLast(".txt".count)), of: "local/Second.txt")
            #expect(try tree.text("local/\(filename)") == (listing == .filenames ? "first" : "second"))
        }
    }

    @Test(arguments: Ground.all, Listing.allCases)
    func `a display name that two documents bear means the one created first`(ground: Ground, listing: Listing)
        async throws
    {
        try await withTree(on: ground, showing: listing) { tree in
            try tree.create("local/Older.txt", "older")
            try tree.create("local/Notes.txt", "newer")
            let newer = try tree.filename("local/Notes.txt")
            try tree.setDisplayName("Notes", of: "local/Older.txt")
            #expect(try tree.text("local/Notes.txt") == "older")
            #expect(try tree.text("local/\(newer)") == "newer")
            try tree.remove("local/Notes.txt")
            #expect(try tree.text("local/Notes.txt") == "newer")
        }
    }

    static let extensions: [(name: String, displayName: String, filenameExtension: String)] = [
        ("Report.pdf", "Report", ".pdf"), ("archive.tar.gz", "archive.tar", ".gz"), ("README", "README", ""),
        ("Ends with a dot.", "Ends with a dot.", ""), ("v1.2 final", "v1.2 final", ""),
        ("a.0123456789abcdef", "a", ".0123456789abcdef"), ("a.0123456789abcdefg", "a.0123456789abcdefg", ""),
        ("Ünïcödé.текст", "Ünïcödé", ".текст"),
    ]

    @Test(arguments: Ground.all)
    func `an extension is what follows the last dot when that is 1 to 16 characters without a space`(ground: Ground)
        async throws
    {
        try await withTree(on: ground) { tree in
            for (name, displayName, filenameExtension) in Self.extensions {
                try tree.create("local/\(name)")
                #expect(try tree.displayName("local/\(name)") == displayName)
                let filename = try tree.filename("local/\(name)")
                #expect(filename.hasSuffix(filenameExtension), "\(filename)")
                #expect(filename.contains(".") == !filenameExtension.isEmpty, "\(filename)")
            }
        }
    }

    @Test(arguments: Ground.all)
    func `names are kept byte for byte, and differ by case`(ground: Ground) async throws {
        try await withTree(on: ground, showing: .displayNames) { tree in
            // One letter, and a letter with an accent of its own.
            let names = ["caf\u{E9}.txt", "cafe\u{301}.txt", "Caf\u{E9}.txt"]
            for name in names {
                try tree.create("local/\(name)", name)
            }
            #expect(try tree.list("local").map { Array($0.utf8) } == names.map { Array($0.utf8) })
            for name in names { #expect(try Array(tree.text("local/\(name)").utf8) == Array(name.utf8)) }
        }
    }

    @Test(arguments: Ground.all, Listing.allCases)
    func `creating or opening a name that some document answers to is that document`(
        ground: Ground, listing: Listing
    ) async throws {
        try await withTree(on: ground, showing: listing) { tree in
            try tree.create("local/Groceries.txt", "milk\n")
            let identity = try tree.identity("local/Groceries.txt")
            let byFilename: DocumentPath = "local/\(identity.filename)"
            try tree.append("local/Groceries.txt", "eggs\n")
            try tree.append(byFilename, "bread\n")
            #expect(try tree.text("local/Groceries.txt") == "milk\neggs\nbread\n")
            for path in ["local/Groceries.txt", byFilename] {
                #expect(throws: Errno.fileExists) { try tree.create(path) }
                #expect(throws: Errno.fileExists) { try tree.makeFolder(path) }
                #expect(throws: Errno.fileExists) { try tree.makeSymbolicLink(path, to: "target") }
            }
            try tree.write(byFilename, "tea\n")
            #expect(try tree.identity("local/Groceries.txt") == identity)
            #expect(try tree.text("local/Groceries.txt") == "tea\n")
            #expect(try tree.list("local").count == 1)
        }
    }

    @Test(arguments: Ground.all)
    func `a name is looked for in its own folder`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.makeFolder("local/Folder")
            try tree.create("local/Groceries.txt", "above")
            let filename = try tree.filename("local/Groceries.txt")
            for folder in ["local/Folder", "cloud"] {
                #expect(try !tree.exists("\(folder)/Groceries.txt"))
                #expect(try !tree.exists("\(folder)/\(filename)"))
            }
            #expect(throws: Errno.notDirectory) { try tree.status("local/Groceries.txt/Groceries.txt") }
        }
    }

    @Test(arguments: Ground.all)
    func `filenames are unique over local and cloud together`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            for number in 1...20 {
                try tree.create("local/n\(number).txt")
                try tree.create("cloud/n\(number).txt")
            }
            #expect(try Set(tree.list("local") + tree.list("cloud")).count == 40)
        }
    }
}
