import Documents
import GRDB

/// Queries and changes over many entries.
extension Rows {
    /// Documents in a container, and how many conflict versions they have.
    public func documentCount(in location: Location) throws -> (documents: Int, conflicts: Int) {
        let count = try count(in: location)
        return (count.documents, count.conflicts)
    }

    /// Bytes of the contents of the cloud's documents that are on this disk.
    public func bytesOfCloudHere() throws -> Int64 { try count(in: .cloud).sizeHere.bytes }

    private func count(in location: Location) throws -> EntryCounts.Count {
        try counts.count(in: location) { location in
            try turn.read { db in
                let condition = "\(EntryCondition.isDocument) AND container=?"
                var statement = try DirectStatement(
                    db,
                    sql: """
                        SELECT count(*), total(conflicts), \(SizeSum.columns("CASE WHEN isHere THEN size END"))
                        FROM entries WHERE \(condition)
                        """)
                statement.bind(location)
                return try statement.next().map {
                    .init(documents: $0[0], conflicts: Int($0[1] as Double), sizeHere: .init(high: $0[2], low: $0[3]))
                } ?? .init()
            }
        }
    }
}

extension Transaction {
    /// Forgets the evidence of all backing files: in a copy of the store, the files have other inode numbers.
    public func forgetBackingFiles() throws {
        try turn.write { try $0.execute(sql: "UPDATE entries SET backingInode=0, backingBirth=0") }
        cache.forgetAll()
    }

    /// Records or forgets the last failure of an entry.
    public func setError(_ error: String?, of inode: InodeNumber) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "UPDATE entries SET error=? WHERE id=? AND error IS NOT ?")
                .execute(arguments: [error, inode.number, error])
        }
        cache.forget(inode)
    }
}

/// The columns of an entry that a listing needs.
public struct ListingRow: Sendable {
    /// The row's id.
    public let inode: InodeNumber
    public let kind: EntryKind
    /// Unique in the folder.
    public let filename: String
    /// Documents only.
    public let fullName: String?
    /// When the entry was created. Of two documents with one display name, the older is listed under it.
    public let created: Timestamp
    /// Unresolved conflict versions.
    public let conflicts: Int
}

extension Rows {
    /// A folder's children, in the order of their order keys.
    public func listing(of parent: InodeNumber) throws -> [ListingRow] {
        try turn.read { db in
            var statement = try DirectStatement(
                db,
                sql: """
                    SELECT id, kind, filename, fullName, created, conflicts FROM entries
                    WHERE parent=? AND id<>parent ORDER BY \(EntryStatements.manualOrder)
                    """)
            statement.bind(parent)
            var rows: [ListingRow] = []
            while let row = try statement.next() {
                rows.append(
                    ListingRow(
                        inode: row[0], kind: row[1], filename: row[2], fullName: row[3], created: row[4],
                        conflicts: row[5]))
            }
            return rows
        }
    }
}
