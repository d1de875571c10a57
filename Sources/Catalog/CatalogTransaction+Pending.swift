import Documents
import GRDB

/// What waits to be sent or fetched. Asked again and again while there is much of it, so each of
/// these reads the partial indexes and a bounded number of rows.
extension CatalogTransaction {
    /// Documents whose content the container must get, by inode number.
    public func entriesNeedingUpload(after inode: InodeNumber = InodeNumber(0), limit: Int) throws -> [Entry] {
        // Left to itself SQLite reads the whole table in the order of its rows.
        try entries(
            by: "entriesToUpload",
            where: "\(EntryCondition.hasNewContent) AND \(EntryCondition.isDocument) AND id>? ORDER BY id LIMIT ?"
        ) {
            $0.bind(inode)
            $0.bind(limit)
        }
    }

    /// Documents that are here, by inode number, of which the row says what their content looks like: unsent changes aside, those
    /// of the cloud, and those that are called after their text.
    public func entriesWithNotedContent(after inode: InodeNumber, limit: Int) throws -> [Entry] {
        try entries(
            where: """
                \(EntryCondition.isDocument) AND isHere=1 AND NOT \(EntryCondition.hasNewContent) \
                AND (\(EntryCondition.isInCloud) OR \(EntryCondition.isNamedAutomatically)) AND id>? ORDER BY id LIMIT ?
                """
        ) {
            $0.bind(inode)
            $0.bind(limit)
        }
    }

    /// Entries with changes that can be told without sending content.
    public func entriesToDescribe(limit: Int) throws -> [Entry] {
        try entries(where: "\(EntryCondition.hasNews) AND NOT (\(EntryCondition.isOnlyNewContent)) LIMIT ?") {
            $0.bind(limit)
        }
    }

    public func pendingEntries(inStep step: Int64) throws -> [Entry] {
        try entries(where: "step=? AND \(EntryCondition.isPending)") { $0.bind(step) }
    }

    /// Folders that are here for the sake of scratch files (`PendingChanges.revival`), and have none any more.
    public func foldersToForget() throws -> [Entry] {
        try entries(
            where: """
                \(EntryCondition.isRevivalOnly) AND \(EntryCondition.isFolder) \
                AND NOT EXISTS(SELECT 1 FROM entries AS inner WHERE inner.parent=entries.id)
                """)
    }

    /// Whether a folder holds anything that the container is to know.
    public func hasReplicatedChildren(_ folder: InodeNumber) throws -> Bool {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM entries
                    WHERE parent=? AND uuid IS NOT NULL AND NOT \(EntryCondition.hasPending(.revival)) LIMIT 1
                    """)
            return try Bool.fetchOne(statement, arguments: [folder.number]) != nil
        }
    }

    /// How many documents of each step the container still lacks the content of.
    public func uploadsByStep() throws -> [Int64: Int] {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT step, count(*) FROM entries
                    WHERE \(EntryCondition.isPending) AND \(EntryCondition.hasNewContent) AND \(EntryCondition.isDocument)
                        AND step IS NOT NULL
                    GROUP BY step
                    """)
            return Dictionary(try Row.fetchAll(statement).map { ($0[0], $0[1]) }) { $1 }
        }
    }

    /// Documents on their way out of the cloud whose content is not here yet.
    public func arrivingEntries(limit: Int) throws -> [Entry] {
        try entries(where: "\(EntryCondition.isAwaited) LIMIT ?") { $0.bind(limit) }
    }

    /// The steps that such documents belong to.
    public func arrivingSteps() throws -> Set<Int64> {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT DISTINCT step FROM entries WHERE \(EntryCondition.isAwaited) AND step IS NOT NULL")
            return Set(try Row.fetchAll(statement).map { $0[0] as Int64 })
        }
    }

    public func pendingCount() throws -> Int {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT (SELECT count(*) FROM entries WHERE \(EntryCondition.hasNews))
                        + (SELECT count(*) FROM withdrawals) + (SELECT count(*) FROM resolutions)
                    """)
            return try Row.fetchOne(statement).map { $0[0] } ?? 0
        }
    }
}
