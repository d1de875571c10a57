import Documents
import FoundationEssentials
import GRDB

/// Moves all rows below a folder from one container to the other with a few SQL statements, since there may be very many.
extension Rows {
    /// SQL for `inside(id, depth)`: the rows below a folder, and the number of folders between each and that folder.
    fileprivate static let inside = """
        WITH RECURSIVE inside(id, depth) AS (
            SELECT id, 0 FROM entries WHERE parent=:folder
            UNION ALL SELECT entries.id, depth + 1 FROM entries JOIN inside ON entries.parent=inside.id)
        """

    /// The number of rows below a folder, scratch files included.
    public func descendantCount(of folder: InodeNumber) throws -> Int {
        try turn.read { db in
            try Int.fetchOne(
                db.cachedStatement(sql: "\(Self.inside) SELECT count(*) FROM inside"),
                arguments: ["folder": folder.number]) ?? 0
        }
    }

    /// Whether anything below a folder meets a condition.
    public func hasDescendant(of folder: InodeNumber, where condition: EntryCondition) throws -> Bool {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: "\(Self.inside) SELECT 1 FROM entries WHERE id IN (SELECT id FROM inside) AND \(condition) LIMIT 1"
            )
            return try Bool.fetchOne(statement, arguments: ["folder": folder.number]) != nil
        }
    }

    /// The bundles of withdrawals in which the versions seen are not recorded yet.
    public func bundlesOfUnfinishedWithdrawals() throws -> Set<Int64> {
        try turn.readWritten { db in
            try Set(
                Int64.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT DISTINCT bundle FROM withdrawals WHERE seen IS NULL AND bundle IS NOT NULL")))
        }
    }

    /// Withdrawals in which the versions seen are not recorded yet.
    public func unfinishedWithdrawals(limit: Int) throws -> [Withdrawal] {
        try turn.readWritten { db in
            try Row.fetchAll(
                db.cachedStatement(sql: "SELECT uuid, depth, bundle FROM withdrawals WHERE seen IS NULL LIMIT ?"),
                arguments: [limit]
            ).map { Withdrawal(id: EntryID($0[0] as UUID), seen: [], depth: $0[1], bundle: $0[2]) }
        }
    }
}

extension Transaction {
    /// Moves all rows below a folder into the cloud. One commit tells the container of them (`bundle`). Sizes and times of the
    /// contents are recorded when these are uploaded.
    public func moveDescendantsIntoCloud(of folder: InodeNumber, bundle: Int64?) throws {
        try change(
            """
            \(Self.inside) DELETE FROM withdrawals WHERE uuid IN
                (SELECT uuid FROM entries WHERE id IN (SELECT id FROM inside) AND uuid IS NOT NULL)
            """, ["folder": folder.number])
        let newDocument: PendingChanges = [.creation, .content]
        // A commit that creates an entry may be on its way already, with the names that it had then.
        let mayBeKnown = "(uuid IN (SELECT uuid FROM replica) OR EXISTS(SELECT 1 FROM outbox))"
        try change(
            """
            \(Self.inside) UPDATE entries SET container=\(Location.cloud.sql),
                pending=CASE WHEN uuid IS NULL THEN 0 WHEN \(EntryCondition.isDocument) THEN \(newDocument.sql)
                    ELSE \(PendingChanges.creation.sql) END
                    | CASE WHEN uuid IS NULL OR NOT \(mayBeKnown) THEN 0
                        WHEN \(EntryCondition.isDocument) THEN \(PendingChanges.description.sql)
                        ELSE \(PendingChanges.descriptionWithTime.sql) END,
                revision=revision+1, bundle=CASE WHEN uuid IS NULL THEN bundle ELSE :bundle END
            WHERE id IN (SELECT id FROM inside)
            """, ["folder": folder.number, "bundle": bundle])
    }

    /// Moves all rows below a folder out of the cloud. Contents that are not here are downloaded as part of the bundle. For the
    /// others this stores withdrawals; they are sent once the versions seen are recorded in them (`unfinishedWithdrawals`).
    ///
    /// - Parameter depth: of the folder's children.
    public func moveDescendantsOutOfCloud(of folder: InodeNumber, depth: Int, bundle: Int64) throws {
        try change(
            """
            \(Self.inside) REPLACE INTO withdrawals(uuid, seen, depth, bundle)
            SELECT uuid, NULL, :depth + inside.depth, :bundle FROM entries JOIN inside ON inside.id=entries.id
            WHERE uuid IS NOT NULL AND (NOT \(EntryCondition.isDocument) OR \(EntryCondition.isCurrent))
                AND (NOT \(EntryCondition.hasPending(.creation)) OR uuid IN (SELECT uuid FROM replica) OR EXISTS(SELECT 1 FROM outbox))
            """, ["folder": folder.number, "depth": depth, "bundle": bundle])
        // Documents that were renamed over one of them are deleted without an heir.
        try change(
            """
            \(Self.inside) UPDATE withdrawals SET heir=NULL, bequest=NULL
            WHERE heir IN (SELECT uuid FROM entries WHERE id IN (SELECT id FROM inside) AND uuid IS NOT NULL)
            """, ["folder": folder.number])
        try change(
            """
            \(Self.inside) UPDATE entries SET container=\(Location.local.sql), pending=0, revision=revision+1, error=NULL,
                bundle=CASE WHEN awaited IS NOT NULL THEN bundle
                    WHEN \(EntryCondition.isDocument) AND NOT \(EntryCondition.isCurrent) THEN :bundle END,
                isHere=CASE WHEN \(EntryCondition.isDocument) THEN \(EntryCondition.isCurrent) ELSE isHere END
            WHERE id IN (SELECT id FROM inside)
            """, ["folder": folder.number, "bundle": bundle])
    }

    private func change(_ sql: String, _ arguments: StatementArguments) throws {
        try turn.write { try $0.cachedStatement(sql: sql).execute(arguments: arguments) }
        cache.forgetAll()
        counts.forget()
    }
}
