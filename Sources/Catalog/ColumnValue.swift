import Documents
import FoundationEssentials

/// A value that one column holds.
protocol ColumnValue {
    /// Reads a column of a statement's current row.
    init(_ row: Columns, _ column: CInt)
    /// Binds the next argument of a statement.
    func bind(to statement: inout DirectStatement)
}

extension Int64: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self = row.integer(column) }
    func bind(to statement: inout DirectStatement) { statement.bindInteger(self) }
}

extension Int: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self = Int(row.integer(column)) }
    func bind(to statement: inout DirectStatement) { statement.bindInteger(Int64(self)) }
}

extension UInt16: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self.init(truncatingIfNeeded: row.integer(column)) }
    func bind(to statement: inout DirectStatement) { statement.bindInteger(Int64(self)) }
}

extension Bool: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self = row.integer(column) != 0 }
    func bind(to statement: inout DirectStatement) { statement.bindInteger(self ? 1 : 0) }
}

extension Double: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self = row.double(column) }
    func bind(to statement: inout DirectStatement) { statement.bindDouble(self) }
}

extension String: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self = row.text(column) }
    func bind(to statement: inout DirectStatement) { statement.bindText(self) }
}

extension [UInt8]: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self = row.withBytes(column) { Array($0) } }
    func bind(to statement: inout DirectStatement) { withUnsafeBytes { statement.bindBytes($0) } }
}

extension UUID: ColumnValue {
    init(_ row: Columns, _ column: CInt) {
        let uuid = row.withBytes(column) { bytes in
            // docfs writes nothing else into such a column.
            precondition(bytes.count == MemoryLayout<uuid_t>.size, "not a UUID: \(bytes.count) bytes")
            return bytes.loadUnaligned(as: uuid_t.self)
        }
        self.init(uuid: uuid)
    }

    func bind(to statement: inout DirectStatement) { withUnsafeBytes(of: uuid) { statement.bindBytes($0) } }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self = row.isNull(column) ? nil : Wrapped(row, column) }

    func bind(to statement: inout DirectStatement) {
        if let self { self.bind(to: &statement) } else { statement.bindNull() }
    }
}

extension Identifier: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self.init(UUID(row, column)) }
    func bind(to statement: inout DirectStatement) { uuid.bind(to: &statement) }
}

extension InodeNumber: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self.init(row.integer(column)) }
    func bind(to statement: inout DirectStatement) { statement.bindInteger(number) }
}

extension OrderKey: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self.init(unchecked: row.text(column)) }
    func bind(to statement: inout DirectStatement) { statement.bindText(text) }
}

extension Timestamp: ColumnValue {
    init(_ row: Columns, _ column: CInt) { self.init(nanoseconds: row.integer(column)) }
    func bind(to statement: inout DirectStatement) { statement.bindInteger(nanoseconds) }
}
