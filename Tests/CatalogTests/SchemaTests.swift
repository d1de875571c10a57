@testable import Catalog
import Documents
import GRDB
import TestSupport
import Testing

/// Stores that another docfs made.
struct SchemaTests {
    private static func edit(_ path: String, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write(body)
        try queue.close()
    }

    /// Of each table its columns, of each index its definition.
    private static func description(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT m.name || t.wr || t.strict || ': ' || (
                    SELECT group_concat(c.cid || c.name || ' ' || c.type || c."notnull" || ifnull(c.dflt_value, 'none') || c.pk, ', ')
                    FROM pragma_table_xinfo(m.name) c)
                FROM sqlite_master m JOIN pragma_table_list(m.name) t WHERE m.type='table'
                UNION SELECT sql FROM sqlite_master WHERE type='index' AND sql IS NOT NULL
                UNION SELECT 'row: ' || \(ColumnNames.all.map { "quote(\($0))" }.joined(separator: "||' '||")) FROM entries
                UNION SELECT 'done: ' || identifier FROM grdb_migrations
                UNION SELECT 'next: ' || seq FROM sqlite_sequence
                """)
    }

    @Test func `a new catalog is what the migrations from the first release on make`() throws {
        let (migrated, new) = (try DatabaseQueue(), try DatabaseQueue())
        try CatalogMigrations.migrate(migrated)
        try new.write { db in
            try CatalogSchema.create(db)
            try CatalogMigrations.noteAll(db)
        }
        let described = try new.read(Self.description)
        #expect(described == (try migrated.read(Self.description)))
        #expect(described.count { $0.hasPrefix("row: ") } == 4)
        #expect(described.contains { $0.hasPrefix("CREATE UNIQUE INDEX entriesByUUID") })
        #expect(described.contains { $0.hasPrefix("steps") && $0.contains("leavesBefore") && $0.contains("arrived") })
    }

    @Test func `a catalog that came to the first released schema by the steps before it opens with all that is in it`()
        throws
    {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            let inode = try first.write { try $0.insert(.folder("a")) }
            try first.close()
            try Self.edit(path) { db throws in
                for number in 1...6 {
                    try db.execute(sql: "INSERT INTO grdb_migrations VALUES(?)", arguments: ["\(number): earlier"])
                }
            }
            let catalog = try Catalog(path: path)
            #expect(try catalog.read { try $0.entry(inode) }?.filename == "a")
            try catalog.close()
        }
    }

    @Test func `entries with numbers get order keys, and keep their order`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            try first.write { transaction in for name in "abcde" { try transaction.insert(.folder(String(name))) } }
            try first.close()
            try Self.edit(path) { db throws in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier='8: order keys';
                        DROP INDEX entriesByPosition;
                        ALTER TABLE entries DROP COLUMN position;
                        ALTER TABLE entries ADD COLUMN position REAL NOT NULL DEFAULT 0;
                        CREATE INDEX entriesByPosition ON entries(parent, position);
                        """)
                for (name, position) in [("a", 12), ("b", 3), ("c", -1), ("d", 2.5), ("e", 70)] as [(String, Double)] {
                    try db.execute(
                        sql: "UPDATE entries SET position=? WHERE filename=?", arguments: [position, name])
                }
            }
            let catalog = try Catalog(path: path)
            try catalog.read { rows throws in
                #expect(try rows.children(of: .local).map(\.filename) == ["c", "d", "b", "a", "e"])
                #expect(try rows.children(of: .local).map(\.position) == [-1, 2.5, 3, 12, 70])
                #expect(try rows.lastPosition(in: .local) == 70)
            }
            try catalog.close()
        }
    }

    @Test func `names of actions that were JSON texts stay as they were`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            try Catalog(path: path).close()
            try Self.edit(path) { db throws in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier LIKE '14: %';
                        DROP TABLE actions;
                        CREATE TABLE actions(
                            number INTEGER PRIMARY KEY, isUndone INTEGER NOT NULL, time INTEGER NOT NULL,
                            name BLOB NOT NULL);
                        """)
                let names = [
                    #"{"kind":"delete","documents":2,"folders":1,"links":0,"first":{"kind":"document","name":"a \"b\" 買"},"#
                        + #""whole":{"kind":"folder","name":"Trip"}}"#,
                    #"{"first":{"kind":"symbolicLink","name":"l"},"kind":"rename","documents":0,"folders":0,"links":1,"#
                        + #""destination":"m"}"#,
                ]
                for (number, name) in names.enumerated() {
                    try db.execute(
                        sql: "INSERT INTO actions VALUES(?,?,7,CAST(? AS BLOB))",
                        arguments: [number + 1, number, name])
                }
            }
            let catalog = try Catalog(path: path)
            let (undo, redo) = try catalog.read { (try $0.actions(.undo), try $0.actions(.redo)) }
            #expect(undo.map(\.name.text) == ["Delete folder “Trip” with 2 documents"])
            #expect(undo.first?.name.first == ActionSubject(kind: .document, name: #"a "b" 買"#))
            #expect(redo.map(\.name.text) == ["Rename link “l” to “m”"])
            try catalog.close()
        }
    }

    /// A step of the undo list kept the row's bundle in the column of its own number.
    @Test func `bundles and choices keep their numbers and versions under the new names of their columns`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            let (document, removed, version) = (EntryID.random(), EntryID.random(), VersionID.random())
            let choice = ActionStep.VersionChoice(before: [version], after: [])
            try first.write { transaction throws in
                var entry = try Entry.document("a.txt", filename: "a.txt", id: document)
                entry.bundle = 7
                try transaction.insert(entry)
                try transaction.store(Withdrawal(id: removed, seen: [version], depth: 2, bundle: 8))
                try transaction.append(
                    ActionStep(action: 1, number: 3, change: .chosen(choice), entry: entry, folder: nil),
                    of: ActionRecord(id: 1, time: Timestamp(nanoseconds: 1), name: ActionName(.choose)))
            }
            try first.close()
            try Self.edit(path) { db throws in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier LIKE '20: %';
                        ALTER TABLE entries RENAME COLUMN bundle TO step;
                        ALTER TABLE withdrawals RENAME COLUMN bundle TO step;
                        ALTER TABLE steps DROP COLUMN bundle;
                        ALTER TABLE steps RENAME COLUMN leavesBefore TO headsBefore;
                        ALTER TABLE steps RENAME COLUMN leavesAfter TO headsAfter;
                        DROP INDEX entriesByBundle;
                        DROP INDEX withdrawalsByBundle;
                        CREATE INDEX entriesByStep ON entries(step) WHERE step IS NOT NULL;
                        CREATE INDEX withdrawalsByStep ON withdrawals(step) WHERE step IS NOT NULL;
                        """)
            }
            let catalog = try Catalog(path: path)
            try catalog.read { rows throws in
                #expect(try rows.entry(document)?.bundle == 7)
                #expect(try rows.withdrawal(of: removed)?.bundle == 8)
                let step = try #require(try rows.step(3, of: 1))
                #expect(step.change == .chosen(choice))
                #expect(step.number == 3)
                #expect(step.entry.bundle == nil)
            }
            try catalog.close()
        }
    }

    @Test func `the leaves of entries that an earlier release stored are unknown`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            let id = EntryID.random()
            try first.write {
                try $0.storeReplicaRecord(
                    [1], id: id, parent: .cloudRoot, filename: "a", fullName: nil, isDeleted: false, leaves: [])
            }
            try first.close()
            try Self.edit(path) { db throws in
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '21: %'")
                try db.execute(sql: "ALTER TABLE replica DROP COLUMN leaves")
            }
            let catalog = try Catalog(path: path)
            #expect(try catalog.read { try $0.replicaLeaves(of: id) } == nil)
            #expect(try catalog.read { try $0.replicaRecord(id) } == [1])
            try catalog.close()
        }
    }

    @Test func `a catalog from before the first released schema is refused, and left as it is`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            try Catalog(path: path).close()
            try Self.edit(path) { db throws in
                try db.execute(sql: "DELETE FROM grdb_migrations")
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES('6: earlier')")
            }
            #expect(throws: CatalogError.self) { try Catalog(path: path) }
            try Self.edit(path) { db throws in
                #expect(try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations") == ["6: earlier"])
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM entries") == 4)
            }
        }
    }
}
