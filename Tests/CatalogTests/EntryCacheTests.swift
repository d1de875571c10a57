@testable import Catalog
import Documents
import Testing

/// Cached lookups always agree with the rows.
struct EntryCacheTests {
    private struct Interruption: Error {}

    @Test func `a name that was missed is found when it comes, by insertion or by renaming`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                #expect(try transaction.entry(in: .local, filename: "a.txt") == nil)
                #expect(try transaction.document(in: .local, fullName: "Plan.txt") == nil)
                let inode = try transaction.insert(.document("Plan.txt", filename: "a.txt"))
                #expect(try transaction.entry(in: .local, filename: "a.txt")?.inode == inode)
                #expect(try transaction.document(in: .local, fullName: "Plan.txt")?.inode == inode)

                #expect(try transaction.document(in: .local, fullName: "Goal.txt") == nil)
                #expect(try transaction.entry(in: .cloud, filename: "b.txt") == nil)
                var entry = try #require(try transaction.entry(inode))
                entry.document?.name = DocumentName(splitting: try EntryName("Goal.txt"))
                entry.parent = .cloud
                entry.filename = "b.txt"
                try transaction.update(entry)
                #expect(try transaction.entry(in: .local, filename: "a.txt") == nil)
                #expect(try transaction.document(in: .local, fullName: "Plan.txt") == nil)
                #expect(try transaction.document(in: .cloud, fullName: "Goal.txt")?.inode == inode)
                #expect(try transaction.entry(in: .cloud, filename: "b.txt")?.inode == inode)
            }
        }
    }

    @Test func `a name means the oldest document that has it, after any change`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                func first() throws -> InodeNumber? {
                    try transaction.document(in: .local, fullName: "Plan.txt")?.inode
                }
                let later = try transaction.insert(.document("Plan.txt", filename: "a.txt", created: 5))
                #expect(try first() == later)
                let earlier = try transaction.insert(.document("Plan.txt", filename: "b.txt", created: 3))
                #expect(try first() == earlier)
                var renamed = try #require(try transaction.entry(earlier))
                renamed.document?.name = DocumentName(splitting: try EntryName("Other.txt"))
                try transaction.update(renamed)
                #expect(try first() == later)
                renamed.document?.name = DocumentName(splitting: try EntryName("Plan.txt"))
                try transaction.update(renamed)
                #expect(try first() == earlier)
                try transaction.delete(earlier)
                #expect(try first() == later)
                try transaction.delete(later)
                #expect(try first() == nil)
            }
        }
    }

    @Test func `the first to bear a name that nothing bore is known to, until another does`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                func first() throws -> InodeNumber? {
                    try transaction.document(in: .local, fullName: "Plan.txt")?.inode
                }
                #expect(try first() == nil)
                let later = try transaction.insert(.document("Plan.txt", filename: "a.txt", created: 5))
                #expect(try first() == later)
                let earlier = try transaction.insert(.document("Plan.txt", filename: "b.txt", created: 3))
                #expect(try first() == earlier)
                try transaction.delete(earlier)
                #expect(try first() == later)
                var moved = try #require(try transaction.entry(later))
                moved.parent = .cloud
                try transaction.update(moved)
                #expect(try first() == nil)
            }
        }
    }

    @Test func `the cache forgets what a write did when it is rolled back`() throws {
        try withCatalog { catalog in
            let kept = try catalog.write { try $0.insert(.document("Plan.txt", filename: "a.txt")) }
            _ = try catalog.read { try $0.entry(in: .local, filename: "a.txt") }
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    try transaction.delete(kept)
                    #expect(try transaction.entry(kept) == nil)
                    #expect(try transaction.entry(in: .local, filename: "a.txt") == nil)
                    let gone = try transaction.insert(.document("Plan.txt", filename: "a.txt"))
                    #expect(try transaction.entry(in: .local, filename: "a.txt")?.inode == gone)
                    throw Interruption()
                }
            }
            try catalog.read { rows throws in
                #expect(try rows.entry(kept)?.filename == "a.txt")
                #expect(try rows.entry(in: .local, filename: "a.txt")?.inode == kept)
                #expect(try rows.document(in: .local, fullName: "Plan.txt")?.inode == kept)
            }
        }
    }

    @Test func `an entry that gets another number is found under that one only`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let old = try transaction.insert(.document("Plan.txt", filename: "a.txt"))
                _ = try transaction.entry(in: .local, filename: "a.txt")
                let new = try transaction.renumber(old)
                #expect(try transaction.entry(old) == nil)
                #expect(try transaction.entry(in: .local, filename: "a.txt")?.inode == new)
                #expect(try transaction.document(in: .local, fullName: "Plan.txt")?.inode == new)
                try transaction.setError("no space", of: new)
                #expect(try transaction.entry(new)?.error == "no space")
            }
        }
    }

    @Test func `names that look alike are told apart by their bytes`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
                #expect(try transaction.entry(in: .local, filename: decomposed) == nil)
                let inode = try transaction.insert(.folder(composed))
                #expect(try transaction.entry(in: .local, filename: decomposed) == nil)
                #expect(try transaction.entry(in: .local, filename: composed)?.inode == inode)
                let other = try transaction.insert(.folder(decomposed))
                #expect(try transaction.entry(in: .local, filename: decomposed)?.inode == other)
                #expect(try transaction.entry(in: .local, filename: composed)?.inode == inode)
            }
        }
    }

    @Test func `more entries than the cache holds are all found`() throws {
        try withCatalog { catalog in
            let inodes = try catalog.write { transaction in
                try (0..<10_000).map { try transaction.insert(.folder("folder \($0)")) }
            }
            try catalog.read { rows throws in
                for round in 0..<2 {
                    for (number, inode) in inodes.enumerated() {
                        let found = try rows.entry(in: .local, filename: "folder \(number)")
                        #expect(found?.inode == inode, "round \(round)")
                    }
                }
            }
        }
    }

    /// All names of a new folder are cached.
    @Test func `lookups in a new folder find every entry that got there, and no other name`() throws {
        try withCatalog { catalog in
            let (folder, moved) = try catalog.write { transaction in
                (
                    try transaction.insert(.folder("F")),
                    try transaction.insert(.document("Moved.txt", filename: "m.txt"))
                )
            }
            func found(_ name: String) throws -> [InodeNumber?] {
                try catalog.read { rows in
                    [
                        try rows.entry(in: folder, filename: name)?.inode,
                        try rows.document(in: folder, fullName: name)?.inode,
                    ]
                }
            }
            #expect(try found("m.txt") == [nil, nil])
            try catalog.write { transaction in
                var entry = try #require(try transaction.entry(moved))
                entry.parent = folder
                try transaction.update(entry)
            }
            #expect(try found("m.txt") == [moved, nil])
            #expect(try found("Moved.txt") == [nil, moved])
            let made = try catalog.write { try $0.insert(.document("Made.txt", filename: "a.txt", in: folder)) }
            #expect(try found("a.txt") == [made, nil])
            let renumbered = try catalog.write { try $0.renumber(made) }
            #expect(try found("Made.txt") == [nil, renumbered])
            try catalog.write { try $0.delete(renumbered) }
            #expect(try found("a.txt") == [nil, nil])
            let again = try catalog.write { try $0.insert(.document("Made.txt", filename: "a.txt", in: folder)) }
            #expect(try found("a.txt") == [again, nil])
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    try transaction.delete(again)
                    throw Interruption()
                }
            }
            #expect(try found("Made.txt") == [nil, again])
        }
    }

    @Test func `when too many names are cached, lookups ask the database again`() throws {
        var folders = CompleteFolders()
        let folder = InodeNumber(100)
        func entry(_ number: Int) -> Entry { .folder("name \(number)", in: folder) }
        folders.insertEmpty(folder)
        folders.add(entry(1))
        #expect(folders.lacks(ExactName("name 2"), in: folder))
        #expect(!folders.lacks(ExactName("name 1"), in: folder))
        #expect(!folders.lacks(ExactName("name 1"), in: InodeNumber(101)))
        for number in 0..<300_000 { folders.add(entry(number)) }
        #expect(!folders.lacks(ExactName("other"), in: folder))
        folders.insertEmpty(folder)
        folders.forget(folder)
        #expect(!folders.lacks(ExactName("other"), in: folder))
    }
}
