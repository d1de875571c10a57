import Documents
import FoundationEssentials
import GRDB

/// The columns in the order in which `Entry.init(_:)` and `Entry.bind` take them.
enum EntryColumns {
    static let names = [
        "id", "parent", "container", "kind", "filename", "hasGeneratedFilename", "uuid", "displayName",
        "extension", "fullName", "naming", "created", "position", "attributes", "target", "keepsNames",
        "isScratchPlace", "isHere", "size", "modified", "mode", "currentVersion", "contentVersion", "pending",
        "revision", "step", "conflicts", "error", "backingInode", "backingBirth", "changed",
    ]
    static let list = names.joined(separator: ",")
    static let select = "SELECT \(list) FROM entries WHERE "
    static let byInode = select + "id=?"
    static let byUUID = select + "uuid=?"
    static let byFilename = select + "parent=? AND filename=?"
    static let byFullName = select + "parent=? AND fullName=? ORDER BY created, id"
    private static let values = "INTO entries(\(list)) VALUES(\(names.map { _ in "?" }.joined(separator: ",")))"
    static let insert = "INSERT " + values
    static let replace = "REPLACE " + values
    static let delete = "DELETE FROM entries WHERE id=?"
    static let update =
        "UPDATE entries SET \(names.map { "\($0)=?" }.joined(separator: ",")) WHERE id=?"
}

/// Reads entries straight off a statement. GRDB's rows copy every value and learn the names of all
/// columns anew for each query, which takes longer than the query (perf).
final class EntryCursor: DatabaseCursor {
    typealias Element = Entry
    let _statement: Statement
    var _isDone = false

    init(_ statement: Statement, _ arguments: StatementArguments) throws {
        _statement = statement
        try statement.setArguments(arguments)
    }

    func _element(sqliteStatement: SQLiteStatement) -> Entry { Entry(Columns(statement: sqliteStatement)) }
}

/// The columns of the row that a statement has come to.
struct Columns {
    let statement: SQLiteStatement

    /// Of a column that is never NULL.
    subscript<Value: StatementColumnConvertible>(_ index: CInt) -> Value {
        Value.fromStatement(statement, atUncheckedIndex: index)!
    }

    func optional<Value: StatementColumnConvertible>(_ index: CInt) -> Value? {
        Value.fromStatement(statement, atUncheckedIndex: index)
    }
}

extension Entry {
    init(_ row: Columns) {
        inode = InodeNumber(row[0])
        parent = InodeNumber(row[1])
        container = (row.optional(2) as Int64?).map { $0 == 0 ? .local : .cloud }
        kind = EntryKind(code: row[3])
        filename = row[4]
        hasGeneratedFilename = row[5]
        id = (row.optional(6) as UUID?).map(EntryID.init)
        name = (row.optional(7) as String?).map {
            DocumentName(storedDisplayName: $0, pathExtension: row.optional(8) ?? "")
        }
        naming = Naming(code: row[10])
        created = Timestamp(nanoseconds: row[11])
        position = row[12]
        attributes = (row.optional(13) as Data?).map(Array.init)
        target = (row.optional(14) as Data?).map(Array.init)
        place = NamingPlace(keepsNames: row[15], isScratch: row[16])
        isHere = row[17]
        size = row[18]
        modified = Timestamp(nanoseconds: row[19])
        mode = UInt16(truncatingIfNeeded: row[20] as Int64)
        currentVersion = (row.optional(21) as UUID?).map(VersionID.init)
        contentVersion = (row.optional(22) as UUID?).map(VersionID.init)
        pending = PendingChanges(rawValue: row[23])
        revision = row[24]
        step = row.optional(25)
        conflicts = row[26]
        error = row.optional(27)
        backing = FileEvidence(inode: UInt64(bitPattern: row[28] as Int64), birth: row[29])
        changed = Timestamp(nanoseconds: row[30])
    }

    /// Binds the columns, in their order.
    func bind(to statement: inout DirectStatement) {
        statement.bind(inode.number)
        statement.bind(parent.number)
        statement.bind(container.map { $0 == .local ? 0 : 1 } as Int64?)
        statement.bind(kind.code)
        statement.bind(filename)
        statement.bind(hasGeneratedFilename)
        statement.bind(id?.uuid)
        statement.bind(name?.displayName)
        statement.bind(name?.pathExtension)
        statement.bind(name?.full)
        statement.bind(naming.code)
        statement.bind(created.nanoseconds)
        statement.bind(position)
        statement.bind(attributes)
        statement.bind(target)
        statement.bind(place.keepsNames)
        statement.bind(place.isScratch)
        statement.bind(isHere)
        statement.bind(size)
        statement.bind(modified.nanoseconds)
        statement.bind(Int64(mode))
        statement.bind(currentVersion?.uuid)
        statement.bind(contentVersion?.uuid)
        statement.bind(Int64(pending.rawValue))
        statement.bind(revision)
        statement.bind(step)
        statement.bind(Int64(conflicts))
        statement.bind(error)
        statement.bind(Int64(bitPattern: backing?.inode ?? 0))
        statement.bind(backing?.birth ?? 0)
        statement.bind(changed.nanoseconds)
    }
}

/// The stored codes of the enumerations. They are part of the catalog's format: never change one.
extension EntryKind {
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

extension Naming {
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
