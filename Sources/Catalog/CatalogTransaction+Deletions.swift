import Documents
import FoundationEssentials
import GRDB

/// Documents that the container has as deleted, and whose content it still keeps.
extension CatalogTransaction {
    /// Records who deleted a document, in place of an older record.
    ///
    /// - Parameters:
    ///   - device: its name.
    ///   - isHidden: whether the trash does not show it: this device did it, and has a step of its own.
    public func recordDeletion(of id: EntryID, by device: String, isHidden: Bool) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "REPLACE INTO deletions(uuid, device, isHidden) VALUES(?,?,?)").execute(
                arguments: [id.uuid, device, isHidden])
        }
    }

    /// The trash does not show the deletion of a document any more, until it is deleted anew.
    public func hideDeletion(of id: EntryID) throws {
        try turn.write { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO deletions(uuid, isHidden) VALUES(?,TRUE) ON CONFLICT(uuid) DO UPDATE SET isHidden=TRUE
                    """
            ).execute(arguments: [id.uuid])
        }
    }

    /// The documents that other devices deleted, and which nobody brought back or removed here: the committed state as JSON, and the name of
    /// the device. Of what was deleted before this device met the container the latter is not known.
    ///
    /// - Parameter id: of the only one to look for.
    public func deletionsElsewhere(_ id: EntryID? = nil) throws -> [(record: [UInt8], device: String?)] {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT record, device
                    FROM \(id == nil ? "(SELECT DISTINCT uuid FROM departedContents)" : "(SELECT ? AS uuid)")
                    JOIN replica USING(uuid) LEFT JOIN deletions USING(uuid)
                    WHERE isDeleted AND isHidden IS NOT TRUE
                    AND uuid NOT IN (
                        SELECT uuid FROM steps WHERE change=\(ActionStep.Change.removed.sql) AND uuid IS NOT NULL)
                    AND NOT EXISTS(SELECT 1 FROM entries WHERE entries.uuid=replica.uuid)
                    """)
            return try Row.fetchAll(statement, arguments: id.map { [$0.uuid] } ?? []).map {
                (Array($0[0] as Data), $0[1])
            }
        }
    }
}
