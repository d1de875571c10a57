import Catalog
import Documents
import Testing
import TestSupport

/// Folders and what is in them.
struct EntryTreeTests {
    @Test func `children come in the folder's order, and of one key those without an id in the order they came`() throws
    {
        try withCatalog { catalog in
            try catalog.write { transaction in
                for (name, position) in [("c", 2), ("a", 1.5), ("d", 2), ("b", -1)] as [(String, OrderKey)] {
                    try transaction.insert(.folder(name, position: position))
                }
                #expect(try transaction.children(of: .local).map(\.filename) == ["b", "a", "c", "d"])
                #expect(try transaction.listing(of: .local).map(\.filename) == ["b", "a", "c", "d"])
            }
        }
    }

    @Test func `of equal keys the ids decide, so that the order is the same on each device`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                for number in [3, 1, 2] as [UInt8] {
                    try transaction.insert(.document("\(number)", filename: "\(number)", id: EntryID(numbered: number)))
                }
                #expect(try transaction.children(of: .local).map(\.filename) == ["1", "2", "3"])
                #expect(try transaction.listing(of: .local).map(\.filename) == ["1", "2", "3"])
            }
        }
    }

    @Test func `a listing says of a document its name and when it was created`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let document = try transaction.insert(.document("Plan.txt", filename: "1.txt", created: 12))
                let folder = try transaction.insert(.folder("Photos", position: 2))
                let rows = try transaction.listing(of: .local)
                #expect(rows.map(\.inode) == [document, folder])
                #expect(rows.map(\.kind) == [.document, .folder])
                #expect(rows.map(\.fullName) == ["Plan.txt", nil])
                #expect(rows[0].created == Timestamp(nanoseconds: 12))
            }
        }
    }

    @Test func `the mountpoint is not in itself`() throws {
        try withCatalog { catalog in
            try catalog.read { rows throws in
                #expect(try rows.children(of: .root).map(\.inode) == [.documents])
                #expect(try rows.listing(of: .root).map(\.inode) == [.documents])
                #expect(try rows.descendants(of: .root).map(\.inode) == [.documents, .local, .cloud])
            }
        }
    }

    @Test func `a new entry stands last`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                #expect(try transaction.lastPosition(in: .local) == .zero)
                for (position, last) in [(1, 1), (7.75, 7.75), (3, 7.75), (8, 8)] as [(OrderKey, OrderKey)] {
                    try transaction.insert(.folder(position.text, position: position))
                    #expect(try transaction.lastPosition(in: .local) == last)
                }
                #expect(try transaction.lastPosition(in: .cloud) == .zero)
            }
        }
    }

    @Test func `a new entry stands after one whose position is negative`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.folder("a", position: -2.5))
                #expect(try transaction.lastPosition(in: .local) == -2.5)
            }
        }
    }

    @Test func `descendants are all below a folder, parents before children`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let folders = try transaction.insertFolders(["a", "b", "c"])
                try transaction.insert(.document("x.txt", filename: "x", in: folders[1]))
                try transaction.insert(.document("y.txt", filename: "y", in: folders[2]))
                try transaction.insert(.folder("beside"))
                let found = try transaction.descendants(of: folders[0])
                #expect(Set(found.map(\.filename)) == ["b", "c", "x", "y"])
                #expect(found.count == 4)
                for (index, entry) in found.enumerated() {
                    let known = [folders[0]] + found[..<index].map(\.inode)
                    #expect(known.contains(entry.parent), "\(entry.filename)")
                }
                #expect(try transaction.descendants(of: folders[2]).map(\.filename) == ["y"])
            }
        }
    }

    @Test func `an entry is inside itself and each folder above it`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let folders = try transaction.insertFolders(["a", "b", "c"])
                for ancestor in folders + [.local, .documents, .root] {
                    #expect(try transaction.isInside(folders[2], ancestor: ancestor))
                }
                #expect(try !transaction.isInside(folders[0], ancestor: folders[1]))
                #expect(try !transaction.isInside(folders[2], ancestor: .cloud))
                #expect(try !transaction.isInside(InodeNumber(99_999), ancestor: .local))
            }
        }
    }

    @Test func `depth is the number of folders between an entry and its container`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let folders = try transaction.insertFolders(["a", "b", "c"], in: .cloud)
                for (depth, folder) in folders.enumerated() {
                    #expect(try transaction.depth(of: #require(try transaction.entry(folder))) == depth)
                }
            }
        }
    }

    @Test func `a folder has children until the last is deleted`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let folders = try transaction.insertFolders(["a", "b"])
                #expect(try transaction.hasChildren(folders[0]))
                try transaction.delete(folders[1])
                #expect(try !transaction.hasChildren(folders[0]))
                #expect(try transaction.entry(folders[1]) == nil)
                #expect(try transaction.entry(folders[0]) != nil)
            }
        }
    }
}

/// Inode numbers are never used twice, or the kernel would take one file for another.
struct InodeNumberTests {
    @Test func `inode numbers leave room for what later releases put at the top`() throws {
        try withCatalog { catalog throws in
            #expect(try catalog.write { try $0.insert(.folder("a")) } >= InodeNumber(100))
        }
    }

    @Test func `the number of a deleted entry is not used again`() throws {
        try withTemporaryFolder { folder in
            var seen: Set<InodeNumber> = []
            for name in ["a", "b"] {
                let catalog = try Catalog(path: folder + "/catalog")
                for _ in 0..<3 {
                    let inode = try catalog.write { try $0.insert(.folder(name)) }
                    #expect(seen.insert(inode).inserted)
                    try catalog.write { try $0.delete(inode) }
                }
                try catalog.close()
            }
        }
    }

    @Test func `the number a renumbered entry was given is not used again`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let old = try transaction.insert(.folder("a"))
                let new = try transaction.renumber(old)
                let newest = try transaction.renumber(new)
                #expect(Set([old, new, newest]).count == 3)
                try transaction.delete(newest)
                let next = try transaction.insert(.folder("b"))
                #expect(![old, new, newest].contains(next))
            }
        }
    }

    @Test func `a renumbered entry has a number that nothing ever had, and all else as it was`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                var seen: Set<InodeNumber> = []
                var inode = try transaction.insert(.document("Plan.txt", filename: "plan"))
                seen.insert(inode)
                for round in 0..<4 {
                    let other = try transaction.insert(.folder("folder \(round)"))
                    #expect(seen.insert(other).inserted)
                    if round.isMultiple(of: 2) { try transaction.delete(other) }
                    let old = inode
                    inode = try transaction.renumber(inode)
                    #expect(seen.insert(inode).inserted)
                    #expect(try transaction.entry(old) == nil)
                }
                let found = try #require(try transaction.entry(inode))
                #expect(found.name?.full == "Plan.txt")
                #expect(found.filename == "plan")
                #expect(seen.insert(try transaction.insert(.folder("last"))).inserted)
            }
        }
    }
}
