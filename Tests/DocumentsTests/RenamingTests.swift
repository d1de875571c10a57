@testable import Documents
import Testing

/// The kind and the names of an entry after a rename.
struct RenamingTests {
    private func renaming(
        _ source: RenamedEntry, to name: String, in place: NamingContext = .ordinary
    ) throws -> Renaming {
        RenameRule.renaming(source, to: try EntryName(name), in: place)
    }

    @Test(arguments: [
        ("Shopping.txt", "Shopping", "txt"), ("Groceries.md", "Groceries", "md"), ("Groceries", "Groceries", ""),
        ("groceries.txt", "groceries", "txt"), ("Untitled.txt", "Untitled", "txt"), ("a.tar.gz", "a.tar", "gz"),
    ])
    func `renaming sets display name and extension, and the generated filename stays`(
        name: String, displayName: String, pathExtension: String
    ) throws {
        let expected = Renaming(
            kind: .document, filename: .keep, name: .named(displayName, pathExtension), naming: .given)
        #expect(try renaming(.groceries, to: name) == expected)
        #expect(try renaming(.document("First line", naming: .automatic), to: name) == expected)
    }

    @Test(arguments: [
        (RenamedEntry.temporary, "Photos.zip"), (.document("Photos", isFresh: true), "Photos.zip"),
        (.document("Photos", isFresh: true), "Photos"),
    ])
    func `a filename that was just generated for another extension gives way when its document is renamed`(
        source: RenamedEntry, name: String
    ) throws {
        let renamed = DocumentName(splitting: try EntryName(name))
        #expect(
            try renaming(source, to: name)
                == Renaming(kind: .document, filename: .generate, name: renamed, naming: .given))
        var older = source
        older.isFilenameFresh = false
        #expect(
            try renaming(older, to: name) == Renaming(kind: .document, filename: .keep, name: renamed, naming: .given))
    }

    @Test func `a filename that was just generated stays where it has the extension of the new name`() throws {
        #expect(try renaming(.document("Photos", isFresh: true), to: "Shopping.txt").filename == .keep)
        #expect(try renaming(.temporary, to: "Photos").filename == .keep)
        #expect(try renaming(.temporary, to: "Photos 1. of May").filename == .keep)
        #expect(try renaming(.temporary, to: "2026-11-22-101501-a0b1") == Renaming(kind: .document, filename: .keep))
        #expect(try renaming(.temporary, to: "Photos.zip", in: .hidden).filename == .exactly("Photos.zip"))
    }

    @Test
    func `a file renamed to where a document was a moment ago becomes it, unless it is one of the other container`()
        throws
    {
        func continues(_ source: RenamedEntry, _ name: String, migrates: Bool = false) throws -> Bool {
            let plan = try RenameRule.plan(
                RenameRequest(
                    source: source, target: nil, isSame: false, name: try EntryName(name), destination: .ordinary,
                    migrates: migrates, canContinue: true, options: []))
            guard case .relocate(let renaming) = plan else { return false }
            return renaming == Renaming(kind: .document, identity: .continues, filename: .keep)
        }
        #expect(try continues(.groceries, "Plan.txt"))
        #expect(try !continues(.groceries, "Plan.txt", migrates: true))
        #expect(try continues(.scratch, "Plan.txt", migrates: true))
        #expect(try !continues(.groceries, "x.tmp"))
        for backup in ["Groceries.txt.bak", "Groceries.txt.1", "Groceries.old"] {
            #expect(try !continues(.groceries, backup), "\(backup)")
        }
        #expect(try !continues(.document("Groceries", "Groceries"), "Groceries.bak"))
        #expect(try continues(.document("Groceries", "Groceries"), "Groceries.txt"))
        #expect(try !continues(.folder, "Plan.txt"))
        var placeholder = RenamedEntry.groceries
        placeholder.isContentHere = false
        #expect(try !continues(placeholder, "Plan.txt"))
    }

    @Test func `a save may take 15 seconds`() {
        func contains(_ seconds: Int) -> Bool {
            SavingInterval.contains(
                Timestamp(seconds: 1000 + seconds, nanoseconds: 0), from: Timestamp(seconds: 1000, nanoseconds: 0))
        }
        #expect(contains(0) && contains(14))
        #expect(!contains(15) && !contains(-1))
    }

    @Test func `names are compared byte for byte`() throws {
        let composed = RenamedEntry.document("caf\u{e9}")
        #expect(try renaming(composed, to: "caf\u{e9}.txt").name == nil)
        #expect(try renaming(composed, to: "cafe\u{301}.txt").name == .named("cafe\u{301}"))
    }

    @Test(arguments: [Naming.given, .automatic, .untitled])
    func `moving a document under a name that it already has changes no name`(naming: Naming) throws {
        let document = RenamedEntry.document("Groceries", naming: naming)
        let unchanged = Renaming(kind: .document, filename: .keep)
        #expect(try renaming(document, to: "Groceries.txt") == unchanged)
        #expect(try renaming(document, to: RenamedEntry.generatedFilename) == unchanged)
    }

    @Test(arguments: [Naming.given, .automatic])
    func `moving under the display name keeps it where it has a dot and the document no extension`(
        naming: Naming
    ) throws {
        let document = RenamedEntry.document("Version 1.2", "", filename: "2026-11-21-041233-7f3a", naming: naming)
        #expect(try renaming(document, to: "Version 1.2") == Renaming(kind: .document, filename: .keep))
    }

    @Test func `a document that nobody has named moves as Untitled and stays unnamed`() throws {
        let untitled = RenamedEntry.document("First line", naming: .untitled)
        #expect(try renaming(untitled, to: "Untitled.txt") == Renaming(kind: .document, filename: .keep))
        #expect(try renaming(untitled, to: "Untitled.md").name == .named("Untitled", "md"))
        #expect(try renaming(untitled, to: "Untitled").name == .named("Untitled", ""))
        let named = RenamedEntry.document("First line", naming: .automatic)
        #expect(
            try renaming(named, to: "Untitled.txt")
                == Renaming(kind: .document, filename: .keep, name: .named("Untitled"), naming: .given))
    }

    @Test(arguments: [NamingContext.ordinary, .hidden, .trash], ["Name", ".name", "a.tmp", "x.tar.gz"])
    func `folders and symbolic links are called what people call them`(place: NamingContext, name: String) throws {
        #expect(try renaming(.folder, to: name, in: place) == Renaming(kind: .folder, filename: .exactly(name)))
        // A link under a scratch name, or in the trash, is scratch.
        let isScratch = place == .trash || name == "a.tmp"
        for (link, change) in [(RenamedEntry.link, IdentityChange.ends), (.scratchLink, .begins)] {
            let identity = (change == .ends) == isScratch ? change : .none
            #expect(
                try renaming(link, to: name, in: place)
                    == Renaming(kind: .symbolicLink, identity: identity, filename: .exactly(name)))
        }
    }

    @Test(arguments: [RenamedEntry.groceries, .scratch])
    func `under a scratch name, or in the trash, a file is scratch`(source: RenamedEntry) throws {
        #expect(
            try renaming(source, to: "notes.txt~")
                == Renaming(
                    kind: .scratch, identity: source.kind == .document ? .ends : .none, filename: .exactly("notes.txt~")
                ))
        #expect(
            try renaming(source, to: "a.tmp", in: .hidden)
                == Renaming(
                    kind: .scratch, identity: source.kind == .document ? .ends : .none, filename: .exactly("a.tmp")))
        #expect(
            try renaming(source, to: "Groceries.txt", in: .trash)
                == Renaming(
                    kind: .scratch, identity: source.kind == .document ? .ends : .none,
                    filename: .exactly("Groceries.txt")))
    }

    @Test func `a scratch file under another name is a new document`() throws {
        #expect(
            try renaming(.scratch, to: "Groceries.txt")
                == Renaming(
                    kind: .document, identity: .begins, filename: .generate, name: .named("Groceries"), naming: .given))
        #expect(
            try renaming(.scratch, to: "Untitled.txt")
                == Renaming(
                    kind: .document, identity: .begins, filename: .generate, name: .named("Untitled"), naming: .untitled
                ))
        #expect(
            try renaming(.scratch, to: ".bashrc")
                == Renaming(
                    kind: .document, identity: .begins, filename: .exactly(".bashrc"), name: .named(".bashrc", ""),
                    naming: .given)
        )
        #expect(
            try renaming(.scratch, to: "config", in: .hidden)
                == Renaming(
                    kind: .document, identity: .begins, filename: .exactly("config"), name: .named("config", ""),
                    naming: .given))
    }

    @Test func `dotfiles and what is inside dot folders have their name for filename`() throws {
        #expect(
            try renaming(.groceries, to: ".groceries")
                == Renaming(
                    kind: .document, filename: .exactly(".groceries"), name: .named(".groceries", ""), naming: .given))
        #expect(
            try renaming(.groceries, to: "Groceries.txt", in: .hidden)
                == Renaming(kind: .document, filename: .exactly("Groceries.txt")))
        #expect(
            try renaming(.groceries, to: RenamedEntry.generatedFilename, in: .hidden)
                == Renaming(kind: .document, filename: .keep))
    }

    @Test func `a document that leaves a dot folder gets a generated filename, unless it has one`() throws {
        let config = RenamedEntry.document("config", "ini", filename: "config.ini", isGenerated: false)
        #expect(try renaming(config, to: "config.ini") == Renaming(kind: .document, filename: .generate))
        #expect(
            try renaming(config, to: "settings.ini")
                == Renaming(kind: .document, filename: .generate, name: .named("settings", "ini"), naming: .given))
        #expect(
            try renaming(config, to: "config.ini", in: .hidden) == Renaming(kind: .document, filename: .keep))
        #expect(try renaming(.groceries, to: "Groceries.txt") == Renaming(kind: .document, filename: .keep))
    }
}

struct NamingPlaceTests {
    @Test(arguments: [
        ("Photos", NamingContext.ordinary), (".git", .hidden), (".Trash-1000", .trash), ("Old~", .ordinary),
        ("build.tmp", .ordinary),
    ])
    func `a folder's name decides what the names in it mean`(name: String, place: NamingContext) throws {
        #expect(NamingContext.ordinary.folder(try EntryName(name)) == place)
    }

    @Test func `a folder inside a dot folder or the trash is treated as that folder`() throws {
        #expect(NamingContext.hidden.folder(try EntryName("objects")) == .hidden)
        #expect(NamingContext.trash.folder(try EntryName("files")) == .trash)
        #expect(NamingContext.hidden.folder(try EntryName(".Trash-1000")) == .trash)
    }

    @Test func `a naming context says which files are scratch and which keep their names`() throws {
        #expect(NamingContext.ordinary.isScratch(try EntryName("a.tmp")))
        #expect(!NamingContext.ordinary.isScratch(try EntryName("a.txt")))
        #expect(NamingContext.trash.isScratch(try EntryName("a.txt")))
        #expect(NamingContext.ordinary.keepsName(try EntryName(".bashrc")))
        #expect(!NamingContext.ordinary.keepsName(try EntryName("a.txt")))
        #expect(NamingContext.hidden.keepsName(try EntryName("a.txt")))
    }

    /// As `cp -a` back from a backup, which has the files under their filenames.
    @Test func `a name that docfs once generated becomes the filename again, if the document has none`() throws {
        func filename(_ source: RenamedEntry, in place: NamingContext = .ordinary) throws -> FilenameChoice {
            let name = try EntryName(RenamedEntry.generatedFilename)
            return RenameRule.renaming(source, to: name, in: place, couldBeGenerated: true).filename
        }
        #expect(try filename(.scratch) == .restored(RenamedEntry.generatedFilename))
        #expect(try filename(.plan) == .keep)
        #expect(try filename(.scratch, in: .hidden) == .exactly(RenamedEntry.generatedFilename))
        let config = RenamedEntry.document(".config", "ini", filename: ".config.ini", isGenerated: false)
        #expect(try filename(config) == .restored(RenamedEntry.generatedFilename))
    }

    @Test func `a file is created with the identity and the names that it would get by a rename`() throws {
        for name in ["Plan.txt", "4913", ".bashrc", "Untitled.txt", "x.tmp"] {
            for place in [NamingContext.ordinary, .hidden, .trash] {
                let name = try EntryName(name)
                #expect(
                    RenameRule.creation(of: name, in: place, couldBeGenerated: false)
                        == RenameRule.renaming(.scratch, to: name, in: place))
            }
        }
    }

    @Test func `in a trash folder all files are scratch, and elsewhere those with such names`() throws {
        let name = try EntryName("a.tmp")
        for entry in [RenamedEntry.scratch, .groceries, .link] {
            #expect(RenameRule.isScratch(entry, as: name, in: .ordinary))
            #expect(RenameRule.isScratch(entry, as: try EntryName("Plan.txt"), in: .trash))
            #expect(!RenameRule.isScratch(entry, as: try EntryName("Plan.txt"), in: .ordinary))
        }
        #expect(!RenameRule.isScratch(.folder, as: name, in: .ordinary))
        #expect(RenameRule.isScratch(.folder, as: name, in: .trash))
        // A document keeps a name that it has, whatever it looks like.
        #expect(!RenameRule.isScratch(.document("a", "tmp"), as: name, in: .ordinary))
    }
}
