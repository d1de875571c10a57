import MountSupport
import SystemPackage
import Testing

/// Names that are refused, with nothing changed.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct RefusedNamesTests {
    @Test(arguments: Ground.all)
    func `a name that is not UTF-8 is EILSEQ`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let broken: DocumentPath = "local" / [0x61, 0xFF, 0x62]
            try tree.create("local/Document.txt")
            #expect(throws: Errno.illegalByteSequence) { try tree.create(broken) }
            #expect(throws: Errno.illegalByteSequence) { try tree.makeFolder(broken) }
            #expect(throws: Errno.illegalByteSequence) { try tree.makeSymbolicLink(broken, to: "target") }
            #expect(throws: Errno.illegalByteSequence) { try tree.rename("local/Document.txt", to: broken) }
            #expect(try tree.exists("local/Document.txt"))
            #expect(try tree.list("local").count == 1)
        }
    }

    /// What stands there would be hidden, on all devices.
    @Test(arguments: Ground.all, [".state", ".order", ".undo", ".redo", ".location"])
    func `a name that is docfs's own is refused, and nothing changes`(ground: Ground, name: String) async throws {
        try await withTree(on: ground) { tree in
            try tree.makeFolder("local/Folder")
            for folder in ["local", "cloud", "local/Folder"] {
                let taken: DocumentPath = "\(folder)/\(name)"
                try tree.create("\(folder)/Document.txt")
                try tree.create("\(folder)/scratch.tmp")
                try tree.makeFolder("\(folder)/Inner")
                // Where docfs shows something under the name, EEXIST is as good a refusal.
                #expect(throws: (any Error).self) { try tree.makeFolder(taken) }
                #expect(throws: (any Error).self) { try tree.makeSymbolicLink(taken, to: "target") }
                #expect(throws: (any Error).self) { try tree.rename("\(folder)/Inner", to: taken) }
                for source: DocumentPath in ["\(folder)/Document.txt", "\(folder)/scratch.tmp"] {
                    #expect(throws: Errno.permissionDenied) { try tree.rename(source, to: taken) }
                }
                #expect(try tree.list("\(folder)").count == (folder == "local" ? 4 : 3))
            }
            try tree.create("local/Folder/Untyped")
            #expect(throws: Errno.permissionDenied) {
                try tree.setAttribute("user.displayName", to: Array(name.utf8), of: "local/Folder/Untyped")
            }
        }
    }

    @Test(arguments: Ground.all)
    func `a name of more than 255 bytes is ENAMETOOLONG`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let longest: DocumentPath = "local/\(String(repeating: "a", count: 251)).txt"
            let tooLong: DocumentPath = "local/\(String(repeating: "a", count: 252)).txt"
            try tree.create(longest, "content")
            #expect(throws: Errno.fileNameTooLong) { try tree.create(tooLong) }
            #expect(throws: Errno.fileNameTooLong) { try tree.makeFolder(tooLong) }
            #expect(throws: Errno.fileNameTooLong) { try tree.rename(longest, to: tooLong) }
            #expect(throws: Errno.fileNameTooLong) { try tree.status(tooLong) }
            #expect(try tree.text(longest) == "content")
        }
    }

    @Test(arguments: Ground.all)
    func `local and cloud themselves can be neither renamed nor removed`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            for folder: DocumentPath in ["local", "cloud"] {
                #expect(throws: Errno.resourceBusy) { try tree.rename(folder, to: "other") }
                #expect(throws: Errno.resourceBusy) { try tree.removeFolder(folder) }
            }
        }
    }

    @Test(arguments: Ground.all)
    func `a name that does not exist is ENOENT`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let missing: DocumentPath = "local/Missing.txt"
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.status(missing) }
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.open(missing, .readWrite, []) }
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.remove(missing) }
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.removeFolder(missing) }
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.rename(missing, to: "local/x") }
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.state(missing) }
            #expect(throws: Errno.noSuchFileOrDirectory) { try tree.create("local/Missing/Plan.txt") }
        }
    }

    @Test(arguments: Ground.all)
    func `attributes other than user attributes are EOPNOTSUPP`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt")
            for name in ["trusted.colour", "user."] {
                #expect(throws: name == "user." ? Errno.invalidArgument : Errno.notSupported) {
                    try tree.setAttribute(name, to: [1], of: "local/Groceries.txt")
                }
            }
        }
    }
}
