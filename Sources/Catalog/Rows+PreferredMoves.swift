import Documents
import FoundationEssentials
import GRDB

/// An entry that was to move to the preferred location and could not.
public struct StayedEntry: Sendable {
    /// As its row is now.
    public let entry: Entry
    /// Why its move was refused (`Refusal.description`).
    public let reason: String
}

/// The entries at the top of the other container that are still to move since the preferred location was changed. Each goes when its move
/// is done, or gets the reason why it stays.
extension Rows {
    /// The first entry, in the order of the folder, that is to move and has not been tried; nil if none is left.
    public func nextPreferredMove() throws -> EntryID? {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(
                sql: "SELECT uuid FROM preferredMoves WHERE reason IS NULL ORDER BY number LIMIT 1")
            return try UUID.fetchOne(statement).map { EntryID($0) }
        }
    }

    /// The number of entries that are to move and have not been tried.
    public func preferredMovesLeft() throws -> Int {
        try turn.readWritten { db in
            try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM preferredMoves WHERE reason IS NULL")) ?? 0
        }
    }

    /// The entries that stayed and are still in `folder`, which is `local` or `cloud`, or in a folder in it.
    public func stayedEntries(in folder: InodeNumber) throws -> [StayedEntry] {
        let rows = try turn.readWritten { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: "SELECT uuid, reason FROM preferredMoves WHERE reason IS NOT NULL ORDER BY number")
            ).map { (EntryID($0[0] as UUID), $0[1] as String) }
        }
        return try rows.compactMap { id, reason in
            guard let entry = try entry(id), try isInside(entry.inode, ancestor: folder) else { return nil }
            return StayedEntry(entry: entry, reason: reason)
        }
    }
}

extension Transaction {
    /// Plans to move the entries of a folder, except scratch files, in place of all moves that were planned before.
    ///
    /// - Returns: the number of entries to move.
    public func planPreferredMoves(from folder: InodeNumber) throws -> Int {
        let entries = try children(of: folder).filter { $0.kind != .scratch }.compactMap(\.id)
        try turn.write { db in
            try db.execute(sql: "DELETE FROM preferredMoves")
            let statement = try db.cachedStatement(sql: "INSERT INTO preferredMoves VALUES(?,?,NULL)")
            for (number, id) in entries.enumerated() { try statement.execute(arguments: [id.uuid, number]) }
        }
        return entries.count
    }

    /// Plans to move the entries of a folder, except scratch files, and after them the folder, in place of a move of the folder itself.
    ///
    /// - Returns: by how many there is more to move.
    public func planPreferredMoves(of folder: Entry, _ id: EntryID) throws -> Int {
        let entries = try children(of: folder.inode).filter { $0.kind != .scratch }.compactMap(\.id)
        return try turn.write { db in
            try db.execute(sql: "DELETE FROM preferredMoves WHERE uuid=?", arguments: [id.uuid])
            let last = try Int.fetchOne(db, sql: "SELECT max(number) FROM preferredMoves") ?? 0
            let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO preferredMoves VALUES(?,?,NULL)")
            var added = 0
            for (number, id) in (entries + [id]).enumerated() {
                try statement.execute(arguments: [id.uuid, last + 1 + number])
                added += db.changesCount
            }
            // The folder was planned before.
            return added - 1
        }
    }

    /// Forgets all planned moves, and the reasons why entries stayed.
    public func forgetPreferredMoves() throws {
        try turn.write { try $0.execute(sql: "DELETE FROM preferredMoves") }
    }

    /// Forgets why entries stayed, so that their moves are tried again.
    public func retryPreferredMoves() throws {
        try turn.write { try $0.execute(sql: "UPDATE preferredMoves SET reason=NULL") }
    }

    /// Records the end of a move.
    ///
    /// - Parameter reason: why the entry stays; nil if its move is done.
    public func endPreferredMove(_ id: EntryID, staysBecause reason: String?) throws {
        try turn.write { db in
            if let reason {
                try db.cachedStatement(sql: "UPDATE preferredMoves SET reason=? WHERE uuid=?")
                    .execute(arguments: [reason, id.uuid])
            } else {
                try db.cachedStatement(sql: "DELETE FROM preferredMoves WHERE uuid=?").execute(arguments: [id.uuid])
            }
        }
    }
}
