import Documents
import FoundationEssentials
import GRDB

/// The columns in the order in which `Entry.init(row:)` and `Entry.arguments` take them.
enum EntryColumns {
    static let names = [
        "id", "parent", "container", "kind", "filename", "hasGeneratedFilename", "uuid", "displayName",
        "extension", "fullName", "naming", "created", "position", "attributes", "target", "keepsNames",
        "isScratchPlace", "isHere", "size", "modified", "mode", "currentVersion", "contentVersion", "pending",
        "revision", "step", "conflicts", "error", "backingInode",
    ]
    static let list = names.joined(separator: ",")
    static let insert =
        "INSERT INTO entries(\(list)) VALUES(\(names.map { _ in "?" }.joined(separator: ",")))"
    static let update =
        "UPDATE entries SET \(names.map { "\($0)=?" }.joined(separator: ",")) WHERE id=?"
}

extension Entry {
    init(row: Row) {
        inode = InodeNumber(row[0])
        parent = InodeNumber(row[1])
        container = (row[2] as Int64?).map { $0 == 0 ? .local : .cloud }
        kind = EntryKind(code: row[3])
        filename = row[4]
        hasGeneratedFilename = row[5]
        id = (row[6] as UUID?).map(EntryID.init)
        name = (row[7] as String?).map { DocumentName(storedDisplayName: $0, pathExtension: row[8] ?? "") }
        naming = Naming(code: row[10])
        created = Timestamp(nanoseconds: row[11])
        position = row[12]
        attributes = (row[13] as Data?).map(Array.init)
        target = (row[14] as Data?).map(Array.init)
        place = NamingPlace(keepsNames: row[15], isScratch: row[16])
        isHere = row[17]
        size = row[18]
        modified = Timestamp(nanoseconds: row[19])
        mode = UInt16(truncatingIfNeeded: row[20] as Int64)
        currentVersion = (row[21] as UUID?).map(VersionID.init)
        contentVersion = (row[22] as UUID?).map(VersionID.init)
        pending = PendingChanges(rawValue: row[23])
        revision = row[24]
        step = row[25]
        conflicts = row[26]
        error = row[27]
        backingInode = UInt64(bitPattern: row[28] as Int64)
    }

    var arguments: StatementArguments {
        let values: [(any DatabaseValueConvertible)?] = [
            inode.number == 0 ? nil : inode.number, parent.number, container.map { $0 == .local ? 0 : 1 },
            kind.code, filename, hasGeneratedFilename, id?.uuid, name?.displayName, name?.pathExtension,
            name?.full, naming.code, created.nanoseconds, position, attributes.map { Data($0) },
            target.map { Data($0) }, place.keepsNames, place.isScratch, isHere, size, modified.nanoseconds,
            Int64(mode), currentVersion?.uuid, contentVersion?.uuid, pending.rawValue, revision, step,
            conflicts, error, Int64(bitPattern: backingInode),
        ]
        return StatementArguments(values)
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
