import Documents

/// Visits the columns of the table `entries`: `ColumnNames` collects their names, `DirectStatement` binds their values, and
/// `EntryReader` reads them. The compiler specializes `visitColumns` for each visitor, so it costs no more than a list of
/// assignments.
protocol ColumnVisitor: ~Copyable {
    /// Whether the visitor assigns values that it reads from a row.
    static var isReader: Bool { get }
    mutating func column<Value: ColumnValue>(_ name: StaticString, _ value: inout Value)
}

extension Entry {
    /// The table of columns, in the order in which each statement has them. Each line gives a column's name and its value.
    mutating func visitColumns<Visitor: ColumnVisitor & ~Copyable>(_ visitor: inout Visitor) {
        visitor.column("id", &inode)
        visitor.column("parent", &placement.parent)
        visitor.column("container", &placement.location)
        visitor.column("filename", &placement.filename)
        visitor.column("hasGeneratedFilename", &placement.hasGeneratedFilename)
        visitor.column("position", &placement.position)

        var nature = NatureColumns(nature)
        visitor.column("kind", &nature.kind)
        visitor.column("displayName", &nature.displayName)
        visitor.column("extension", &nature.pathExtension)
        visitor.column("fullName", &nature.fullName)
        visitor.column("naming", &nature.naming)
        visitor.column("target", &nature.target)
        visitor.column("keepsNames", &nature.context.keepsNames)
        visitor.column("isScratchPlace", &nature.context.isScratch)
        if Visitor.isReader { self.nature = nature.nature }

        visitor.column("uuid", &id)
        visitor.column("created", &created)
        visitor.column("attributes", &attributes)

        visitor.column("isHere", &file.isHere)
        var evidence = EvidenceColumns(file.evidence)
        visitor.column("backingInode", &evidence.inode)
        visitor.column("backingBirth", &evidence.birth)
        if Visitor.isReader { file.evidence = evidence.evidence }
        visitor.column("size", &file.size)
        visitor.column("modified", &file.modified)
        visitor.column("changed", &file.changed)
        visitor.column("arrived", &file.arrived)
        visitor.column("mode", &file.mode)

        visitor.column("currentVersion", &synchronization.currentVersion)
        visitor.column("contentVersion", &synchronization.contentVersion)
        visitor.column("conflicts", &synchronization.conflicts)
        visitor.column("pending", &synchronization.pending)
        visitor.column("revision", &synchronization.revision)
        visitor.column("bundle", &synchronization.bundle)
        visitor.column("awaited", &synchronization.awaited)
        visitor.column("error", &synchronization.error)
    }
}

/// The columns of an entry's nature.
private struct NatureColumns {
    var kind: EntryKind
    var displayName: String?
    var pathExtension: String?
    /// Display name and extension, for searches. It is written and never read.
    var fullName: String?
    var naming = Naming.given
    var target: [UInt8]?
    var context = NamingContext(keepsNames: false, isScratch: false)

    init(_ nature: EntryNature) {
        kind = nature.kind
        switch nature {
        case .folder(let context): self.context = context
        case .document(let identity):
            displayName = identity.name.displayName
            pathExtension = identity.name.pathExtension
            fullName = identity.name.full
            naming = identity.naming
        case .scratch: break
        case .symbolicLink(let target): self.target = target
        }
    }

    var nature: EntryNature {
        switch kind {
        case .folder: .folder(context)
        case .document:
            .document(
                DocumentIdentity(
                    name: DocumentName(storedDisplayName: displayName ?? "", pathExtension: pathExtension ?? ""),
                    naming: naming))
        case .scratch: .scratch
        case .symbolicLink: .symbolicLink(target: target ?? [])
        }
    }
}

/// The columns of a backing file's evidence; zero means none.
private struct EvidenceColumns {
    var inode: Int64
    var birth: Int64

    init(_ evidence: FileEvidence?) {
        inode = Int64(bitPattern: evidence?.inode ?? 0)
        birth = evidence?.birth ?? 0
    }

    var evidence: FileEvidence? { FileEvidence(inode: UInt64(bitPattern: inode), birth: birth) }
}

// MARK: Names

/// Collects the columns' names.
struct ColumnNames: ColumnVisitor {
    static let isReader = false
    private(set) var names: [String] = []

    mutating func column<Value: ColumnValue>(_ name: StaticString, _ value: inout Value) {
        names.append(name.description)
    }

    static let all: [String] = {
        var columns = ColumnNames()
        var entry = Entry.blank
        entry.visitColumns(&columns)
        return columns.names
    }()
}

/// The SQL statements with all columns.
enum EntryStatements {
    private static let list = ColumnNames.all.joined(separator: ",")
    private static let values =
        "INTO entries(\(list)) VALUES(\(ColumnNames.all.map { _ in "?" }.joined(separator: ",")))"
    static let select = "SELECT \(list) FROM entries "
    static let byInode = select + "WHERE id=?"
    static let byUUID = select + "WHERE uuid=?"
    static let byFilename = select + "WHERE parent=? AND filename=?"
    static let byFullName = select + "WHERE parent=? AND fullName=? ORDER BY created, id"
    static let insert = "INSERT " + values
    static let replace = "REPLACE " + values
    static let update = "UPDATE entries SET \(ColumnNames.all.map { "\($0)=?" }.joined(separator: ",")) WHERE id=?"
    /// Of equal keys the ids decide, which are the same on each device. Entries that other devices never see may have none.
    static let manualOrder = "position, uuid, id"
    static let delete = "DELETE FROM entries WHERE id=?"
}

// MARK: Values

extension DirectStatement: ColumnVisitor {
    static var isReader: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: StaticString, _ value: inout Value) { bind(value) }

    /// Binds all columns.
    mutating func bind(_ entry: Entry) {
        var entry = entry
        entry.visitColumns(&self)
    }
}

private struct EntryReader: ColumnVisitor {
    static let isReader = true
    let row: Columns
    var next: CInt = 0

    mutating func column<Value: ColumnValue>(_ name: StaticString, _ value: inout Value) {
        value = row[next]
        next += 1
    }
}

extension Entry {
    /// An entry to read a row into.
    fileprivate static var blank: Entry {
        Entry(
            parent: .root, location: nil, nature: .scratch, filename: "", created: Timestamp(nanoseconds: 0),
            position: .zero, mode: 0)
    }

    /// - Parameter row: from a statement that begins with `EntryStatements.select`.
    init(_ row: Columns) {
        self = .blank
        var reader = EntryReader(row: row)
        visitColumns(&reader)
    }
}
