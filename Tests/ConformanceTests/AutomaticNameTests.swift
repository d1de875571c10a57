import MountSupport
import SystemPackage
import Testing

/// Semantics, "Automatic names". The kernel tells of a close a moment later, so what a save does is awaited.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct AutomaticNameTests {
    @Test(arguments: Ground.all, ["Untitled.txt", "Untitled"])
    func `an automatic display name is the first non-blank line of the text, at each save`(
        ground: Ground, name: String
    ) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/\(name)", "\n  \t \n   Hello world  \nsecond line\n")
            let filename = try tree.filename("local/\(name)")
            try await eventually { try tree.displayName("local/\(filename)") == "Hello world" }
            #expect(try tree.filename("local/\(name.replacing("Untitled", with: "Hello world"))") == filename)
            try tree.write("local/\(name)", "Good morning")
            try await eventually { try tree.displayName("local/\(filename)") == "Good morning" }
            #expect(try tree.list("local") == [filename])
        }
    }

    @Test(arguments: Ground.all)
    func `without text an automatic display name is the stem of the filename`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Untitled.txt")
            #expect(try tree.displayName("local/Untitled.txt") + ".txt" == tree.filename("local/Untitled.txt"))
        }
    }

    @Test(arguments: Ground.all)
    func `Untitled.EXT means the newest such document, but with O_EXCL, which always makes a fresh one`(
        ground: Ground
    ) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Untitled.txt", "First\n")
            let first = try tree.identity("local/Untitled.txt")
            try tree.append("local/Untitled.txt", "more\n")
            #expect(try tree.text("local/Untitled.txt") == "First\nmore\n")
            try tree.create("local/Untitled.txt", "Second\n")
            #expect(try tree.identifier("local/Untitled.txt") != first.id)
            #expect(try tree.text("local/Untitled.txt") == "Second\n")
            #expect(try tree.text("local/\(first.filename)") == "First\nmore\n")
            #expect(try !tree.exists("local/Untitled.md"))
            #expect(try tree.list("local").count == 2)
            try tree.remove("local/Untitled.txt")
            #expect(try tree.filename("local/Untitled.txt") == first.filename)
        }
    }

    @Test(arguments: Ground.all)
    func `removing user.displayName makes a display name automatic again`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt", "First line\n")
            let filename = try tree.filename("local/Groceries.txt")
            try tree.removeAttribute("user.displayName", of: "local/Groceries.txt")
            #expect(try tree.displayName("local/\(filename)") == "First line")
            #expect(try !tree.exists("local/Groceries.txt"))
            try tree.write("local/\(filename)", "Changed\n")
            try await eventually { try tree.displayName("local/\(filename)") == "Changed" }
        }
    }

    @Test(arguments: Ground.all)
    func `a display name is automatic until someone sets it`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Untitled.txt", "Title\n")
            try tree.rename("local/Untitled.txt", to: "local/Letter.txt")
            #expect(try !tree.exists("local/Untitled.txt"))
            try tree.write("local/Letter.txt", "Another title\n")
            // The name of another document shows that the saves before were heard of.
            try tree.create("local/Untitled.txt", "Other\n")
            try await eventually { try tree.displayName("local/Untitled.txt") == "Other" }
            #expect(try tree.displayName("local/Letter.txt") == "Letter")
        }
    }
}
