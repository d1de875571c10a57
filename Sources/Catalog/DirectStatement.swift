import GRDB
import GRDBSQLite

/// A statement that calls SQLite's functions directly, for the queries over entries. Measured with perf, GRDB takes longer than
/// SQLite here: it boxes each value, reads the names of all columns for each query, and serves observers, which docfs has not.
/// GRDB still compiles the statement, caches it and frees it.
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

    // A statement that is not reset holds a read lock, and a checkpoint cannot empty the write-ahead log.
    deinit { sqlite3_reset(statement) }

    /// The next row; nil when there is none.
    borrowing func next() throws -> Columns? {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return Columns(statement: statement)
        case SQLITE_DONE: return nil
        case let code:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(db.sqliteConnection)),
                sql: sql)
        }
    }

    /// Steps to the end of the result.
    borrowing func run() throws {
        while try next() != nil {}
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

    /// Points to an empty value. SQLite would store a null pointer as NULL.
    private nonisolated(unsafe) static let nothing = UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))
    /// SQLITE_TRANSIENT
    private nonisolated(unsafe) static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// The columns of a statement's current row.
struct Columns {
    fileprivate let statement: SQLiteStatement

    subscript<Value: ColumnValue>(_ column: CInt) -> Value { Value(self, column) }

    // MARK: For `ColumnValue`

    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(statement, column) }

    func double(_ column: CInt) -> Double { sqlite3_column_double(statement, column) }

    func text(_ column: CInt) -> String {
        // Must come first: it converts the value to text, and only then is the length that of the text.
        let start = sqlite3_column_text(statement, column)
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameter body: gets bytes that are valid until the statement steps on.
    func withBytes<Value>(_ column: CInt, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let start = sqlite3_column_blob(statement, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
