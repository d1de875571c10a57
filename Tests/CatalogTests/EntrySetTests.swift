import Catalog
import Documents
import Testing

/// Queries for entries with pending work.
struct EntrySetTests {
    @Test func `a content that changed needs an upload, any other change can be described`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let changes: [PendingChanges] = [
                    .creation, [], .content, .name, [.creation, .content], [.content, .name], .position,
                ]
                var inodes: [InodeNumber] = []
                for (number, pending) in changes.enumerated() {
                    var entry = try Entry.document("a", filename: "\(number)", in: .cloud, location: .cloud)
                    entry.pending = pending
                    inodes.append(try transaction.insert(entry))
                }
                #expect(
                    try Set(transaction.entriesNeedingUpload(limit: 10).map(\.inode)) == [
                        inodes[2], inodes[4], inodes[5],
                    ])
                #expect(
                    try Set(transaction.entriesToDescribe(limit: 10).map(\.inode))
                        == [inodes[0], inodes[3], inodes[5], inodes[6]])
                #expect(try transaction.entriesNeedingUpload(limit: 2).count == 2)
                #expect(try transaction.pendingCount() == 6)
                try transaction.store(Withdrawal(id: EntryID(numbered: 1), seen: [], depth: 0, bundle: nil))
                #expect(try transaction.pendingCount() == 7)
            }
        }
    }

    @Test func `a bundle tells how many of its contents are missing`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                for (number, pending) in [PendingChanges.content, .content, .name, []].enumerated() {
                    var entry = try Entry.document("a", filename: "\(number)", in: .cloud, location: .cloud)
                    entry.pending = pending
                    entry.bundle = 7
                    try transaction.insert(entry)
                }
                #expect(try transaction.uploadsByBundle() == [7: 2])
                #expect(try transaction.pendingEntries(inBundle: 7).count == 3)
                #expect(try transaction.pendingEntries(inBundle: 8).isEmpty)
            }
        }
    }

    @Test func `each kind of pending change is a bit of its own`() {
        let all: [PendingChanges] = [.creation, .content, .name, .place, .attributes, .mode, .modified, .position]
        #expect(all.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64, 128])
    }

    @Test func `arriving entries are local documents whose content is not here`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                var arriving = try Entry.document("a", filename: "1")
                arriving.isHere = false
                var placeholder = try Entry.document("b", filename: "2", in: .cloud, location: .cloud)
                placeholder.isHere = false
                let inode = try transaction.insert(arriving)
                try transaction.insert(placeholder)
                try transaction.insert(.document("c", filename: "3"))
                #expect(try transaction.arrivingEntries(limit: 10).map(\.inode) == [inode])
                #expect(try transaction.arrivingBundles().isEmpty)
            }
        }
    }

    @Test func `all entries are those below local and cloud`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let folders = try transaction.insertFolders(["a", "b"])
                #expect(try transaction.descendants(of: .documents).map(\.inode).filter { $0 > .cloud } == folders)
            }
        }
    }

    @Test func `documents of a container are counted with their conflicts`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                for (number, conflicts) in [0, 2, 3].enumerated() {
                    var entry = try Entry.document("a", filename: "\(number)", in: .cloud, location: .cloud)
                    entry.conflicts = conflicts
                    try transaction.insert(entry)
                }
                try transaction.insert(.folder("folder", in: .cloud, location: .cloud))
                try transaction.insert(.document("a", filename: "x"))
                let cloud = try transaction.documentCount(in: .cloud)
                #expect(cloud.documents == 3)
                #expect(cloud.conflicts == 5)
                let local = try transaction.documentCount(in: .local)
                #expect(local.documents == 1)
                #expect(local.conflicts == 0)
            }
        }
    }

    @Test func `an error is recorded and forgotten without touching the rest`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let inode = try transaction.insert(.document("a", filename: "1"))
                let other = try transaction.insert(.document("b", filename: "2"))
                try transaction.setError("no space", of: inode)
                #expect(try transaction.entry(inode)?.error == "no space")
                #expect(try transaction.entry(inode)?.revision == 0)
                #expect(try transaction.entry(other)?.error == nil)
                try transaction.setError("offline", of: inode)
                #expect(try transaction.entry(inode)?.error == "offline")
                try transaction.setError(nil, of: inode)
                #expect(try transaction.entry(inode)?.error == nil)
            }
        }
    }
}
