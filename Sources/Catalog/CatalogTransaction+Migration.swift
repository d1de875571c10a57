import Documents
import FoundationEssentials
import GRDB

/// Moves the rows below a folder from one container to the other with a few statements: there may be very many.
extension CatalogTransaction {
    /// With `inside(id, depth)`: the rows below a folder, and how many folders lie between them and the folder.
    private static let inside = """
        WITH RECURSIVE inside(id, depth) AS (
            SELECT id, 0 FROM entries WHERE parent=:folder
            UNION ALL SELECT entries.id, depth + 1 FROM entries JOIN inside ON entries.parent=inside.id)
        """
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

    /// All below a folder is in the cloud from now on, and the container is to hear of it in one step. Sizes and times of contents
    /// are noted when these are uploaded.
    public func moveDescendantsIntoCloud(of folder: InodeNumber, step: Int64?) throws {
        try change(
            """
            \(Self.inside) DELETE FROM withdrawals WHERE uuid IN
                (SELECT uuid FROM entries WHERE id IN (SELECT id FROM inside) AND uuid IS NOT NULL)
            """, ["folder": folder.number])
        let newDocument: PendingChanges = [.creation, .content]
        try change(
            """
            \(Self.inside) UPDATE entries SET container=\(Container.cloud.sql),
                pending=CASE WHEN uuid IS NULL THEN 0 WHEN \(EntryCondition.isDocument) THEN \(newDocument.sql)
                    ELSE \(PendingChanges.creation.sql) END,
                revision=revision+1, step=CASE WHEN uuid IS NULL THEN NULL ELSE :step END
            WHERE id IN (SELECT id FROM inside)
            """, ["folder": folder.number, "step": step])
    }

    /// All below a folder is local from now on. What is not here arrives as part of the step; the container is to hear that the rest is
    /// gone from it, as soon as it is noted what was seen of it (`unfinishedWithdrawals`).
    ///
    /// - Parameter depth: of what lies in the folder.
    public func moveDescendantsOutOfCloud(of folder: InodeNumber, depth: Int, step: Int64) throws {
        try change(
            """
            \(Self.inside) REPLACE INTO withdrawals(uuid, seen, depth, step)
            SELECT uuid, NULL, :depth + inside.depth, :step FROM entries JOIN inside ON inside.id=entries.id
            WHERE uuid IS NOT NULL AND (NOT \(EntryCondition.isDocument) OR \(EntryCondition.isCurrent))
                AND (NOT \(EntryCondition.hasPending(.creation)) OR uuid IN (SELECT uuid FROM replica) OR EXISTS(SELECT 1 FROM outbox))
            """, ["folder": folder.number, "depth": depth, "step": step])
        try change(
            """
            \(Self.inside) UPDATE entries SET container=\(Container.local.sql), pending=0, revision=revision+1, error=NULL,
                step=CASE WHEN \(EntryCondition.isDocument) AND NOT \(EntryCondition.isCurrent) THEN :step END,
                isHere=CASE WHEN \(EntryCondition.isDocument) THEN \(EntryCondition.isCurrent) ELSE isHere END
            WHERE id IN (SELECT id FROM inside)
            """, ["folder": folder.number, "step": step])
    }

    private func change(_ sql: String, _ arguments: StatementArguments) throws {
        try turn.write { try $0.cachedStatement(sql: sql).execute(arguments: arguments) }
        cache.forgetAll()
        counts.forget()
    }

    /// The steps that such deletions belong to of which it is not noted yet what was seen.
    public func stepsOfUnfinishedWithdrawals() throws -> Set<Int64> {
        try turn.readWritten { db in
            try Set(
                Int64.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT DISTINCT step FROM withdrawals WHERE seen IS NULL AND step IS NOT NULL")))
        }
    }

    /// Deletions of which it is not noted yet what was seen.
    public func unfinishedWithdrawals(limit: Int) throws -> [Withdrawal] {
        try turn.readWritten { db in
            try Row.fetchAll(
                db.cachedStatement(sql: "SELECT uuid, depth, step FROM withdrawals WHERE seen IS NULL LIMIT ?"),
                arguments: [limit]
            ).map { Withdrawal(id: EntryID($0[0] as UUID), seen: [], depth: $0[1], step: $0[2]) }
        }
    }
}
