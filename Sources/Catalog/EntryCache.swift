import Documents
import Glibc
import Synchronization

/// The entries that were asked for lately, and what names were found to mean. Reads and writes of one
/// catalog follow each other in its queue, so what is here is what the rows say, those of the write
/// under way included.
///
/// What a name means is remembered as an inode number, and believed only as long as the entry of that
/// number still bears the name: so a row that changes must forget no names but those it takes.
final class EntryCache: Sendable {
    /// One of a document's two names.
    enum NameKind: Hashable {
        case filename
        case fullName
    }

    /// A name in a folder, compared as SQLite does.
    struct Name: Hashable {
        let kind: NameKind
        let parent: InodeNumber
        let name: ExactName

        init(kind: NameKind, parent: InodeNumber, text: String) {
            self.kind = kind
            self.parent = parent
            name = ExactName(text)
        }

        init(filenameOf entry: Entry) { self.init(kind: .filename, parent: entry.parent, text: entry.filename) }

        func isBorne(by entry: Entry) -> Bool {
            guard entry.parent == parent else { return false }
            switch kind {
            case .filename: return entry.filename.isIdentical(to: name.text)
            case .fullName: return entry.name?.full.isIdentical(to: name.text) == true
            }
        }
    }

    /// What is known of a name.
    enum Meaning {
        case entry(Entry)
        case nothing
        case unknown
    }

    /// So that a table which grows moves references, not all that an entry is.
    private final class Row: Sendable {
        let entry: Entry
        /// Of its file: see `CatalogTransaction.noteStatus`.
        let status = Mutex<NotedStatus?>(nil)

        init(_ entry: Entry) { self.entry = entry }
    }

    private struct Table {
        var entries = Recent<InodeNumber, Row>()
        /// Nil stands for no entry.
        var names = Recent<Name, InodeNumber?>()
        /// Of folders; or where their last entry was before it went.
        var lastPositions = Recent<InodeNumber, Double>()
        var wholeFolders = WholeFolders()

        mutating func isBorneByNothing(_ name: Name) -> Bool {
            wholeFolders.lack(name.name, in: name.parent) || names[name] == .some(nil)
        }
    }

    private let table = Mutex(Table())

    /// Nil where it is not known; that there is none is not remembered.
    func entry(_ inode: InodeNumber) -> Entry? { table.withLock { $0.entries[inode] }?.entry }

    func status(of inode: InodeNumber) -> NotedStatus? { table.withLock { $0.entries[inode] }?.status.withLock { $0 } }

    /// - Parameter status: nil to forget it.
    func note(_ status: NotedStatus?, of inode: InodeNumber) {
        table.withLock { $0.entries[inode] }?.status.withLock { $0 = status }
    }

    func meaning(of name: Name) -> Meaning {
        table.withLock { table in
            if table.wholeFolders.lack(name.name, in: name.parent) { return .nothing }
            guard let inode = table.names[name] else { return .unknown }
            guard let inode else { return .nothing }
            guard let entry = table.entries[inode]?.entry, name.isBorne(by: entry) else { return .unknown }
            return .entry(entry)
        }
    }

    /// A row was read.
    func note(_ entry: Entry) {
        let row = Row(entry)
        table.withLock { $0.entries[entry.inode] = row }
    }

    /// A name was looked for.
    func note(_ name: Name, means entry: Entry?) {
        let row = entry.map(Row.init)
        table.withLock { table in
            table.names[name] = .some(entry?.inode)
            if let row { table.entries[row.entry.inode] = row }
        }
    }

    /// A folder was made, and nothing in it yet.
    func noteEmpty(_ folder: InodeNumber) { table.withLock { $0.wholeFolders.begin(folder) } }

    /// A row was made, or changed from what it was as `old`.
    func replace(_ old: Entry?, by entry: Entry) {
        let row = Row(entry)
        let fullName = entry.name.map { Name(kind: .fullName, parent: entry.parent, text: $0.full) }
        table.withLock { table in
            if let old { table.names[Name(filenameOf: old)] = .some(nil) }
            table.entries[entry.inode] = row
            if let last = table.lastPositions[entry.parent], last < entry.position {
                table.lastPositions[entry.parent] = entry.position
            }
            // Filenames are unique in a folder; of a full name's bearers the first one counts, which this is if there was none.
            table.names[Name(filenameOf: entry)] = .some(entry.inode)
            if let fullName { table.names[fullName] = table.isBorneByNothing(fullName) ? .some(entry.inode) : nil }
            table.wholeFolders.add(entry)
        }
    }

    /// A position after which there is no entry in a folder.
    func lastPosition(in folder: InodeNumber, query: () throws -> Double) rethrows -> Double {
        if let known = table.withLock({ $0.lastPositions[folder] }) { return known }
        let last = try query()
        table.withLock { $0.lastPositions[folder] = last }
        return last
    }

    /// A row was removed.
    func remove(_ entry: Entry) {
        forget(entry.inode)
        table.withLock { $0.names[Name(filenameOf: entry)] = .some(nil) }
    }

    func forget(_ inode: InodeNumber) {
        table.withLock { table in
            table.entries[inode] = nil
            table.wholeFolders.forget(inode)
        }
    }

    func forgetAll() { table.withLock { $0 = Table() } }
}

/// What lstat(2) said of a file, and when.
public struct NotedStatus: Sendable {
    public let status: stat
    public let time: ContinuousClock.Instant

    public init(_ status: stat, at time: ContinuousClock.Instant) {
        self.status = status
        self.time = time
    }
}

/// The values that were used lately: between one and two times as many as fit one generation.
private struct Recent<Key: Hashable, Value> {
    private static var capacity: Int { 16384 }

    // A table that grows puts all it holds in new places.
    private var young = [Key: Value](minimumCapacity: capacity)
    private var old: [Key: Value] = [:]

    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old.removeValue(forKey: key) else { return nil }
            add(value, for: key)
            return value
        }
        set {
            if !old.isEmpty { old[key] = nil }
            if let newValue { add(newValue, for: key) } else { young[key] = nil }
        }
    }

    private mutating func add(_ value: Value, for key: Key) {
        if young.count >= Self.capacity {
            old = young
            young = Dictionary(minimumCapacity: Self.capacity)
        }
        young[key] = value
    }
}
