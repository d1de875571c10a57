import MountSupport
import SystemPackage
import Testing

/// Semantics, "Saving".
@Suite(.mounting, .timeLimit(.minutes(15)))
struct SavingTests {
    /// Makes a document between two others, so that its place in the order can be told.
    private static func makeDocument(in folder: String, _ tree: any DocumentTree) throws -> Identity {
        try tree.create("\(folder)/Before.txt", "before")
        try tree.create("\(folder)/Groceries.txt", "old content")
        try tree.create("\(folder)/After.txt", "after")
        try tree.setAttribute("user.colour", to: Array("green".utf8), of: "\(folder)/Groceries.txt")
        return try tree.identity("\(folder)/Groceries.txt")
    }

    /// Expects the document to be the same one, with the new content.
    private static func expectSaved(
        _ identity: Identity, in folder: String, _ tree: any DocumentTree,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let document: DocumentPath = "\(folder)/Groceries.txt"
        #expect(try tree.identity(document) == identity, sourceLocation: sourceLocation)
        #expect(try tree.text(document) == "new content", sourceLocation: sourceLocation)
        #expect(try tree.text("\(folder)/\(identity.filename)") == "new content", sourceLocation: sourceLocation)
        #expect(try tree.textAttribute("user.colour", of: document) == "green", sourceLocation: sourceLocation)
        #expect(try tree.status(document).size == 11, sourceLocation: sourceLocation)
    }

    private static let temporaryNames = [
        ".goutputstream-A1B2C3", "sedAb12Cd", "Groceries.txt.tmp", "Groceries.txt.new", "lu1234abcd.txt", "ziAbC123",
    ]

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a temporary file renamed over a document leaves it id, filename, display name, attributes and place`(
        ground: Ground, container: String
    ) async throws {
        for temporaryName in Self.temporaryNames {
            try await withTree(on: ground) { tree in
                let identity = try Self.makeDocument(in: container, tree)
                let order = try tree.list("\(container)")
                try tree.create("\(container)/\(temporaryName)", "new content")
                try tree.rename("\(container)/\(temporaryName)", to: "\(container)/Groceries.txt")
                try Self.expectSaved(identity, in: container, tree)
                #expect(try tree.list("\(container)") == order, "\(temporaryName)")
                #expect(try !tree.exists("\(container)/\(temporaryName)"), "\(temporaryName)")
            }
        }
    }

    @Test(arguments: Ground.all)
    func `a temporary file renamed over a document by its filename replaces its content`(ground: Ground)
        async throws
    {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: "local", tree)
            try tree.create("local/new.tmp", "new content")
            try tree.rename("local/new.tmp", to: "local/\(identity.filename)")
            try Self.expectSaved(identity, in: "local", tree)
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a reader sees the old or the new content, whole`(ground: Ground, container: String) async throws {
        try await withTree(on: ground) { tree in
            let old = String(repeating: "o", count: 300_000)
            let new = String(repeating: "n", count: 301_000)
            try tree.create("\(container)/Report.txt", old)
            let reader = try tree.open("\(container)/Report.txt", .readOnly, [])
            let start = try reader.read(4096, at: 0)
            try tree.create("\(container)/Report.txt.new", new)
            try tree.rename("\(container)/Report.txt.new", to: "\(container)/Report.txt")
            #expect(start.allSatisfy { $0 == UInt8(ascii: "o") })
            #expect(try reader.text() == old)
            #expect(try tree.text("\(container)/Report.txt") == new)
            #expect(try tree.status("\(container)/Report.txt").size == 301_000)
            try reader.close()
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `renamed to a backup name and written anew, a document is the same document again`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: container, tree)
            let backup: DocumentPath = "\(container)/Groceries.txt~"
            try tree.rename("\(container)/Groceries.txt", to: backup)
            try tree.create("\(container)/Groceries.txt", "new content")
            try Self.expectSaved(identity, in: container, tree)
            // The backup is a scratch file.
            #expect(try tree.text(backup) == "old content")
            #expect(try !tree.exists("\(backup).state"))
            #expect(try tree.list("\(container)").contains("Groceries.txt~"))
            try tree.remove(backup)
            try Self.expectSaved(identity, in: container, tree)
        }
    }

    @Test(arguments: Ground.all)
    func `a backup whose name is no scratch name is a new document`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: "local", tree)
            try tree.rename("local/Groceries.txt", to: "local/Groceries.txt.bak")
            try tree.create("local/Groceries.txt", "new content")
            try Self.expectSaved(identity, in: "local", tree)
            #expect(try tree.text("local/Groceries.txt.bak") == "old content")
            #expect(try tree.identifier("local/Groceries.txt.bak") != identity.id)
            #expect(try tree.filename("local/Groceries.txt.bak") != identity.filename)
        }
    }

    @Test(arguments: Ground.all)
    func `moved aside and replaced by a rename, a document is the same document again`(ground: Ground)
        async throws
    {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: "local", tree)
            try tree.create("local/new.tmp", "new content")
            try tree.rename("local/Groceries.txt", to: "local/Groceries.txt~")
            try tree.rename("local/new.tmp", to: "local/Groceries.txt")
            try Self.expectSaved(identity, in: "local", tree)
            #expect(try tree.text("local/Groceries.txt~") == "old content")
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `deleted and created again within 15 seconds, a document is the same document again`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: container, tree)
            try tree.remove("\(container)/Groceries.txt")
            #expect(try !tree.exists("\(container)/Groceries.txt"))
            #expect(try !tree.exists("\(container)/\(identity.filename)"))
            let document = try tree.open("\(container)/Groceries.txt", .readWrite, [.create, .exclusiveCreate])
            #expect(try document.text() == "")
            try document.write("new content")
            try document.close()
            try Self.expectSaved(identity, in: container, tree)
            #expect(try tree.list("\(container)").count == 3)
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `deleted and replaced by something renamed there, as zip does, a document is the same document again`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: container, tree)
            try tree.create("\(container)/ziAbC123", "new content")
            try tree.remove("\(container)/Groceries.txt")
            try tree.rename("\(container)/ziAbC123", to: "\(container)/Groceries.txt")
            try Self.expectSaved(identity, in: container, tree)
            #expect(try tree.list("\(container)").count == 3)
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a temporary name without extension leaves no trace`(ground: Ground, container: String) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("\(container)/ziAbC123", "archive")
            let temporary = try tree.filename("\(container)/ziAbC123")
            try tree.rename("\(container)/ziAbC123", to: "\(container)/Archive.zip")
            let filename = try tree.filename("\(container)/Archive.zip")
            #expect(!temporary.contains(".") && filename.hasSuffix(".zip"))
            #expect(try tree.list("\(container)") == [filename])
            #expect(try tree.displayName("\(container)/\(filename)") == "Archive")
            #expect(try tree.text("\(container)/Archive.zip") == "archive")
        }
    }

    @Test(arguments: Ground.all)
    func `another name after a deletion is another document`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: "local", tree)
            try tree.remove("local/Groceries.txt")
            try tree.create("local/Shopping.txt", "new content")
            #expect(try tree.identifier("local/Shopping.txt") != identity.id)
            #expect(try tree.filename("local/Shopping.txt") != identity.filename)
            #expect(throws: Errno.noData) { try tree.attribute("user.colour", of: "local/Shopping.txt") }
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `writing in place keeps the document`(ground: Ground, container: String) async throws {
        try await withTree(on: ground) { tree in
            let identity = try Self.makeDocument(in: container, tree)
            let order = try tree.list("\(container)")
            try tree.write("\(container)/Groceries.txt", "new")
            try tree.append("\(container)/Groceries.txt", " content")
            try Self.expectSaved(identity, in: container, tree)
            #expect(try tree.list("\(container)") == order)
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a document that is deleted while it is open keeps its content for those who have it open`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("\(container)/Groceries.txt", "milk\n")
            let document = try tree.open("\(container)/Groceries.txt", .readWrite, .append)
            try tree.remove("\(container)/Groceries.txt")
            #expect(try document.text() == "milk\n")
            #expect(try document.status().links == 0)
            try document.write("eggs\n")
            try document.synchronize()
            #expect(try document.text() == "milk\neggs\n")
            #expect(try tree.list("\(container)") == [])
            try document.close()
            #expect(try tree.list("\(container)") == [])
        }
    }
}
