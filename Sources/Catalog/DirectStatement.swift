import GRDB
import GRDBSQLite

/// A statement that is bound and stepped by SQLite's own functions, for those that read and write entries: GRDB boxes each value,
/// learns the names of all columns anew for each query, and looks after observers that we have none of, which takes longer than
/// SQLite does (perf). It is compiled once and belongs to GRDB all the same.
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

    /// Binds the next argument.
    mutating func bind(_ value: some ColumnValue) { value.bind(to: &self) }

    // MARK: For `ColumnValue`

    mutating func bindNull() {
        bound += 1
        sqlite3_bind_null(statement, bound)
    }

    mutating func bindInteger(_ value: Int64) {
        bound += 1
        sqlite3_bind_int64(statement, bound, value)
    }

    mutating func bindDouble(_ value: Double) {
        bound += 1
        sqlite3_bind_double(statement, bound, value)
    }

    mutating func bindText(_ value: String) {
        bound += 1
        var value = value
        _ = value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(statement, bound, $0.baseAddress ?? Self.nothing, CInt($0.count), Self.copied)
            }
        }
    }

    mutating func bindBytes(_ bytes: UnsafeRawBufferPointer) {
        bound += 1
        sqlite3_bind_blob(
            statement, bound, bytes.baseAddress ?? UnsafeRawPointer(Self.nothing), CInt(bytes.count), Self.copied)
    }

    /// SQLite takes a null pointer for NULL, not for an empty value.
    private nonisolated(unsafe) static let nothing = UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))
    /// SQLITE_TRANSIENT
    private nonisolated(unsafe) static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// The columns of the row that a statement has come to.
struct Columns {
    fileprivate let statement: SQLiteStatement

    subscript<Value: ColumnValue>(_ column: CInt) -> Value { Value(self, column) }

    // MARK: For `ColumnValue`

    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(statement, column) }

    func double(_ column: CInt) -> Double { sqlite3_column_double(statement, column) }

    func text(_ column: CInt) -> String {
        // First: it makes text of what is none, of which the length is asked then.
        let start = sqlite3_column_text(statement, column)
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameter body: gets bytes that are there until the statement goes on.
    func withBytes<Value>(_ column: CInt, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let start = sqlite3_column_blob(statement, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
