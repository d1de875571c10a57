import Documents

/// A value that a column holds as a number. The numbers are part of the catalog's format: never change one.
protocol StoredCode: ColumnValue {
    init(code: Int64)
    var code: Int64 { get }
}

extension StoredCode {
    /// The number for use in SQL.
    var sql: String { String(code) }

    init(_ row: Columns, _ column: CInt) { self.init(code: row.integer(column)) }
    func bind(to statement: inout DirectStatement) { statement.bindInteger(code) }
}

extension EntryKind: StoredCode {
    var code: Int64 {
        switch self {
        case .folder: 0
        case .document: 1
        case .scratch: 2
        case .symbolicLink: 3
        }
    }

    init(code: Int64) {
        switch code {
        case 0: self = .folder
        case 1: self = .document
        case 3: self = .symbolicLink
        default: self = .scratch
        }
    }
}

extension Naming: StoredCode {
    var code: Int64 {
        switch self {
        case .given: 0
        case .automatic: 1
        case .untitled: 2
        }
    }

    init(code: Int64) {
        switch code {
        case 1: self = .automatic
        case 2: self = .untitled
        default: self = .given
        }
    }
}

extension Location: StoredCode {
    var code: Int64 {
        switch self {
        case .local: 0
        case .cloud: 1
        }
    }

    init(code: Int64) { self = code == 0 ? .local : .cloud }
}

extension PendingChanges: StoredCode {
    var code: Int64 { Int64(rawValue) }
    init(code: Int64) { self.init(rawValue: Int(code)) }
}
