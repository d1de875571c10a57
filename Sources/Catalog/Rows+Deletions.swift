import Documents
import FoundationEssentials
import GRDB

/// Deletions by other devices that the trash shows. The container keeps the contents for a while.
extension Rows {
    /// The documents that other devices deleted, and which nobody brought back or removed here: the committed state as JSON, and the name of
    /// the device if it is known.
    ///
    /// - Parameter id: of the only one to look for.
    public func deletionsElsewhere(_ id: EntryID? = nil) throws -> [(record: [UInt8], device: String?)] {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT record, device FROM deletions JOIN replica USING(uuid)
                    WHERE isDeleted AND uuid IN (SELECT uuid FROM departedContents)
                    AND uuid NOT IN (
                        SELECT uuid FROM steps WHERE change=\(ActionStep.Change.removed.sql) AND uuid IS NOT NULL)
                    AND NOT EXISTS(SELECT 1 FROM entries WHERE entries.uuid=replica.uuid)
                    \(id == nil ? "" : "AND uuid=?")
                    """)
            return try Row.fetchAll(statement, arguments: id.map { [$0.uuid] } ?? []).map {
                (Array($0[0] as Data), $0[1])
            }
        }
    }
}

extension Transaction {
    /// Records that another device deleted a document, in place of an older record.
    ///
    /// - Parameter device: its name; nil if it is not known.
    public func recordDeletion(of id: EntryID, by device: String?) throws {
        announceTrash()
        try turn.write { db in
            try db.cachedStatement(sql: "REPLACE INTO deletions(uuid, device) VALUES(?,?)").execute(
                arguments: [id.uuid, device])
        }
    }

    /// The trash does not show the deletion of a document any more, until another device deletes it anew.
    public func forgetDeletion(of id: EntryID) throws {
        announceTrash()
        try turn.write { db in
            try db.cachedStatement(sql: "DELETE FROM deletions WHERE uuid=?").execute(arguments: [id.uuid])
        }
    }
}
