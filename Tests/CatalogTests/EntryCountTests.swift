@testable import Catalog
import Documents
import Testing

/// The counts that the tree's state shows follow every change.
struct EntryCountTests {
    private struct Interruption: Error {}

    private func counts(_ rows: Rows) throws -> [Int] {
        let (local, cloud) = (try rows.documentCount(in: .local), try rows.documentCount(in: .cloud))
        return [local.documents, local.conflicts, cloud.documents, cloud.conflicts]
    }

    @Test func `documents are counted as they come, move, change and go, and nothing else is`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                #expect(try counts(transaction) == [0, 0, 0, 0])
                let inode = try transaction.insert(.document("Plan.txt", filename: "a.txt"))
                try transaction.insert(.folder("folder"))
                #expect(try counts(transaction) == [1, 0, 0, 0])
                var entry = try #require(try transaction.entry(inode))
                entry.location = .cloud
                entry.parent = .cloud
                entry.conflicts = 2
                try transaction.update(entry)
                #expect(try counts(transaction) == [0, 0, 1, 2])
                entry.conflicts = 1
                try transaction.update(entry)
                try transaction.insert(.document("Goal.txt", filename: "b.txt", in: .cloud, location: .cloud))
                #expect(try counts(transaction) == [0, 0, 2, 1])
                let renumbered = try transaction.renumber(inode)
                #expect(try counts(transaction) == [0, 0, 2, 1])
                try transaction.delete(renumbered)
                #expect(try counts(transaction) == [0, 0, 1, 0])
            }
        }
    }

    /// The second catalog counts rows; the first keeps up with changes.
    @Test func `the contents of the cloud that are here are added up`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                #expect(try transaction.bytesOfCloudHere() == 0)
                for (filename, size) in [("a.txt", 10), ("b.txt", 200)] as [(String, Int64)] {
                    var entry: Entry = try .document("Plan.txt", filename: filename, in: .cloud, location: .cloud)
                    entry.size = size
                    entry.isHere = true
                    try transaction.insert(entry)
                }
                #expect(try transaction.bytesOfCloudHere() == 210)
                var entry = try #require(try transaction.entry(in: .cloud, filename: "b.txt"))
                entry.size = 3000
                try transaction.update(entry)
                #expect(try transaction.bytesOfCloudHere() == 3010)
                entry.isHere = false
                try transaction.update(entry)
                #expect(try transaction.bytesOfCloudHere() == 10)
                transaction.counts.forget()
                #expect(try transaction.bytesOfCloudHere() == 10)
            }
        }
    }

    @Test func `a document that becomes a scratch file is no longer counted`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let inode = try transaction.insert(.document("Plan.txt", filename: "a.txt"))
                #expect(try counts(transaction) == [1, 0, 0, 0])
                var entry = try #require(try transaction.entry(inode))
                entry.document = nil
                try transaction.update(entry)
                #expect(try counts(transaction) == [0, 0, 0, 0])
            }
        }
    }

    @Test func `a write that is rolled back leaves the counts as they were`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.document("Plan.txt", filename: "a.txt"))
                #expect(try counts(transaction) == [1, 0, 0, 0])
            }
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    try transaction.insert(.document("Goal.txt", filename: "b.txt"))
                    #expect(try counts(transaction) == [2, 0, 0, 0])
                    throw Interruption()
                }
            }
            #expect(try catalog.read(counts) == [1, 0, 0, 0])
        }
    }

    /// Sparse files: XFS and btrfs take such sizes.
    @Test func `contents that are larger together than a number can be are counted all the same`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                #expect(try transaction.bytesOfCloudHere() == 0)
                for filename in ["a.txt", "b.txt", "c.txt"] {
                    var entry: Entry = try .document("Plan.txt", filename: filename, in: .cloud, location: .cloud)
                    entry.size = filename == "c.txt" ? 5 : .max
                    entry.isHere = true
                    entry.pending = .content
                    try transaction.insert(entry)
                }
                #expect(try transaction.bytesOfCloudHere() == .max)
            }
            // As they are counted when the catalog was opened.
            try catalog.write { transaction in
                transaction.counts.forget()
                #expect(try transaction.bytesOfCloudHere() == .max)
                let pending = try transaction.pendingBytes() ?? 0
                #expect(pending == .max)
                transaction.counts.forget()
            }
            try catalog.write { transaction in
                _ = try transaction.bytesOfCloudHere()
                for filename in ["a.txt", "b.txt"] {
                    try transaction.delete(try #require(try transaction.entry(in: .cloud, filename: filename)).inode)
                }
                transaction.counts.forget()
                #expect(try transaction.bytesOfCloudHere() == 5)
            }
        }
    }
}
