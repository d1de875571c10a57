import Catalog
import Documents
import Testing

/// Entries as rows: every column comes back as it went in.
struct EntryRowTests {
    /// An entry of which no field has the value that it has by itself.
    private static var full: Entry {
        var entry = Entry(
            parent: .cloud, container: .cloud, kind: .symbolicLink, filename: "cafe\u{301}.txt",
            created: Timestamp(nanoseconds: -1), position: 1.25, mode: 0o7777)
        entry.inode = InodeNumber(4711)
        entry.hasGeneratedFilename = true
        entry.id = EntryID(numbered: 1)
        entry.name = DocumentName(storedDisplayName: "cafe\u{301}", pathExtension: "txt")
        entry.naming = .untitled
        entry.attributes = [0, 1, 255]
        entry.target = [47, 255]
        entry.place = NamingPlace(keepsNames: true, isScratch: true)
        entry.isHere = false
        entry.backing = FileEvidence(inode: .max, birth: .min)
        entry.size = .max
        entry.modified = Timestamp(nanoseconds: .min)
        entry.currentVersion = VersionID(numbered: 2)
        entry.contentVersion = VersionID(numbered: 3)
        entry.pending = [.creation, .position]
        entry.revision = 12
        entry.step = 13
        entry.conflicts = 14
        entry.error = "retrying in 8 s"
        return entry
    }

    private static var plain: Entry {
        Entry(
            parent: .local, container: nil, kind: .folder, filename: "a", created: Timestamp(nanoseconds: 5),
            position: 0, mode: 0)
    }

    /// The fields of an entry in words.
    private func fields(_ entry: Entry) -> [String] {
        Mirror(reflecting: entry).children.map { "\($0.label ?? ""): \(String(reflecting: $0.value))" }
    }

    @Test func `the sample sets every field`() {
        #expect(zip(fields(Self.full), fields(Self.plain)).allSatisfy { $0 != $1 })
    }

    @Test func `an entry comes back with every field it was inserted with`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog throws in
                #expect(try catalog.insert(Self.full) == InodeNumber(4711))
                #expect(fields(try #require(try catalog.entry(InodeNumber(4711)))) == fields(Self.full))
            }
        }
    }

    @Test func `an entry without anything optional comes back so`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                var entry = Self.plain
                entry.inode = try catalog.insert(entry)
                #expect(fields(try #require(try catalog.entry(entry.inode))) == fields(entry))
            }
        }
    }

    @Test func `an update sets every field, and nothing of another entry`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                var other = Self.plain
                other.inode = try catalog.insert(other)
                var entry = Self.plain
                entry.filename = "b"
                entry.inode = InodeNumber(4711)
                try catalog.insert(entry)
                try catalog.update(Self.full)
                #expect(fields(try #require(try catalog.entry(entry.inode))) == fields(Self.full))
                try catalog.update(entry)
                #expect(fields(try #require(try catalog.entry(entry.inode))) == fields(entry))
                #expect(fields(try #require(try catalog.entry(other.inode))) == fields(other))
            }
        }
    }

    @Test(arguments: [EntryKind.folder, .document, .scratch, .symbolicLink], [Naming.given, .automatic, .untitled])
    func `every kind and every naming comes back`(kind: EntryKind, naming: Naming) throws {
        try withCatalog { catalog in
            var entry = Entry.folder("x")
            entry.kind = kind
            entry.naming = naming
            let found = try catalog.write { try $0.entry(try $0.insert(entry)) }
            #expect(found?.kind == kind)
            #expect(found?.naming == naming)
        }
    }

    @Test(arguments: [nil, Container.local, .cloud])
    func `every container comes back`(container: Container?) throws {
        try withCatalog { catalog throws in
            var entry = Entry.folder("x")
            entry.container = container
            #expect(try catalog.write { try $0.entry(try $0.insert(entry)) }?.container == container)
        }
    }

    @Test func `names keep their bytes`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                for name in ["caf\u{e9}", "cafe\u{301}"] {
                    let inode = try catalog.insert(.document(name + ".txt", filename: name))
                    let found = try #require(try catalog.entry(inode))
                    #expect(Array(found.filename.utf8) == Array(name.utf8))
                    #expect(Array((found.name?.full ?? "").utf8) == Array((name + ".txt").utf8))
                }
            }
        }
    }
}

struct EntryRuleTests {
    @Test func `a document with an older version than the container's is outdated`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, container: .cloud)
        entry.currentVersion = VersionID(numbered: 2)
        entry.contentVersion = VersionID(numbered: 1)
        #expect(entry.isOutdated)
        #expect(!entry.isBackingCurrent)
        entry.contentVersion = VersionID(numbered: 2)
        #expect(!entry.isOutdated)
        #expect(entry.isBackingCurrent)
    }

    @Test func `a document that was edited here is what this device shows`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, container: .cloud)
        entry.currentVersion = VersionID(numbered: 2)
        entry.contentVersion = VersionID(numbered: 1)
        entry.pending = .content
        #expect(!entry.isOutdated)
        #expect(entry.isBackingCurrent)
    }

    @Test func `a placeholder is not outdated, and its content is not here`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, container: .cloud)
        entry.currentVersion = VersionID(numbered: 2)
        entry.isHere = false
        #expect(!entry.isOutdated)
        #expect(!entry.isBackingCurrent)
    }

    @Test func `only what has an id and is in the cloud is replicated`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, container: .cloud)
        #expect(!entry.isReplicated)
        entry.id = EntryID(numbered: 1)
        #expect(entry.isReplicated)
        entry.container = .local
        #expect(!entry.isReplicated)
    }
}
