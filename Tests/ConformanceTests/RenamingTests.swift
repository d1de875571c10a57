import Documents
import MountSupport
import SystemPackage
import Testing

/// Semantics, "Two names": renaming within one container.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct RenamingTests {
    @Test(arguments: Ground.all, ["local", "cloud"])
    func `renaming to an unused name sets the display name, and the filename stays and still resolves`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("\(container)/Groceries.txt", "milk")
            let identity = try tree.identity("\(container)/Groceries.txt")
            try tree.rename("\(container)/Groceries.txt", to: "\(container)/Shopping list.txt")
            #expect(try !tree.exists("\(container)/Groceries.txt"))
            #expect(
                try tree.identity("\(container)/Shopping list.txt")
                    == Identity(id: identity.id, filename: identity.filename, displayName: "Shopping list"))
            #expect(try tree.text("\(container)/\(identity.filename)") == "milk")
            #expect(try tree.list("\(container)") == [identity.filename])
        }
    }

    @Test(arguments: Ground.all)
    func `renaming by filename works as by display name`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt", "milk")
            let filename = try tree.filename("local/Groceries.txt")
            try tree.rename("local/\(filename)", to: "local/Trip.txt")
            #expect(try tree.text("local/Trip.txt") == "milk")
            #expect(try tree.filename("local/Trip.txt") == filename)
            #expect(try !tree.exists("local/Groceries.txt"))
        }
    }

    @Test(arguments: Ground.all, [("Draft.txt", "Draft.md"), ("Draft.txt", "Draft"), ("Draft", "Letter.v2.txt")])
    func `renaming sets the extension when it changes`(ground: Ground, names: (old: String, new: String))
        async throws
    {
        try await withTree(on: ground, showing: .displayNames) { tree in
            try tree.create("local/\(names.old)", "text")
            let identifier = try tree.identifier("local/\(names.old)")
            try tree.rename("local/\(names.old)", to: "local/\(names.new)")
            #expect(try tree.list("local") == [names.new])
            #expect(try tree.identifier("local/\(names.new)") == identifier)
            // A filename that has just been generated for another extension is generated anew.
            let filename = try tree.filename("local/\(names.new)")
            #expect(FilePath(filename).extension == FilePath(names.new).extension)
            #expect(try tree.text("local/\(filename)") == "text")
        }
    }

    @Test(arguments: Ground.all, ["display name", "filename"])
    func `renaming into another folder keeps the document, by either name`(ground: Ground, name: String)
        async throws
    {
        try await withTree(on: ground) { tree in
            try tree.makeFolder("local/Folder")
            try tree.create("local/Groceries.txt", "milk")
            try tree.setAttribute("user.colour", to: Array("green".utf8), of: "local/Groceries.txt")
            let identity = try tree.identity("local/Groceries.txt")
            let typed = name == "filename" ? identity.filename : "Groceries.txt"
            try tree.rename("local/\(typed)", to: "local/Folder/\(typed)")
            #expect(try tree.identity("local/Folder/Groceries.txt") == identity)
            #expect(try tree.textAttribute("user.colour", of: "local/Folder/\(identity.filename)") == "green")
            #expect(try tree.list("local") == ["Folder"])
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a document renamed over another replaces its content, and the other stays itself`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            let (first, second): (DocumentPath, DocumentPath) = ("\(container)/First.txt", "\(container)/Second.txt")
            try tree.create(first, "first")
            try tree.create(second, "second")
            let identity = try tree.identity(second)
            try tree.rename(first, to: second)
            #expect(try !tree.exists(first))
            #expect(try tree.identity(second) == identity)
            #expect(try tree.text(second) == "first")
            #expect(try tree.list("\(container)") == [identity.filename])
        }
    }

    @Test(arguments: Ground.all, Listing.allCases)
    func `RENAME_NOREPLACE refuses a name that some document answers to`(ground: Ground, listing: Listing)
        async throws
    {
        try await withTree(on: ground, showing: listing) { tree in
            try tree.create("local/First.txt", "first")
            try tree.create("local/Second.txt", "second")
            let filename = try tree.filename("local/Second.txt")
            for name in ["Second.txt", filename] {
                #expect(throws: Errno.fileExists) {
                    try tree.rename("local/First.txt", to: "local/\(name)", .noReplace)
                }
            }
            #expect(try tree.text("local/First.txt") == "first")
            #expect(try tree.text("local/Second.txt") == "second")
            try tree.rename("local/First.txt", to: "local/Third.txt", .noReplace)
            #expect(try tree.text("local/Third.txt") == "first")
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `RENAME_EXCHANGE swaps the contents of two documents, which keep names and identities`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            let (first, second): (DocumentPath, DocumentPath) = ("\(container)/First.txt", "\(container)/Second.md")
            try tree.create(first, "one")
            try tree.create(second, "two, longer")
            let identities = try [tree.identity(first), tree.identity(second)]
            try tree.rename(first, to: second, .exchange)
            #expect(try tree.text(first) == "two, longer")
            #expect(try tree.text(second) == "one")
            #expect(try tree.status(first).size == 11)
            #expect(try [tree.identity(first), tree.identity(second)] == identities)
        }
    }

    @Test(arguments: Ground.all)
    func `RENAME_EXCHANGE needs two documents`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/First.txt", "one")
            try tree.makeSymbolicLink("local/link", to: "First.txt")
            #expect(throws: Errno.noSuchFileOrDirectory) {
                try tree.rename("local/First.txt", to: "local/Missing.txt", .exchange)
            }
            #expect(throws: Errno.invalidArgument) { try tree.rename("local/First.txt", to: "local/link", .exchange) }
            #expect(try tree.text("local/First.txt") == "one")
            #expect(try tree.symbolicLinkTarget("local/link") == "First.txt")
        }
    }

    @Test(arguments: Ground.all)
    func `a document is not renamed over a folder, nor a folder over a document`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Plan.txt", "plan")
            try tree.makeFolder("local/Folder")
            try tree.makeFolder("local/Full")
            try tree.create("local/Full/Plan.txt")
            #expect(throws: Errno.isDirectory) { try tree.rename("local/Plan.txt", to: "local/Folder") }
            #expect(throws: Errno.notDirectory) { try tree.rename("local/Folder", to: "local/Plan.txt") }
            #expect(throws: Errno.directoryNotEmpty) { try tree.rename("local/Folder", to: "local/Full") }
            #expect(throws: Errno.directoryNotEmpty) { try tree.removeFolder("local/Full") }
            #expect(throws: Errno.invalidArgument) { try tree.rename("local/Full", to: "local/Full/Inner") }
            #expect(try tree.text("local/Plan.txt") == "plan")
            #expect(try tree.status("local/Folder").isFolder)
        }
    }

    @Test(arguments: Ground.all)
    func `renaming a folder keeps what it holds`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.makeFolder("local/Old")
            try tree.makeFolder("local/Old/Inner")
            try tree.create("local/Old/Inner/Plan.txt", "plan")
            let identity = try tree.identity("local/Old/Inner/Plan.txt")
            try tree.rename("local/Old", to: "local/New")
            #expect(try tree.identity("local/New/Inner/Plan.txt") == identity)
            #expect(try tree.text("local/New/Inner/Plan.txt") == "plan")
            #expect(try !tree.exists("local/Old"))
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a document can be renamed again and again while it is open`(ground: Ground, container: String)
        async throws
    {
        try await withTree(on: ground) { tree in
            let document = try tree.open("\(container)/A.txt", .readWrite, .create)
            try document.write("one ")
            try tree.rename("\(container)/A.txt", to: "\(container)/B.txt")
            try document.write("two ")
            try tree.rename("\(container)/B.txt", to: "\(container)/C.txt")
            try document.write("three")
            try document.close()
            #expect(try tree.text("\(container)/C.txt") == "one two three")
            #expect(try tree.list("\(container)").count == 1)
        }
    }
}
