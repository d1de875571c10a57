import FoundationEssentials
import GRDB
import GRDBSQLite

/// A statement that is bound and stepped by SQLite's own functions, for the few that every file takes which is
/// looked up, made or removed: GRDB boxes each value and looks after observers that we have none of, which
/// takes longer than SQLite does (perf). It is compiled once and belongs to GRDB all the same.
struct DirectStatement: ~Copyable {
    private let db: Database
    private let sql: String
    private let statement: SQLiteStatement
    private var bound: CInt = 0

    init(_ db: Database, sql: String) throws {
        self.db = db
        self.sql = sql
        statement = try db.cachedStatement(sql: sql).sqliteStatement
        sqlite3_reset(statement)
    }

    // A statement that stays where it is keeps the write-ahead log from being emptied.
    deinit { sqlite3_reset(statement) }

    /// The next row; nil when there is none.
    borrowing func step() throws -> Columns? {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return Columns(statement: statement)
        case SQLITE_DONE: return nil
        case let code:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(db.sqliteConnection)),
                sql: sql)
        }
    }

    /// Runs it to its end.
    borrowing func run() throws {
        while try step() != nil {}
    }

    // MARK: The next argument

    mutating func bind(_ value: Int64) {
        bound += 1
        sqlite3_bind_int64(statement, bound, value)
    }

    mutating func bind(_ value: Double) {
        bound += 1
        sqlite3_bind_double(statement, bound, value)
    }

    mutating func bind(_ value: Bool) { bind(value ? 1 : 0 as Int64) }

    mutating func bind(_ value: String) {
        bound += 1
        var value = value
        _ = value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(statement, bound, $0.baseAddress ?? Self.nothing, CInt($0.count), Self.copied)
            }
        }
    }

    mutating func bind(_ value: [UInt8]) {
        bound += 1
        _ = value.withUnsafeBytes {
            sqlite3_bind_blob(statement, bound, $0.baseAddress ?? .init(Self.nothing), CInt($0.count), Self.copied)
        }
    }

    mutating func bind(_ value: UUID) {
        bound += 1
        _ = withUnsafeBytes(of: value.uuid) {
            sqlite3_bind_blob(statement, bound, $0.baseAddress, CInt($0.count), Self.copied)
        }
    }

    private mutating func bindNull() {
        bound += 1
        sqlite3_bind_null(statement, bound)
    }

    mutating func bind(_ value: Int64?) { if let value { bind(value) } else { bindNull() } }
    mutating func bind(_ value: String?) { if let value { bind(value) } else { bindNull() } }
    mutating func bind(_ value: [UInt8]?) { if let value { bind(value) } else { bindNull() } }
    mutating func bind(_ value: UUID?) { if let value { bind(value) } else { bindNull() } }

    /// SQLite takes a null pointer for NULL, not for an empty value.
    private nonisolated(unsafe) static let nothing = UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))
    /// SQLITE_TRANSIENT
    private nonisolated(unsafe) static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
