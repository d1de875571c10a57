import MountSupport
import SystemPackage
import Testing

/// Semantics, "State".
@Suite(.mounting, .timeLimit(.minutes(15)))
struct StateTests {
    /// In the cloud an upload may be under way in the moment in which a state is read.
    private let uploading: Set = ["progressAvailable"]

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `F.state resolves for any name of the document, and is not listed`(ground: Ground, container: String)
        async throws
    {
        try await withTree(on: ground) { tree in
            try tree.create("\(container)/Groceries.txt", "milk")
            let identity = try tree.identity("\(container)/Groceries.txt")
            for name in ["Groceries.txt", identity.filename] {
                let state = try tree.state("\(container)/\(name)")
                #expect(state.flags.subtracting(uploading) == ["closed"] && state["indicator"] == "green")
                #expect(state["displayName"] == "Groceries" && state["filename"] == identity.filename)
                #expect(state["id"] == identity.id && state["location"] == container && state["size"] == "4")
            }
            #expect(try tree.list("\(container)") == [identity.filename])
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a state read right after close says closed, and normal while somebody has the document open`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            for round in 1...20 {
                let document = try tree.open("\(container)/Groceries.txt", .readWrite, .create)
                try document.write("round \(round)")
                #expect(try tree.state("\(container)/Groceries.txt").flags.isSubset(of: uploading.union(["normal"])))
                try document.close()
                #expect(try tree.state("\(container)/Groceries.txt").flags.subtracting(uploading) == ["closed"])
            }
        }
    }

    @Test(arguments: Ground.all)
    func `names and size in a state follow a rename and a write at once`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt", "milk")
            try tree.rename("local/Groceries.txt", to: "local/Shopping.txt")
            try tree.append("local/Shopping.txt", ", eggs")
            #expect(try tree.state("local/Shopping.txt")["displayName"] == "Shopping")
            #expect(try tree.state("local/Shopping.txt")["size"] == "10")
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.state("local/Groceries.txt") }
        }
    }

    @Test(arguments: Ground.all)
    func `the state of a folder has a line for each document, in listing order`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.makeFolder("local/Folder")
            for name in ["B.txt", "A.txt", "scratch.tmp"] { try tree.create("local/Folder/\(name)") }
            let rows = try tree.folderState("local/Folder").rows
            #expect(rows.map(\.displayName) == ["B", "A"])
            #expect(try rows.map(\.filename) == tree.list("local/Folder").filter { $0 != "scratch.tmp" })
            #expect(rows.allSatisfy { $0.indicator == "green" && $0.flags == ["closed"] })
        }
    }

    @Test(arguments: Ground.all)
    func `a document that really has the name of a state wins`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt", "milk")
            try tree.create("local/Groceries.txt.state", "mine")
            #expect(try tree.text("local/Groceries.txt.state") == "mine")
            #expect(try tree.textAttribute("user.document.state", of: "local/Groceries.txt").contains("closed"))
        }
    }
}
