import Documents
import GRDB

/// The catalog's tables as they are now, for a new store. ``CatalogMigrations`` brings the tables of an earlier release to the same.
enum CatalogSchema {
    static func create(_ db: Database) throws {
        try createEntries(db)
        try createRoots(db)
        try createReplication(db)
        try createContents(db)
        try createActions(db)
        try createSettings(db)
    }

    /// The definition of a column of `entries` as a column of `steps`, without its constraints: a step may have none of these values.
    static func columnOfStep(_ column: ColumnInfo) -> String {
        "\(column.name) \(column.type)" + (column.defaultValueSQL.map { " DEFAULT \($0)" } ?? "")
    }

    /// The tree. What each column says is told at the property of ``Entry`` that it keeps (`visitColumns`).
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
                    bundle INTEGER,
                    conflicts INTEGER NOT NULL,
                    error TEXT,
                    backingInode INTEGER NOT NULL DEFAULT 0,
                    backingBirth INTEGER NOT NULL DEFAULT 0,
                    changed INTEGER NOT NULL DEFAULT 0,
                    position TEXT NOT NULL DEFAULT '',
                    awaited BLOB,
                    arrived INTEGER NOT NULL DEFAULT 0
                );
                CREATE UNIQUE INDEX entriesByFilename ON entries(filename, parent);
                CREATE INDEX entriesByFullName ON entries(parent, fullName, created) WHERE fullName IS NOT NULL;
                CREATE UNIQUE INDEX entriesByUUID ON entries(uuid) WHERE uuid IS NOT NULL;
                CREATE INDEX entriesByPosition ON entries(parent, position, uuid);
                CREATE INDEX entriesPending ON entries(pending, kind, bundle) WHERE \(EntryCondition.isPending);
                CREATE INDEX entriesByBundle ON entries(bundle) WHERE bundle IS NOT NULL;
                CREATE INDEX entriesArriving ON entries(isHere) WHERE \(EntryCondition.isAwaited);
                -- An index entry ends with the row's id, so this yields the rows of one kind in the order of their ids.
                CREATE INDEX entriesToUpload ON entries(kind) WHERE \(EntryCondition.hasNewContent);
                """)
    }

    private static func createRoots(_ db: Database) throws {
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
                    VALUES(?, ?, ?, ?, ?, 0, ?, 0, 0, ?, 0, 0, 1, 0, 0, 493, 0, 0, 0)
                    """,
                arguments: [
                    inode.number, parent.number, location?.code, EntryKind.folder.code, filename,
                    inode == .cloud ? EntryID.cloudRoot.uuid : nil, OrderKey(number: 0).text,
                ])
        }
        // Ids up to 99 stay free for entries that later releases add at the top of the tree.
        try db.execute(sql: "UPDATE sqlite_sequence SET seq = 99 WHERE name = 'entries'")
    }

    /// What the container has, and what goes to it.
    private static func createReplication(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE replica(
                    uuid BLOB PRIMARY KEY,
                    parent BLOB NOT NULL,
                    filename TEXT NOT NULL,
                    fullName TEXT,
                    isDeleted INTEGER NOT NULL,
                    record BLOB NOT NULL,
                    leaves BLOB
                ) WITHOUT ROWID;
                CREATE INDEX replicaByFilename ON replica(parent, filename) WHERE NOT isDeleted;
                CREATE INDEX replicaByFullName ON replica(parent, fullName) WHERE NOT isDeleted;
                CREATE TABLE withdrawals(
                    uuid BLOB PRIMARY KEY,
                    seen BLOB,
                    depth INTEGER NOT NULL,
                    bundle INTEGER,
                    heir BLOB,
                    bequest BLOB
                );
                CREATE INDEX withdrawalsByHeir ON withdrawals(heir) WHERE heir IS NOT NULL;
                CREATE INDEX withdrawalsByDepth ON withdrawals(depth DESC, uuid)
                    WHERE seen IS NOT NULL AND bundle IS NULL AND heir IS NULL;
                CREATE INDEX withdrawalsByBundle ON withdrawals(bundle) WHERE bundle IS NOT NULL;
                CREATE TABLE resolutions(uuid BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
                CREATE TABLE outbox(commitID BLOB PRIMARY KEY, record BLOB NOT NULL);
                CREATE TABLE deletions(uuid BLOB PRIMARY KEY, device TEXT) WITHOUT ROWID;
                """)
    }

    /// Contents that are sent, leave, or stay.
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
                CREATE TABLE kept(uuid BLOB PRIMARY KEY) WITHOUT ROWID;
                CREATE TABLE openings(uuid BLOB PRIMARY KEY, opened INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE preferredMoves(uuid BLOB PRIMARY KEY, number INTEGER NOT NULL, reason TEXT) WITHOUT ROWID;
                """)
    }

    /// The undo list (``ActionTable``).
    private static func createActions(_ db: Database) throws {
        let entryColumns = try db.columns(in: "entries").map(columnOfStep).joined(separator: ",\n    ")
        try db.execute(
            sql: """
                CREATE TABLE actions(
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
                CREATE TABLE steps(
                    action INTEGER NOT NULL,
                    step INTEGER NOT NULL,
                    change INTEGER NOT NULL,
                    folder BLOB,
                    outcomeFolder BLOB,
                    outcomeFilename TEXT,
                    outcomeFullName TEXT,
                    leavesBefore BLOB,
                    leavesAfter BLOB,
                    contentSize INTEGER,
                    contentTime INTEGER,
                    \(entryColumns),
                    PRIMARY KEY(action, step)
                ) WITHOUT ROWID;
                """)
    }

    private static func createSettings(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                CREATE TABLE folderTimes(folder INTEGER PRIMARY KEY, changed INTEGER NOT NULL);
                """)
    }
}
