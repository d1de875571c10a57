import MountSupport
import SystemPackage
import Testing

/// Semantics, "Two names" and "Order": what `ls -U` shows in either mode.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ListingTests {
    @Test(arguments: Ground.all, ["local", "cloud"])
    func `ls shows filenames`(ground: Ground, container: String) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("\(container)/Groceries.txt")
            try tree.makeFolder("\(container)/Folder")
            #expect(try tree.list("\(container)") == [tree.filename("\(container)/Groceries.txt"), "Folder"])
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `--show display-names shows display names instead`(ground: Ground, container: String) async throws {
        try await withTree(on: ground, showing: .displayNames) { tree in
            try tree.create("\(container)/Groceries.txt")
            try tree.create("\(container)/README")
            #expect(try tree.list("\(container)") == ["Groceries.txt", "README"])
            try tree.rename("\(container)/Groceries.txt", to: "\(container)/Shopping.txt")
            #expect(try tree.list("\(container)") == ["Shopping.txt", "README"])
            try tree.setDisplayName("Read me", of: "\(container)/README")
            #expect(try tree.list("\(container)") == ["Shopping.txt", "Read me"])
        }
    }

    @Test(arguments: Ground.all)
    func `a document whose display name another in the folder already shows is listed by its filename`(
        ground: Ground
    ) async throws {
        try await withTree(on: ground, showing: .displayNames) { tree in
            try tree.create("local/Notes.txt")
            try tree.create("local/Other.txt")
            let filename = try tree.filename("local/Other.txt")
            try tree.setDisplayName("Notes", of: "local/Other.txt")
            #expect(try tree.list("local") == ["Notes.txt", filename])
            // In another folder the name is free.
            try tree.makeFolder("local/Folder")
            try tree.create("local/Folder/Notes.txt")
            #expect(try tree.list("local/Folder") == ["Notes.txt"])
            try tree.remove("local/Notes.txt")
            #expect(try tree.list("local") == ["Notes.txt", "Folder"])
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `new documents stand last, and saved or renamed ones keep their place`(ground: Ground, container: String)
        async throws
    {
        try await withTree(on: ground, showing: .displayNames) { tree in
            for name in ["zebra.txt", "apple.txt", "Mango.txt", "1.txt"] { try tree.create("\(container)/\(name)") }
            try tree.write("\(container)/zebra.txt", "new")
            try tree.rename("\(container)/apple.txt", to: "\(container)/pear.txt")
            try tree.create("\(container)/mango.tmp", "new")
            try tree.rename("\(container)/mango.tmp", to: "\(container)/Mango.txt")
            #expect(try tree.list("\(container)") == ["zebra.txt", "pear.txt", "Mango.txt", "1.txt"])
        }
    }
}
