import Glibc
import GRDB
import GRDBSQLite

/// Why a read or write of the catalog failed.
public enum CatalogError: Error, CustomStringConvertible, Sendable {
    /// No space is left on the store's file system, or a quota is used up.
    case full
    /// The file is no database, or a damaged one; with SQLite's message.
    case damaged(String)
    /// SQLite's message.
    case failed(String)

    /// - Parameter cause: the errno of the system call that failed. SQLite takes ENOSPC alone for a full disk.
    init(_ error: DatabaseError, cause: Int32? = nil) {
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .full
            case .SQLITE_IOERR where cause == EDQUOT: .full
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged(error.message ?? "\(error.resultCode)")
            case .SQLITE_ERROR where Self.isOfSchema(error.message ?? ""): .damaged(error.message ?? "")
            default: .failed(error.description)
            }
    }

    /// - Parameter db: which was used when it failed.
    init(_ error: DatabaseError, of db: Database) {
        self.init(error, cause: sqlite3_system_errno(db.sqliteConnection))
    }

    /// Every statement is docfs's own: what it names and the database has not was there, and its description is damaged.
    private static func isOfSchema(_ message: String) -> Bool {
        ["no such column", "no such table", "no such index", "has no column named"].contains { message.contains($0) }
    }

    /// One line for the log or a person.
    public var description: String {
        switch self {
        case .full: "no space is left for the catalog; free some on the store's disk"
        case .damaged(let words): "the catalog is damaged: \(words)"
        case .failed(let words): "the catalog failed: \(words)"
        }
    }
}
