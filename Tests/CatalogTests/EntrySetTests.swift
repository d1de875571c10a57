import Catalog
import Documents
import Testing

/// Queries for entries with pending work.
struct EntrySetTests {
    @Test func `a content that changed needs an upload, any other change can be described`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                let changes: [PendingChanges] = [
                    .creation, [], .content, .name, [.creation, .content], [.content, .name], .position,
                ]
                var inodes: [InodeNumber] = []
                for (number, pending) in changes.enumerated() {
                    var entry = try Entry.document("a", filename: "\(number)", in: .cloud, location: .cloud)
                    entry.pending = pending
                    inodes.append(try catalog.insert(entry))
                }
                #expect(
                    try Set(catalog.entriesNeedingUpload(limit: 10).map(\.inode)) == [inodes[2], inodes[4], inodes[5]])
                #expect(
                    try Set(catalog.entriesToDescribe(limit: 10).map(\.inode))
                        == [inodes[0], inodes[3], inodes[5], inodes[6]])
                #expect(try catalog.entriesNeedingUpload(limit: 2).count == 2)
                #expect(try catalog.pendingCount() == 6)
                try catalog.store(Withdrawal(id: EntryID(numbered: 1), seen: [], depth: 0, step: nil))
                #expect(try catalog.pendingCount() == 7)
            }
        }
    }

    @Test func `a step tells how many of its contents are missing`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                for (number, pending) in [PendingChanges.content, .content, .name, []].enumerated() {
                    var entry = try Entry.document("a", filename: "\(number)", in: .cloud, location: .cloud)
                    entry.pending = pending
                    entry.step = 7
                    try catalog.insert(entry)
                }
                #expect(try catalog.uploadsByStep() == [7: 2])
                #expect(try catalog.pendingEntries(inStep: 7).count == 3)
                #expect(try catalog.pendingEntries(inStep: 8).isEmpty)
            }
        }
    }

    @Test func `each kind of pending change is a bit of its own`() {
        let all: [PendingChanges] = [.creation, .content, .name, .place, .attributes, .mode, .modified, .position]
        #expect(all.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64, 128])
    }

    @Test func `arriving entries are local documents whose content is not here`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                var arriving = try Entry.document("a", filename: "1")
                arriving.isHere = false
                var placeholder = try Entry.document("b", filename: "2", in: .cloud, location: .cloud)
                placeholder.isHere = false
                let inode = try catalog.insert(arriving)
                try catalog.insert(placeholder)
                try catalog.insert(.document("c", filename: "3"))
                #expect(try catalog.arrivingEntries(limit: 10).map(\.inode) == [inode])
                #expect(try catalog.arrivingSteps().isEmpty)
            }
        }
    }

    @Test func `all entries are those below local and cloud`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                let folders = try catalog.insertFolders(["a", "b"])
                #expect(try catalog.descendants(of: .documents).map(\.inode).filter { $0 > .cloud } == folders)
            }
        }
    }

    @Test func `documents of a container are counted with their conflicts`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                for (number, conflicts) in [0, 2, 3].enumerated() {
                    var entry = try Entry.document("a", filename: "\(number)", in: .cloud, location: .cloud)
                    entry.conflicts = conflicts
                    try catalog.insert(entry)
                }
                try catalog.insert(.folder("folder", in: .cloud, location: .cloud))
                try catalog.insert(.document("a", filename: "x"))
                let cloud = try catalog.documentCount(in: .cloud)
                #expect(cloud.documents == 3)
                #expect(cloud.conflicts == 5)
                let local = try catalog.documentCount(in: .local)
                #expect(local.documents == 1)
                #expect(local.conflicts == 0)
            }
        }
    }

    @Test func `an error is recorded and forgotten without touching the rest`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                let inode = try catalog.insert(.document("a", filename: "1"))
                let other = try catalog.insert(.document("b", filename: "2"))
                try catalog.setError("no space", of: inode)
                #expect(try catalog.entry(inode)?.error == "no space")
                #expect(try catalog.entry(inode)?.revision == 0)
                #expect(try catalog.entry(other)?.error == nil)
                try catalog.setError("offline", of: inode)
                #expect(try catalog.entry(inode)?.error == "offline")
                try catalog.setError(nil, of: inode)
                #expect(try catalog.entry(inode)?.error == nil)
            }
        }
    }
}
