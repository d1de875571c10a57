@testable import Catalog
import Documents
import Foundation
import GRDB
import Testing
import TestSupport

/// Stores of earlier releases.
struct MigrationTests {
    /// Makes a catalog as the first release did, with what `body` puts into it.
    private static func makeFirstCatalog(at path: String, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path)
        try CatalogSchema.migrator.migrate(queue, upTo: "1: the tree and the replica")
        try queue.write(body)
        try queue.close()
    }

    @Test func `a catalog that had the first migration only opens with all that is in it`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            try Self.makeFirstCatalog(at: path) { db in
                try db.execute(
                    sql: """
                        INSERT INTO entries(id, parent, container, kind, filename, hasGeneratedFilename, uuid, displayName,
                            extension, fullName, naming, created, position, keepsNames, isScratchPlace, isHere, size,
                            modified, mode, pending, revision, conflicts)
                        VALUES(100, 3, 0, 1, 'a.txt', 1, ?, 'Groceries', 'txt', 'Groceries.txt', 0, 7, 1, 0, 0, 1, 3, 8,
                            420, 0, 5, 0);
                        INSERT INTO settings VALUES('deviceName', 'laptop');
                        INSERT INTO intents VALUES(1, 3, 'a.txt', 4, 'a.txt');
                        """,
                    arguments: [EntryID(numbered: 1).uuid])
            }
            let catalog = try Catalog(path: path)
            try catalog.write { catalog throws in
                var entry = try #require(try catalog.document(in: .local, fullName: "Groceries.txt"))
                #expect(entry.inode == InodeNumber(100))
                #expect(entry.id == EntryID(numbered: 1))
                #expect(entry.created == Timestamp(nanoseconds: 7))
                #expect(entry.mode == 0o644)
                #expect(entry.revision == 5)
                #expect(entry.backing == nil)
                #expect(try catalog.setting(.deviceName) == "laptop")
                entry.backing = FileEvidence(inode: .max, birth: 7)
                try catalog.update(entry)
                #expect(try catalog.entry(entry.inode)?.backing == FileEvidence(inode: .max, birth: 7))
            }
            try catalog.close()
        }
    }

    @Test func `a deletion of which the first release noted the one version it saw is still to be told`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            try Self.makeFirstCatalog(at: path) { db in
                try db.execute(
                    sql: "INSERT INTO withdrawals VALUES(?, ?, 2, 9), (?, NULL, 1, NULL)",
                    arguments: [EntryID(numbered: 1).uuid, VersionID(numbered: 2).uuid, EntryID(numbered: 3).uuid])
            }
            let catalog = try Catalog(path: path)
            #expect(
                try catalog.read { try $0.withdrawals() } == [
                    Withdrawal(id: EntryID(numbered: 1), seen: [VersionID(numbered: 2)], depth: 2, step: 9),
                    Withdrawal(id: EntryID(numbered: 3), seen: [], depth: 1, step: nil),
                ])
            try catalog.close()
        }
    }
}
