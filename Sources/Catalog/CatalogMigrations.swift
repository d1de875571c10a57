import Documents
import GRDB

/// How the tables of each release become those of the next one. Migrations are added and never changed or removed: stores of every
/// release must open. What comes out of them is what ``CatalogSchema`` makes at once (`SchemaTests`).
enum CatalogMigrations {
    /// The first schema that was released. A store with an earlier one is refused.
    private static let first = "7: placeholders know when they changed"

    /// Brings the tables of another release up to date.
    static func migrate(_ queue: DatabaseQueue) throws {
        try migrator.migrate(queue)
        try queue.write { try addEntryColumns($0) }
    }

    /// Notes in a database whose tables are up to date that no migration is left to do.
    static func noteAll(_ db: Database) throws {
        // GRDB's own table (its page "Migrations").
        try db.execute(sql: "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY)")
        for identifier in migrator.migrations {
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES(?)", arguments: [identifier])
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(first) { db in
            if try db.tableExists("entries") {
                throw CatalogError.failed("the store was made by a docfs from before the first release")
            }
            try createEntries(db)
            try createReplication(db)
            try createContents(db)
            try createSettings(db)
        }
        migrator.registerMigration("8: order keys", migrate: giveOrderKeys)
        migrator.registerMigration("9: what was done can be undone") { try createActions($0) }
        migrator.registerMigration("10: contents that stay here, and when each was opened") { try createStaying($0) }
        migrator.registerMigration("11: what moves to the preferred location") { db in
            try db.execute(
                sql: """
                    CREATE TABLE preferredMoves(uuid BLOB PRIMARY KEY, number INTEGER NOT NULL, reason TEXT) WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("14: names of actions in columns; an index for the whole order") { db in
            try giveNameColumns(db)
            try db.execute(
                sql: """
                    DROP INDEX entriesByPosition;
                    CREATE INDEX entriesByPosition ON entries(parent, position, uuid);
                    """)
        }
        migrator.registerMigration("15: choices among versions can be undone") { db in
            try db.execute(
                sql: """
                    ALTER TABLE steps ADD COLUMN headsBefore BLOB;
                    ALTER TABLE steps ADD COLUMN headsAfter BLOB;
                    """)
        }
        migrator.registerMigration("16: contents that come from a version of another document; when contents arrived") {
            db in
            try db.execute(
                sql: """
                    ALTER TABLE entries ADD COLUMN awaited BLOB;
                    ALTER TABLE entries ADD COLUMN arrived INTEGER NOT NULL DEFAULT 0;
                    DROP INDEX entriesArriving;
                    CREATE INDEX entriesArriving ON entries(isHere) WHERE \(EntryCondition.isAwaited);
                    """)
        }
        migrator.registerMigration("17: restoring a version can be undone") { db in
            try db.execute(
                sql: """
                    ALTER TABLE steps ADD COLUMN contentSize INTEGER;
                    ALTER TABLE steps ADD COLUMN contentTime INTEGER;
                    """)
        }
        migrator.registerMigration("18: what other devices deleted") { db in
            try db.execute(
                sql: """
                    CREATE TABLE deletions(uuid BLOB PRIMARY KEY, device TEXT) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("19: a commit takes a part of very many deletions") { db in
            try db.execute(
                sql: """
                    CREATE INDEX withdrawalsByDepth ON withdrawals(depth DESC, uuid)
                        WHERE seen IS NOT NULL AND step IS NULL AND heir IS NULL;
                    CREATE INDEX withdrawalsByStep ON withdrawals(step) WHERE step IS NOT NULL;
                    """)
        }
        migrator.registerMigration("20: bundles and leaves") { db in
            // `steps` has all columns of `entries`, and a column of its own with the name that this one had.
            try db.execute(
                sql: """
                    ALTER TABLE entries RENAME COLUMN step TO bundle;
                    ALTER TABLE withdrawals RENAME COLUMN step TO bundle;
                    ALTER TABLE steps RENAME COLUMN headsBefore TO leavesBefore;
                    ALTER TABLE steps RENAME COLUMN headsAfter TO leavesAfter;
                    DROP INDEX entriesByStep;
                    DROP INDEX withdrawalsByStep;
                    CREATE INDEX entriesByBundle ON entries(bundle) WHERE bundle IS NOT NULL;
                    CREATE INDEX withdrawalsByBundle ON withdrawals(bundle) WHERE bundle IS NOT NULL;
                    """)
        }
        migrator.registerMigration("21: the leaves of each entry of the container") { db in
            // NULL where only the record tells them, until it changes.
            try db.execute(sql: "ALTER TABLE replica ADD COLUMN leaves BLOB")
        }
        return migrator
    }

    /// The position of an entry becomes a text: the key of the number that it was.
    private static func giveOrderKeys(_ db: Database) throws {
        let key = DatabaseFunction("orderKey", argumentCount: 1, pure: true) { values in
            OrderKey(number: Double.fromDatabaseValue(values[0]) ?? 0).text
        }
        db.add(function: key)
        defer { db.remove(function: key) }
        try db.execute(
            sql: """
                DROP INDEX entriesByPosition;
                ALTER TABLE entries RENAME COLUMN position TO number;
                ALTER TABLE entries ADD COLUMN position TEXT NOT NULL DEFAULT '';
                UPDATE entries SET position=orderKey(number);
                ALTER TABLE entries DROP COLUMN number;
                CREATE INDEX entriesByPosition ON entries(parent, position);
                """)
    }

    private static func createEntries(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE entries(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    parent INTEGER NOT NULL,
                    container INTEGER,
                    kind INTEGER NOT NULL,
                    filename TEXT NOT NULL,
                    hasGeneratedFilename INTEGER NOT NULL,
                    uuid BLOB,
                    displayName TEXT,
                    extension TEXT,
                    fullName TEXT,
                    naming INTEGER NOT NULL,
                    created INTEGER NOT NULL,
                    position REAL NOT NULL,
                    attributes BLOB,
                    target BLOB,
                    keepsNames INTEGER NOT NULL,
                    isScratchPlace INTEGER NOT NULL,
                    isHere INTEGER NOT NULL,
                    size INTEGER NOT NULL,
                    modified INTEGER NOT NULL,
                    mode INTEGER NOT NULL,
                    currentVersion BLOB,
                    contentVersion BLOB,
                    pending INTEGER NOT NULL,
                    revision INTEGER NOT NULL,
                    step INTEGER,
                    conflicts INTEGER NOT NULL,
                    error TEXT,
                    backingInode INTEGER NOT NULL DEFAULT 0,
                    backingBirth INTEGER NOT NULL DEFAULT 0,
                    changed INTEGER NOT NULL DEFAULT 0
                );
                CREATE UNIQUE INDEX entriesByFilename ON entries(filename, parent);
                CREATE INDEX entriesByFullName ON entries(parent, fullName, created) WHERE fullName IS NOT NULL;
                CREATE UNIQUE INDEX entriesByUUID ON entries(uuid) WHERE uuid IS NOT NULL;
                CREATE INDEX entriesByPosition ON entries(parent, position);
                CREATE INDEX entriesPending ON entries(pending, kind, step) WHERE \(EntryCondition.isPending);
                CREATE INDEX entriesByStep ON entries(step) WHERE step IS NOT NULL;
                CREATE INDEX entriesArriving ON entries(isHere) WHERE isHere=0 AND container=\(Location.local.sql);
                -- An index entry ends with the row's id, so this yields the rows of one kind in the order of their ids.
                CREATE INDEX entriesToUpload ON entries(kind) WHERE \(EntryCondition.hasNewContent);
                """)
        let roots: [(InodeNumber, InodeNumber, Location?, String)] = [
            (.root, .root, nil, ""), (.documents, .root, nil, "Documents"),
            (.local, .documents, .local, Location.local.rawValue),
            (.cloud, .documents, .cloud, Location.cloud.rawValue),
        ]
        for (inode, parent, location, filename) in roots {
            try db.execute(
                sql: """
                    INSERT INTO entries(id, parent, container, kind, filename, hasGeneratedFilename, uuid, naming,
                        created, position, keepsNames, isScratchPlace, isHere, size, modified, mode, pending,
                        revision, conflicts)
                    VALUES(?, ?, ?, ?, ?, 0, ?, 0, 0, 0, 0, 0, 1, 0, 0, 493, 0, 0, 0)
                    """,
                arguments: [
                    inode.number, parent.number, location?.code, EntryKind.folder.code, filename,
                    inode == .cloud ? EntryID.cloudRoot.uuid : nil,
                ])
        }
        // Ids up to 99 stay free for entries that later releases add at the top of the tree.
        try db.execute(sql: "UPDATE sqlite_sequence SET seq = 99 WHERE name = 'entries'")
    }

    private static func createReplication(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE replica(
                    uuid BLOB PRIMARY KEY,
                    parent BLOB NOT NULL,
                    filename TEXT NOT NULL,
                    fullName TEXT,
                    isDeleted INTEGER NOT NULL,
                    record BLOB NOT NULL
                ) WITHOUT ROWID;
                CREATE INDEX replicaByFilename ON replica(parent, filename) WHERE NOT isDeleted;
                CREATE INDEX replicaByFullName ON replica(parent, fullName) WHERE NOT isDeleted;
                CREATE TABLE withdrawals(
                    uuid BLOB PRIMARY KEY,
                    seen BLOB,
                    depth INTEGER NOT NULL,
                    step INTEGER,
                    heir BLOB,
                    bequest BLOB
                );
                CREATE INDEX withdrawalsByHeir ON withdrawals(heir) WHERE heir IS NOT NULL;
                CREATE TABLE resolutions(uuid BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
                CREATE TABLE outbox(
                    commitID BLOB PRIMARY KEY,
                    record BLOB NOT NULL
                );
                """)
    }

    private static func createContents(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE departedContents(
                    version BLOB PRIMARY KEY,
                    uuid BLOB NOT NULL,
                    filename TEXT NOT NULL,
                    position INTEGER NOT NULL
                ) WITHOUT ROWID;
                CREATE INDEX departedContentsByPosition ON departedContents(position, version);
                CREATE TABLE uploads(
                    version BLOB PRIMARY KEY,
                    uuid BLOB NOT NULL,
                    inode INTEGER NOT NULL,
                    revision INTEGER NOT NULL,
                    stage INTEGER NOT NULL,
                    record BLOB NOT NULL
                ) WITHOUT ROWID;
                """)
    }

    private static func createSettings(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE settings(
                    key TEXT PRIMARY KEY,
                    value TEXT NOT NULL
                ) WITHOUT ROWID;
                CREATE TABLE folderTimes(folder INTEGER PRIMARY KEY, changed INTEGER NOT NULL);
                """)
    }

    private static func createStaying(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE kept(uuid BLOB PRIMARY KEY) WITHOUT ROWID;
                CREATE TABLE openings(uuid BLOB PRIMARY KEY, opened INTEGER NOT NULL) WITHOUT ROWID;
                """)
    }

    private static func createActions(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE actions(
                    number INTEGER PRIMARY KEY,
                    isUndone INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    name BLOB NOT NULL
                );
                CREATE TABLE steps(
                    action INTEGER NOT NULL,
                    step INTEGER NOT NULL,
                    change INTEGER NOT NULL,
                    folder BLOB,
                    outcomeFolder BLOB,
                    outcomeFilename TEXT,
                    outcomeFullName TEXT,
                    PRIMARY KEY(action, step)
                ) WITHOUT ROWID;
                """)
    }

    /// The name of an action, which was a JSON text, gets columns: each change of an action writes its name, and encoding JSON took a
    /// quarter of the time of a mkdir(2).
    private static func giveNameColumns(_ db: Database) throws {
        let kinds: [EntryKind] = [.folder, .document, .scratch, .symbolicLink]
        let code = { (path: String) in
            "CASE json->>'\(path)' " + kinds.map { "WHEN '\($0.rawValue)' THEN \($0.sql)" }.joined(separator: " ")
                + " END"
        }
        try db.execute(
            sql: """
                CREATE TABLE namedActions(
                    number INTEGER PRIMARY KEY,
                    isUndone INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    documents INTEGER NOT NULL,
                    folders INTEGER NOT NULL,
                    links INTEGER NOT NULL,
                    firstKind INTEGER,
                    firstName TEXT,
                    wholeKind INTEGER,
                    wholeName TEXT,
                    destination TEXT
                );
                INSERT INTO namedActions SELECT
                    number, isUndone, time, json->>'$.kind', json->>'$.documents', json->>'$.folders', json->>'$.links',
                    \(code("$.first.kind")), json->>'$.first.name', \(code("$.whole.kind")), json->>'$.whole.name',
                    json->>'$.destination'
                FROM (SELECT number, isUndone, time, CAST(name AS TEXT) json FROM actions);
                DROP TABLE actions;
                ALTER TABLE namedActions RENAME TO actions;
                """)
    }

    /// Adds the columns to `steps` that `entries` has, and `steps` not yet. A column that a later release adds to the one is thereby
    /// added to the other.
    private static func addEntryColumns(_ db: Database) throws {
        let known = Set(try db.columns(in: "steps").map(\.name))
        for column in try db.columns(in: "entries") where !known.contains(column.name) {
            try db.execute(sql: "ALTER TABLE steps ADD COLUMN \(CatalogSchema.columnOfStep(column))")
        }
    }
}
