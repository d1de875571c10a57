import MountSupport
import SystemPackage
import Testing

/// Semantics, "Dotfiles and scratch files".
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ScratchFileTests {
    static let scratchNames = [
        "notes~", "#notes#", ".#lock", "a.swp", "a.swo", "a.swx", "b.tmp", "c.part", "d.crdownload", "~$letter.docx",
        ".~lock.letter.odt#", ".goutputstream-A1B2C3", ".fuse_hidden0000000100000001", ".nfs000000000000000100000001",
        "4913", "sedAb12Cd", ".Trash-1000", ".DS_Store",
    ]

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `scratch files are no documents: they keep their names and have no state`(ground: Ground, container: String)
        async throws
    {
        try await withTree(on: ground) { tree in
            for name in Self.scratchNames { try tree.create("\(container)/\(name)", name) }
            #expect(try tree.list("\(container)") == Self.scratchNames)
            for name in Self.scratchNames {
                let file: DocumentPath = "\(container)/\(name)"
                #expect(try tree.text(file) == name)
                #expect(try !tree.exists("\(file).state"), "\(name)")
                #expect(throws: Errno.noData, "\(name)") { try tree.identifier(file) }
                #expect(throws: Errno.noData, "\(name)") { try tree.displayName(file) }
            }
            #expect(try tree.folderState("\(container)").rows == [])
        }
    }

    @Test(arguments: Ground.all)
    func `a file that only resembles a scratch file is a document`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let names = ["4913.txt", "sedAb12C", "notes.tmpx", "#notes", "a.part.txt", "swp", "~notes"]
            for name in names { try tree.create("local/\(name)", name) }
            #expect(try Set(tree.list("local")).isDisjoint(with: names))
            for name in names { #expect(try tree.exists("local/\(name).state"), "\(name)") }
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `a scratch file renamed to an ordinary name becomes a document`(ground: Ground, container: String)
        async throws
    {
        try await withTree(on: ground) { tree in
            try tree.create("\(container)/download.part", "content")
            try tree.rename("\(container)/download.part", to: "\(container)/Film.mp4")
            #expect(try tree.text("\(container)/Film.mp4") == "content")
            #expect(try tree.displayName("\(container)/Film.mp4") == "Film")
            #expect(try tree.list("\(container)") == [tree.filename("\(container)/Film.mp4")])
            #expect(try tree.filename("\(container)/Film.mp4") != "Film.mp4")
        }
    }

    @Test(arguments: Ground.all, Listing.allCases)
    func `dotfiles keep the name they were given as their filename`(ground: Ground, listing: Listing) async throws {
        try await withTree(on: ground, showing: listing) { tree in
            try tree.create("local/.profile", "content")
            #expect(try tree.filename("local/.profile") == ".profile")
            #expect(try tree.state("local/.profile")["filename"] == ".profile")
            try tree.rename("local/.profile", to: "local/.zprofile")
            #expect(try tree.list("local") == [".zprofile"])
            #expect(try tree.text("local/.zprofile") == "content")
        }
    }

    @Test(arguments: Ground.all)
    func `everything inside a folder whose name starts with a dot keeps its name`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.makeFolder("local/.git")
            try tree.makeFolder("local/.git/refs")
            try tree.create("local/.git/refs/main", "old")
            // As git replaces its index.
            try tree.create("local/.git/refs/main.lock", "new")
            try tree.rename("local/.git/refs/main.lock", to: "local/.git/refs/main")
            #expect(try tree.list("local/.git/refs") == ["main"])
            #expect(try tree.text("local/.git/refs/main") == "new")
            try tree.rename("local/.git/refs/main", to: "local/.git/refs/trunk")
            #expect(try tree.list("local/.git/refs") == ["trunk"])
        }
    }
}
