import Documents
import Testing

/// The plans of renames: their effect on the entries of both names.
struct RenamePlanTests {
    private func plan(
        _ source: RenamedEntry, over target: RenamedEntry?, isSame: Bool = false, name: String = "Name.txt",
        in destination: NamingContext = .ordinary, migrates: Bool = false, options: RenameOptions = []
    ) throws -> RenamePlan {
        try RenameRule.plan(
            RenameRequest(
                source: source, target: target, isSame: isSame, name: try EntryName(name), destination: destination,
                staysInFolder: !migrates, migrates: migrates, options: options))
    }

    @Test(arguments: [false, true])
    func `renaming to an unused name relocates`(migrates: Bool) throws {
        #expect(
            try plan(.groceries, over: nil, name: "Shopping.txt", migrates: migrates)
                == .relocate(Renaming(kind: .document, filename: .keep, name: .named("Shopping"), naming: .given)))
        #expect(
            try plan(.groceries, over: nil, name: "Shopping.txt", migrates: migrates, options: .noReplace)
                == .relocate(Renaming(kind: .document, filename: .keep, name: .named("Shopping"), naming: .given)))
        #expect(
            try plan(.folder, over: nil, name: "Other", migrates: migrates)
                == .relocate(Renaming(kind: .folder, filename: .exactly("Other"))))
    }

    @Test func `a filename that was just generated stays in the other container`() throws {
        let renamed = Renaming(kind: .document, filename: .generate, name: .named("Photos", "zip"), naming: .given)
        #expect(try plan(.temporary, over: nil, name: "Photos.zip") == .relocate(renamed))
        #expect(
            try plan(.temporary, over: nil, name: "Photos.zip", migrates: true)
                == .relocate(Renaming(kind: .document, filename: .keep, name: .named("Photos", "zip"), naming: .given)))
    }

    @Test(arguments: [RenamedEntry.groceries, .folder, .scratch, .link])
    func `renaming between two names of one entry does nothing`(entry: RenamedEntry) throws {
        #expect(try plan(entry, over: entry, isSame: true) == .nothing)
        #expect(try plan(entry, over: entry, isSame: true, migrates: true) == .nothing)
        #expect(try plan(entry, over: entry, isSame: true, options: .exchange) == .nothing)
    }

    @Test(arguments: [RenamedEntry.scratch, .plan, .document("Groceries.txt", "new")])
    func `a file renamed over a document gives it its content, and the document stays what it is`(
        source: RenamedEntry
    ) throws {
        #expect(try plan(source, over: .groceries, name: "Groceries.txt") == .replaceContent())
        #expect(
            try plan(source, over: .document(".bashrc", "", filename: ".bashrc", isGenerated: false), name: ".bashrc")
                == .replaceContent())
    }

    @Test func `saving by rename works in a folder that keeps names`() throws {
        let config = RenamedEntry.document("config", "", filename: "config", isGenerated: false)
        let lock = RenamedEntry.document("config", "lock", filename: "config.lock", isGenerated: false)
        #expect(try plan(lock, over: config, name: "config", in: .hidden) == .replaceContent())
    }

    @Test func `over what is no document the source takes the name`() throws {
        #expect(
            try plan(.scratch, over: .scratch, name: "4913")
                == .replaceEntry(Renaming(kind: .scratch, filename: .exactly("4913"))))
        #expect(
            try plan(.groceries, over: .scratch, name: "x.tmp")
                == .replaceEntry(Renaming(kind: .scratch, identity: .ends, filename: .exactly("x.tmp"))))
        #expect(
            try plan(.groceries, over: .link, name: "Link")
                == .replaceEntry(Renaming(kind: .document, filename: .keep, name: .named("Link", ""), naming: .given)))
        #expect(
            try plan(.folder, over: .folder, name: "Folder")
                == .replaceEntry(Renaming(kind: .folder, filename: .exactly("Folder"))))
    }

    @Test func `a symbolic link stays one when it replaces a document`() throws {
        #expect(
            try plan(.link, over: .groceries, name: "Groceries.txt")
                == .replaceEntry(Renaming(kind: .symbolicLink, filename: .exactly("Groceries.txt"))))
    }

    @Test(arguments: [RenamedEntry.groceries, .scratch, .link], [false, true])
    func `neither a file goes over a folder nor a folder over a file`(file: RenamedEntry, migrates: Bool) throws {
        #expect(throws: RenameRefusal.isFolder) { try plan(file, over: .folder, migrates: migrates) }
        #expect(throws: RenameRefusal.notFolder) { try plan(.folder, over: file, migrates: migrates) }
    }

    @Test(arguments: [RenamedEntry.groceries, .folder, .scratch, .link], [false, true])
    func `RENAME_NOREPLACE replaces nothing`(target: RenamedEntry, migrates: Bool) throws {
        #expect(throws: RenameRefusal.exists) {
            try plan(.scratch, over: target, migrates: migrates, options: .noReplace)
        }
        #expect(throws: RenameRefusal.exists) {
            try plan(target, over: target, isSame: true, migrates: migrates, options: .noReplace)
        }
    }

    @Test(arguments: [false, true])
    func `RENAME_EXCHANGE with a name that nothing has is refused`(migrates: Bool) {
        for source in [RenamedEntry.groceries, .folder, .scratch, .link] {
            #expect(throws: RenameRefusal.nothingToExchange) {
                try plan(source, over: nil, migrates: migrates, options: .exchange)
            }
        }
    }

    @Test func `RENAME_EXCHANGE swaps contents, and names and identities stay`() throws {
        #expect(try plan(.groceries, over: .plan, options: .exchange) == .exchange)
        #expect(try plan(.scratch, over: .plan, options: .exchange) == .exchange)
        #expect(try plan(.folder, over: .other(.folder, "Other"), options: .exchange) == .exchange)
    }

    @Test func `RENAME_EXCHANGE is refused across containers and between file and folder`() throws {
        #expect(throws: RenameRefusal.cannotExchange) {
            try plan(.groceries, over: .plan, migrates: true, options: .exchange)
        }
        #expect(throws: RenameRefusal.cannotExchange) { try plan(.groceries, over: .folder, options: .exchange) }
        #expect(throws: RenameRefusal.cannotExchange) { try plan(.folder, over: .groceries, options: .exchange) }
    }

    @Test(arguments: [RenamedEntry.groceries, .scratch, .folder])
    func `RENAME_EXCHANGE is refused between a symbolic link and anything else`(other: RenamedEntry) throws {
        #expect(throws: RenameRefusal.cannotExchange) { try plan(.link, over: other, options: .exchange) }
        #expect(throws: RenameRefusal.cannotExchange) { try plan(other, over: .link, options: .exchange) }
        #expect(try plan(.link, over: .other(.symbolicLink, "Other"), options: .exchange) == .exchange)
    }

    @Test(arguments: [
        (RenamedEntry.groceries, RenamedEntry.plan), (.scratch, .plan), (.groceries, .scratch), (.link, .groceries),
        (.groceries, .link), (.folder, .other(.folder, "Other")),
    ])
    func `migrating never overwrites`(source: RenamedEntry, target: RenamedEntry) throws {
        #expect(throws: RenameRefusal.exists) { try plan(source, over: target, migrates: true) }
    }

    @Test func `the tree's own folders are neither renamed nor replaced`() throws {
        var fixed = RenamedEntry.folder
        fixed.isOfTheTree = true
        #expect(throws: RenameRefusal.isOfTheTree) { try plan(fixed, over: nil) }
        #expect(throws: RenameRefusal.isOfTheTree) { try plan(.folder, over: fixed) }
    }

    @Test func `a folder goes neither into itself nor into Documents`() throws {
        func request(_ source: RenamedEntry, intoItself: Bool, intoDocuments: Bool) throws -> RenameRequest {
            RenameRequest(
                source: source, target: nil, isSame: false, name: try EntryName("Name"), destination: .ordinary,
                isIntoDocuments: intoDocuments, isIntoItself: intoItself, migrates: false, options: [])
        }
        let into = try request(.folder, intoItself: true, intoDocuments: false)
        #expect(throws: RenameRefusal.intoItself) { try RenameRule.plan(into) }
        let beside = try request(.folder, intoItself: false, intoDocuments: true)
        #expect(throws: RenameRefusal.folderIntoDocuments) { try RenameRule.plan(beside) }
        _ = try RenameRule.plan(try request(.groceries, intoItself: false, intoDocuments: true))
    }

    @Test func `an entry that cannot leave its container stays, and no other rename asks for that`() throws {
        func request(migrates: Bool, over target: RenamedEntry? = nil, isSame: Bool = false) throws -> RenameRequest {
            RenameRequest(
                source: .groceries, target: target, isSame: isSame, name: try EntryName("Name"),
                destination: .ordinary, migrates: migrates, obstacle: .inConflict, options: [])
        }
        let leaving = try request(migrates: true)
        #expect(throws: RenameRefusal.migration(.inConflict)) { try RenameRule.plan(leaving) }
        _ = try RenameRule.plan(try request(migrates: false))
        #expect(try RenameRule.plan(try request(migrates: true, over: .groceries, isSame: true)) == .nothing)
    }

    @Test func `a placeholder gives no content: it takes the place, and is not exchanged`() throws {
        var placeholder = RenamedEntry.groceries
        placeholder.isContentHere = false
        guard case .replaceEntry = try plan(placeholder, over: .plan) else {
            Issue.record("the content of a placeholder replaced another's")
            return
        }
        #expect(throws: RenameRefusal.contentNotHere) { try plan(placeholder, over: .plan, options: .exchange) }
        #expect(throws: RenameRefusal.contentNotHere) { try plan(.plan, over: placeholder, options: .exchange) }
    }

    @Test func `across containers a scratch file may replace a scratch file`() throws {
        #expect(
            try plan(.scratch, over: .other(.scratch, "a.tmp"), name: "a.tmp", migrates: true)
                == .replaceEntry(Renaming(kind: .scratch, filename: .exactly("a.tmp"))))
    }

    @Test func `a name that only docfs gives is refused, but for an entry that has it already`() throws {
        #expect(throws: RenameRefusal.reservedName) { try plan(.scratch, over: nil, name: ".order") }
        #expect(try plan(.scratch, over: .groceries, name: ".order") == .replaceContent())
    }

    /// A document that is renamed by its filename, as `sed -i.bak` and JetBrains do where they were given that.
    @Test(arguments: [".bak", "___jb_old___"], [false, true])
    func `a backup of the filename gives the filename up for the file that follows`(ending: String, isFresh: Bool)
        throws
    {
        let document = RenamedEntry.document("Groceries", isFresh: isFresh)
        let name = document.filename + ending
        let split = DocumentName(splitting: try EntryName(name))
        func expected(_ filename: FilenameChoice) -> RenamePlan {
            .relocate(
                Renaming(
                    kind: .document, identity: .backsUp, filename: filename, name: split, naming: .given))
        }
        #expect(try plan(document, over: nil, name: name) == expected(.generate))
        #expect(try plan(document, over: nil, name: name, migrates: true) == expected(.keep))
        let older = RenamedEntry.document(document.filename, String(ending.drop { $0 == "." }), filename: "2026-1.bak")
        if ending == ".bak" {
            #expect(try plan(document, over: older, name: name) == .replaceContent(backsUp: true))
        }
    }

    @Test func `a name that only begins with the filename is no backup of a document without an extension`() throws {
        let document = RenamedEntry.document("Plan", "", filename: "2026-11-21-041233-7f3a")
        guard case .relocate(let renaming) = try plan(document, over: nil, name: document.filename + ".md") else {
            Issue.record("it is no relocation")
            return
        }
        #expect(renaming.identity == .none && renaming.filename == .keep)
        for ending in [".bak", ".old"] {
            guard case .relocate(let renaming) = try plan(document, over: nil, name: document.filename + ending) else {
                Issue.record("it is no relocation")
                return
            }
            #expect(renaming.identity == .backsUp && renaming.filename == .generate)
        }
    }

    @Test func `in another folder a backup keeps its filename`() throws {
        let document = RenamedEntry.groceries
        let request = RenameRequest(
            source: document, target: nil, isSame: false, name: try EntryName(document.filename + ".old"),
            destination: .ordinary, staysInFolder: false, migrates: false, options: [])
        guard case .relocate(let renaming) = try RenameRule.plan(request) else {
            Issue.record("it is no relocation")
            return
        }
        #expect(renaming.filename == .keep)
    }

    /// A program whose save fails renames the backup back.
    @Test func `a backup that gets its former name back is the document as it was`() throws {
        let former = RenamedEntry.document("Call Anna", naming: .untitled)
        var backup = RenamedEntry.document(former.filename, "bak", filename: "2026-11-22-101500-00ff.bak")
        func plan() throws -> RenamePlan {
            try RenameRule.plan(
                RenameRequest(
                    source: backup, target: nil, isSame: false, name: try EntryName(former.filename),
                    destination: .ordinary, migrates: false, former: former, options: []))
        }
        let names = (name: DocumentName.named("Call Anna"), naming: Naming.untitled)
        #expect(
            try plan()
                == .relocate(
                    Renaming(
                        kind: .document, filename: .restored(former.filename), name: names.name, naming: names.naming)))
        backup = .document("Groceries.txt", "bak", filename: former.filename)
        #expect(throws: Never.self) { try plan() }
    }

    @Test func `a document in conflict may become a backup by its filename, too`() throws {
        let document = RenamedEntry.document("Groceries")
        let request = RenameRequest(
            source: document, target: nil, isSame: false, name: try EntryName(document.filename + "~"),
            destination: .ordinary, migrates: false, obstacle: .inConflict, options: [])
        #expect(
            try RenameRule.plan(request)
                == .relocate(Renaming(kind: .scratch, identity: .ends, filename: .exactly(document.filename + "~"))))
    }

    /// `Untitled.txt` resolves to an untitled document, and is still free as a name: only a save means the document.
    @Test func `a name by which a document is found without having it is free, but for a save`() throws {
        let untitled = RenamedEntry.document("First line", naming: .untitled)
        func plan(_ source: RenamedEntry, isSame: Bool = false, _ options: RenameOptions = []) throws -> RenamePlan {
            try RenameRule.plan(
                RenameRequest(
                    source: source, target: untitled, isSame: isSame, isTargetAlias: true,
                    name: try EntryName("Untitled.txt"), destination: .ordinary, migrates: false, options: options))
        }
        let named = Renaming(kind: .document, filename: .keep, name: .named("Untitled"), naming: .given)
        for source in [RenamedEntry.scratch, .groceries] { #expect(try plan(source) == .replaceContent()) }
        #expect(try plan(.groceries, .noReplace) == .relocate(named))
        var placeholder = RenamedEntry.groceries
        placeholder.isContentHere = false
        #expect(try plan(placeholder) == .relocate(named))
        #expect(try plan(.folder) == .relocate(Renaming(kind: .folder, filename: .exactly("Untitled.txt"))))
        #expect(try plan(untitled, isSame: true) == .relocate(Renaming(kind: .document, filename: .keep)))
        #expect(throws: RenameRefusal.nothingToExchange) { try plan(.groceries, .exchange) }
    }

    @Test func `a version that was written beside a document goes back into it, unless there is no content to keep`()
        throws
    {
        let version = RenamedEntry.other(.scratch, ".docfs-restore-1.tmp")
        #expect(try plan(version, over: .groceries) == .restoreVersion)
        var placeholder = RenamedEntry.groceries
        placeholder.isContentHere = false
        #expect(try plan(version, over: placeholder) == .replaceContent())
        guard case .replaceEntry = try plan(version, over: .other(.scratch, "a.tmp")) else {
            Issue.record("a scratch file has no versions")
            return
        }
    }

    @Test func `a document that becomes its own backup lends its identity to a file that is saved in its place`() throws
    {
        func identity(_ source: RenamedEntry, as name: String, migrates: Bool = false) throws -> IdentityChange? {
            guard case .relocate(let renaming) = try plan(source, over: nil, name: name, migrates: migrates) else {
                return nil
            }
            return renaming.identity
        }
        #expect(try identity(.groceries, as: "Groceries.txt~") == .ends)
        #expect(try identity(.groceries, as: "Groceries.txt.bak") == .backsUp)
        #expect(try identity(.groceries, as: "Groceries.old") == .backsUp)
        #expect(try identity(.groceries, as: "Shopping.txt") == IdentityChange.none)
        let backup = RenamedEntry.document("Groceries.txt", "bak")
        #expect(try plan(.groceries, over: backup, name: "Groceries.txt.bak") == .replaceContent(backsUp: true))
        #expect(try plan(.plan, over: backup, name: "Groceries.txt.bak") == .replaceContent(backsUp: false))
    }
}
