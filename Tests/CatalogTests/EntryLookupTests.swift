import Catalog
import Documents
import Testing

/// How entries are found by name and id.
struct EntryLookupTests {
    @Test func `an entry is found by inode, by id, and by filename in its folder`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                var entry = try Entry.document("Groceries.txt", filename: "2026.txt")
                entry.id = EntryID(numbered: 9)
                let inode = try transaction.insert(entry)
                #expect(try transaction.entry(inode)?.filename == "2026.txt")
                #expect(try transaction.entry(EntryID(numbered: 9))?.inode == inode)
                #expect(try transaction.entry(in: .local, filename: "2026.txt")?.inode == inode)
                #expect(try transaction.entry(in: .cloud, filename: "2026.txt") == nil)
                #expect(try transaction.entry(in: .local, filename: "Groceries.txt") == nil)
                #expect(try transaction.entry(EntryID(numbered: 8)) == nil)
                #expect(try transaction.entry(InodeNumber(99_999)) == nil)
            }
        }
    }

    @Test func `a filename is unique in its folder`() throws {
        try withCatalog { catalog in
            _ = try catalog.write { try $0.insert(.folder("a")) }
            #expect(throws: CatalogError.self) { try catalog.write { try $0.insert(.folder("a")) } }
            try catalog.write { transaction in
                try transaction.insert(.folder("A"))
                try transaction.insert(.folder("a", in: .cloud, location: .cloud))
            }
            #expect(try catalog.read { try $0.children(of: .local).count } == 2)
        }
    }

    @Test func `filenames are compared byte for byte`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let composed = try transaction.insert(.folder("caf\u{e9}"))
                let decomposed = try transaction.insert(.folder("cafe\u{301}"))
                #expect(try transaction.entry(in: .local, filename: "caf\u{e9}")?.inode == composed)
                #expect(try transaction.entry(in: .local, filename: "cafe\u{301}")?.inode == decomposed)
            }
        }
    }

    @Test func `an id is that of one entry`() throws {
        try withCatalog { catalog in
            var entry = Entry.folder("a")
            entry.id = EntryID(numbered: 1)
            _ = try catalog.write { try $0.insert(entry) }
            entry.filename = "b"
            #expect(throws: CatalogError.self) { try catalog.write { try $0.insert(entry) } }
        }
    }

    @Test func `a name that two documents bear means the one created first`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.document("Plan.txt", filename: "1", created: 30))
                let oldest = try transaction.insert(.document("Plan.txt", filename: "2", created: 10))
                try transaction.insert(.document("Plan.txt", filename: "3", created: 20))
                try transaction.insert(.document("Plan.txt", filename: "0", in: .cloud, location: .cloud, created: 1))
                #expect(try transaction.document(in: .local, fullName: "Plan.txt")?.inode == oldest)
            }
        }
    }

    @Test func `of documents created in one instant the one inserted first is meant`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let first = try transaction.insert(.document("Plan.txt", filename: "z", created: 10))
                try transaction.insert(.document("Plan.txt", filename: "a", created: 10))
                #expect(try transaction.document(in: .local, fullName: "Plan.txt")?.inode == first)
            }
        }
    }

    @Test func `a full name is display name and extension, byte for byte`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.document("caf\u{e9}.txt", filename: "1"))
                #expect(try transaction.document(in: .local, fullName: "caf\u{e9}.txt") != nil)
                for other in ["cafe\u{301}.txt", "caf\u{e9}", "caf\u{e9}.TXT", "CAF\u{c9}.txt", "1"] {
                    #expect(try transaction.document(in: .local, fullName: other) == nil, "\(other)")
                }
            }
        }
    }

    @Test func `only documents have a full name`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.folder("Plan.txt"))
                #expect(try transaction.document(in: .local, fullName: "Plan.txt") == nil)
            }
        }
    }

    @Test func `Untitled means the newest document that nobody has named`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.document("Old.txt", filename: "1", created: 10, naming: .untitled))
                let newest = try transaction.insert(.document("New.txt", filename: "2", created: 30, naming: .untitled))
                try transaction.insert(.document("Middle.txt", filename: "3", created: 20, naming: .untitled))
                try transaction.insert(.document("Named.txt", filename: "4", created: 40, naming: .given))
                try transaction.insert(.document("Auto.txt", filename: "5", created: 50, naming: .automatic))
                try transaction.insert(.document("Other.md", filename: "6", created: 60, naming: .untitled))
                try transaction.insert(
                    .document("Away.txt", filename: "7", in: .cloud, location: .cloud, created: 70, naming: .untitled))
                #expect(try transaction.newestUntitled(in: .local, pathExtension: "txt")?.inode == newest)
                #expect(try transaction.newestUntitled(in: .local, pathExtension: "md")?.filename == "6")
                #expect(try transaction.newestUntitled(in: .local, pathExtension: "") == nil)
                #expect(try transaction.newestUntitled(in: .cloud, pathExtension: "txt")?.filename == "7")
            }
        }
    }

    @Test func `a generated filename is taken everywhere, any other in its folder only`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.document("Plan.txt", filename: "generated.txt", in: .cloud, location: .cloud))
                try transaction.insert(.folder("folder"))
                #expect(try transaction.isFilenameInUse("generated.txt", in: .local))
                #expect(try transaction.isFilenameInUse("generated.txt", in: .cloud))
                #expect(try transaction.isFilenameInUse("folder", in: .local))
                #expect(try !transaction.isFilenameInUse("folder", in: .cloud))
                #expect(try !transaction.isFilenameInUse("Plan.txt", in: .cloud))
            }
        }
    }
}
