import Documents
import GRDB

/// Entries that wait to be sent or fetched. These queries run often while there are many such entries, so each uses a
/// partial index; those that yield entries read a limited number of rows.
extension Rows {
    /// Documents whose content must be uploaded, by inode number.
    public func entriesNeedingUpload(after inode: InodeNumber = InodeNumber(0), limit: Int) throws -> [Entry] {
        // SQLite would choose to read the whole table in the order of ids.
        try entries(
            by: "entriesToUpload",
            where:
                "\(EntryCondition.hasNewContent) AND \(EntryCondition.isDocument) AND isHere AND id>? ORDER BY id LIMIT ?"
        ) {
            $0.bind(inode)
            $0.bind(limit)
        }
    }

    /// Documents, by inode number, whose content is here and whose row depends on it: cloud documents without unsent content,
    /// and documents that are named after their text.
    public func entriesWithRecordedContent(after inode: InodeNumber, limit: Int) throws -> [Entry] {
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

    /// Entries with changes that can be committed without an upload, besides those of bundles.
    public func entriesToDescribe(limit: Int) throws -> [Entry] {
        try entries(
            where: "\(EntryCondition.hasNews) AND NOT (\(EntryCondition.isOnlyNewContent)) AND bundle IS NULL LIMIT ?"
        ) {
            $0.bind(limit)
        }
    }

    /// The entries of a bundle that have pending changes.
    public func pendingEntries(inBundle bundle: Int64) throws -> [Entry] {
        try entries(where: "bundle=? AND \(EntryCondition.isPending)") { $0.bind(bundle) }
    }

    /// The bundles that have entries with pending changes.
    public func pendingBundles() throws -> Set<Int64> {
        try turn.read { db in
            let statement = try DirectStatement(
                db, sql: "SELECT DISTINCT bundle FROM entries WHERE bundle IS NOT NULL AND \(EntryCondition.isPending)")
            var found: Set<Int64> = []
            while let row = try statement.next() { found.insert(row[0]) }
            return found
        }
    }

    /// Folders that were kept only for their scratch files (`PendingChanges.revival`) and are empty now.
    public func foldersToForget() throws -> [Entry] {
        try entries(
            where: """
                \(EntryCondition.isRevivalOnly) AND \(EntryCondition.isFolder) \
                AND NOT EXISTS(SELECT 1 FROM entries AS inner WHERE inner.parent=entries.id)
                """)
    }

    /// Whether a folder holds an entry that belongs into the container.
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

    /// For each bundle, how many documents still have to be uploaded.
    public func uploadsByBundle() throws -> [Int64: Int] {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT bundle, count(*) FROM entries
                    WHERE \(EntryCondition.isPending) AND \(EntryCondition.hasNewContent) AND \(EntryCondition.isDocument)
                        AND bundle IS NOT NULL
                    GROUP BY bundle
                    """)
            return Dictionary(try Row.fetchAll(statement).map { ($0[0], $0[1]) }) { $1 }
        }
    }

    /// Documents on their way out of the cloud whose content is not here yet, and entries that get the content of another document.
    public func arrivingEntries(limit: Int) throws -> [Entry] {
        try entries(where: "\(EntryCondition.isAwaited) LIMIT ?") { $0.bind(limit) }
    }

    /// The bundles of such entries. They cannot be committed.
    public func arrivingBundles() throws -> Set<Int64> {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT DISTINCT bundle FROM entries WHERE \(EntryCondition.isAwaited) AND bundle IS NOT NULL")
            return Set(try Row.fetchAll(statement).map { $0[0] as Int64 })
        }
    }

    /// Documents with unresolved conflict versions, the first ones by their ids.
    public func entriesInConflict(limit: Int) throws -> [Entry] {
        try entries(where: "\(EntryCondition.isInConflict) ORDER BY uuid LIMIT ?") { $0.bind(limit) }
    }

    /// The number of changes that the container must still be told: entries with pending changes, deletions, and choices among versions.
    /// `Documents/.state` shows it.
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

    /// The bytes of the contents that the container must still get; nil where there are too many to add up for each look at a state.
    public func pendingBytes() throws -> Int64? {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT count(*), \(SizeSum.columns("size")) FROM (
                        SELECT size FROM entries WHERE \(EntryCondition.isPending) AND \(EntryCondition.hasNewContent)
                        LIMIT \(Self.mostAdded + 1))
                    """)
            guard let row = try Row.fetchOne(statement), (row[0] as Int) <= Self.mostAdded else { return nil }
            return SizeSum(high: row[1], low: row[2]).bytes
        }
    }

    private static let mostAdded = 10_000
}
