import Documents
import GRDB

/// What waits to be sent or fetched. Asked again and again while there is much of it, so each of
/// these reads the partial indexes and a bounded number of rows.
extension CatalogTransaction {
    /// Documents whose content the container must get, by inode number.
    public func entriesNeedingUpload(after inode: InodeNumber = InodeNumber(0), limit: Int) throws -> [Entry] {
        // Left to itself SQLite reads the whole table in the order of its rows.
        try entries(
            by: "entriesToUpload", where: "pending & 2 AND kind=1 AND id>? ORDER BY id LIMIT ?", [inode.number, limit])
    }

    /// Documents that are here, by inode number, of which the row says what their content looks like: unsent changes aside, those
    /// of the cloud, and those that are called after their text.
    public func entriesWithNotedContent(after inode: InodeNumber, limit: Int) throws -> [Entry] {
        try entries(
            where:
                "kind=1 AND isHere=1 AND NOT pending & 2 AND (container=1 OR naming<>0) AND id>? ORDER BY id LIMIT ?",
            [inode.number, limit])
    }

    /// Entries with changes that can be told without sending content.
    public func entriesToDescribe(limit: Int) throws -> [Entry] {
        try entries(
            where: """
                pending<>0 AND pending<>256 AND NOT (kind=1 AND pending & 2 AND (pending & 1 OR pending=2)) LIMIT ?
                """, [limit])
    }

    public func pendingEntries(inStep step: Int64) throws -> [Entry] {
        try entries(where: "step=? AND pending<>0", [step])
    }

    /// Folders that are here for the sake of scratch files (`PendingChanges.revival`), and have none any more.
    public func foldersToForget() throws -> [Entry] {
        try entries(
            where:
                "pending=256 AND kind=0 AND NOT EXISTS(SELECT 1 FROM entries AS inner WHERE inner.parent=entries.id)",
            [])
    }

    /// Whether a folder holds anything that the container is to know.
    public func hasReplicatedChildren(_ folder: InodeNumber) throws -> Bool {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(
                sql: "SELECT 1 FROM entries WHERE parent=? AND uuid IS NOT NULL AND NOT pending & 256 LIMIT 1")
            return try Bool.fetchOne(statement, arguments: [folder.number]) != nil
        }
    }

    /// How many documents of each step the container still lacks the content of.
    public func uploadsByStep() throws -> [Int64: Int] {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT step, count(*) FROM entries
                    WHERE pending<>0 AND pending & 2 AND kind=1 AND step IS NOT NULL GROUP BY step
                    """)
            return Dictionary(try Row.fetchAll(statement).map { ($0[0], $0[1]) }) { $1 }
        }
    }

    /// Documents on their way out of the cloud whose content is not here yet (PRODUCT 4).
    public func arrivingEntries(limit: Int) throws -> [Entry] {
        try entries(where: "isHere=0 AND container=0 LIMIT ?", [limit])
    }

    /// The steps that such documents belong to.
    public func arrivingSteps() throws -> Set<Int64> {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT DISTINCT step FROM entries WHERE isHere=0 AND container=0 AND step IS NOT NULL")
            return Set(try Row.fetchAll(statement).map { $0[0] as Int64 })
        }
    }

    public func pendingCount() throws -> Int {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql:
                    "SELECT (SELECT count(*) FROM entries WHERE pending<>0 AND pending<>256) + (SELECT count(*) FROM withdrawals)"
                    + " + (SELECT count(*) FROM resolutions)")
            return try Row.fetchOne(statement).map { $0[0] } ?? 0
        }
    }
}
