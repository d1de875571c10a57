import Documents
import FoundationEssentials
import GRDB

/// A document of the cloud whose content is on this device.
public struct DocumentHere: Sendable {
    /// The row's id.
    public let inode: InodeNumber
    /// The document's id. Rows without one are not listed.
    public let id: EntryID
    public let parent: InodeNumber
    public let filename: String
    /// When it was last opened as far as that is recorded, or else when its file was made.
    public let lastOpened: Timestamp
}

/// Facts about contents that no other device knows: which must always be here, and when each was last opened. By the document's id, which a
/// document keeps through new versions, saves by renaming and moves.
extension Rows {
    // MARK: Kept

    /// Whether an entry was marked itself; what lies in a marked folder is kept too.
    public func isMarkedKept(_ id: EntryID) throws -> Bool {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM kept WHERE uuid=?")
            return try Bool.fetchOne(statement, arguments: [id.uuid]) != nil
        }
    }

    /// Whether anything is marked, so that callers can skip the search for kept documents.
    public var hasKept: Bool {
        get throws {
            try turn.readWritten { db in
                try Bool.fetchOne(db.cachedStatement(sql: "SELECT 1 FROM kept LIMIT 1")) != nil
            }
        }
    }

    /// Documents of the cloud that are kept, and whose content is not here or not the newest.
    public func keptDocumentsToFetch(limit: Int) throws -> [InodeNumber] {
        guard try hasKept else { return [] }
        return try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    WITH RECURSIVE inside(id) AS (
                        SELECT id FROM entries WHERE uuid IN (SELECT uuid FROM kept)
                        UNION SELECT entries.id FROM entries JOIN inside ON entries.parent=inside.id)
                    SELECT id FROM entries WHERE id IN (SELECT id FROM inside)
                        AND \(EntryCondition.isInCloud) AND \(EntryCondition.isNotCurrent) LIMIT ?
                    """)
            return try Int64.fetchAll(statement, arguments: [limit]).map { InodeNumber($0) }
        }
    }

    // MARK: Opened

    /// Documents of the cloud whose content is here, by inode number.
    ///
    /// - Parameter inode: documents with a greater number are returned.
    public func documentsHere(after inode: InodeNumber, limit: Int) throws -> [DocumentHere] {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT id, entries.uuid, parent, filename, coalesce(opened, backingBirth)
                    FROM entries LEFT JOIN openings ON openings.uuid=entries.uuid
                    WHERE id>? AND \(EntryCondition.isDocument) AND \(EntryCondition.isInCloud) AND isHere
                        AND entries.uuid IS NOT NULL
                    ORDER BY id LIMIT ?
                    """)
            return try Row.fetchAll(statement, arguments: [inode.number, limit]).map {
                DocumentHere(
                    inode: InodeNumber($0[0]), id: EntryID($0[1] as UUID), parent: InodeNumber($0[2]), filename: $0[3],
                    lastOpened: Timestamp(nanoseconds: $0[4]))
            }
        }
    }
}

extension Transaction {
    /// Marks a document, or a folder with all that lies in it now and later.
    public func markKept(_ id: EntryID) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO kept VALUES(?)").execute(arguments: [id.uuid])
        }
    }

    /// Removes the mark of an entry itself. A mark of a folder above it stays.
    public func unmarkKept(_ id: EntryID) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "DELETE FROM kept WHERE uuid=?").execute(arguments: [id.uuid])
        }
    }

    /// Records when contents were last opened, in place of older times.
    public func recordOpenings(_ times: [EntryID: Timestamp]) throws {
        try turn.write { db in
            let statement = try db.cachedStatement(sql: "REPLACE INTO openings VALUES(?,?)")
            for (id, time) in times { try statement.execute(arguments: [id.uuid, time.nanoseconds]) }
        }
    }
}
