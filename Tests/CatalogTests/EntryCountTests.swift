@testable import Catalog
import Documents
import Testing

/// The counts that the tree's state shows follow every change.
struct EntryCountTests {
    private struct Interruption: Error {}

    private func counts(_ catalog: CatalogTransaction) throws -> [Int] {
        let (local, cloud) = (try catalog.documentCount(in: .local), try catalog.documentCount(in: .cloud))
        return [local.documents, local.conflicts, cloud.documents, cloud.conflicts]
    }

    @Test func `documents are counted as they come, move, change and go, and nothing else is`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                #expect(try counts(catalog) == [0, 0, 0, 0])
                let inode = try catalog.insert(.document("Plan.txt", filename: "a.txt"))
                try catalog.insert(.folder("folder"))
                #expect(try counts(catalog) == [1, 0, 0, 0])
                var entry = try #require(try catalog.entry(inode))
                entry.location = .cloud
                entry.parent = .cloud
                entry.conflicts = 2
                try catalog.update(entry)
                #expect(try counts(catalog) == [0, 0, 1, 2])
                entry.conflicts = 1
                try catalog.update(entry)
                try catalog.insert(.document("Goal.txt", filename: "b.txt", in: .cloud, location: .cloud))
                #expect(try counts(catalog) == [0, 0, 2, 1])
                let renumbered = try catalog.renumber(inode)
                #expect(try counts(catalog) == [0, 0, 2, 1])
                try catalog.delete(renumbered)
                #expect(try counts(catalog) == [0, 0, 1, 0])
            }
        }
    }

    /// The second catalog counts rows; the first keeps up with changes.
    @Test func `the contents of the cloud that are here are added up`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                #expect(try catalog.bytesOfCloudHere() == 0)
                for (filename, size) in [("a.txt", 10), ("b.txt", 200)] as [(String, Int64)] {
                    var entry: Entry = try .document("Plan.txt", filename: filename, in: .cloud, location: .cloud)
                    entry.size = size
                    entry.isHere = true
                    try catalog.insert(entry)
                }
                #expect(try catalog.bytesOfCloudHere() == 210)
                var entry = try #require(try catalog.entry(in: .cloud, filename: "b.txt"))
                entry.size = 3000
                try catalog.update(entry)
                #expect(try catalog.bytesOfCloudHere() == 3010)
                entry.isHere = false
                try catalog.update(entry)
                #expect(try catalog.bytesOfCloudHere() == 10)
                catalog.counts.forget()
                #expect(try catalog.bytesOfCloudHere() == 10)
            }
        }
    }

    @Test func `a document that becomes a scratch file is no longer counted`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                let inode = try catalog.insert(.document("Plan.txt", filename: "a.txt"))
                #expect(try counts(catalog) == [1, 0, 0, 0])
                var entry = try #require(try catalog.entry(inode))
                entry.document = nil
                try catalog.update(entry)
                #expect(try counts(catalog) == [0, 0, 0, 0])
            }
        }
    }

    @Test func `a write that is rolled back leaves the counts as they were`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                try catalog.insert(.document("Plan.txt", filename: "a.txt"))
                #expect(try counts(catalog) == [1, 0, 0, 0])
            }
            #expect(throws: Interruption.self) {
                try catalog.write { catalog in
                    try catalog.insert(.document("Goal.txt", filename: "b.txt"))
                    #expect(try counts(catalog) == [2, 0, 0, 0])
                    throw Interruption()
                }
            }
            #expect(try catalog.read(counts) == [1, 0, 0, 0])
        }
    }
}
