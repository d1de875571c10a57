import Documents
import Glibc
import Synchronization

/// Caches entries that were read lately, and the results of lookups by name. The catalog's queue runs one read or write at a
/// time, so the cache always agrees with the rows, including those that the current write has changed.
///
/// A lookup's result is cached as an inode number. It is valid only while that entry has the name, which is checked when it is
/// used. So when a row changes, only its new names are updated here, and its old ones may stay.
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

        func isName(of entry: Entry) -> Bool {
            guard entry.parent == parent else { return false }
            switch kind {
            case .filename: return entry.filename.isIdentical(to: name.text)
            case .fullName: return entry.name?.full.isIdentical(to: name.text) == true
            }
        }
    }

    /// The cached result of a lookup.
    enum Meaning {
        case entry(Entry)
        case nothing
        case unknown
    }

    /// A class, so that a growing table moves references and not whole entries.
    private final class Row: Sendable {
        let entry: Entry
        /// The status of its file: see `Rows.cacheStatus`.
        let status = Mutex<CachedStatus?>(nil)

        init(_ entry: Entry) { self.entry = entry }
    }

    private struct Table {
        var entries = Recent<InodeNumber, Row>()
        /// Nil means that no entry has the name.
        var names = Recent<Name, InodeNumber?>()
        /// For each folder a key that no entry of it exceeds.
        var lastPositions = Recent<InodeNumber, OrderKey>()
        var completeFolders = CompleteFolders()

        mutating func isUnused(_ name: Name) -> Bool {
            completeFolders.lacks(name.name, in: name.parent) || names[name] == .some(nil)
        }
    }

    private let table = Mutex(Table())

    /// Nil if it is not cached. That an entry does not exist is not cached.
    func entry(_ inode: InodeNumber) -> Entry? { table.withLock { $0.entries[inode] }?.entry }

    func status(of inode: InodeNumber) -> CachedStatus? { table.withLock { $0.entries[inode] }?.status.withLock { $0 } }

    /// - Parameter status: nil to forget it.
    func setStatus(_ status: CachedStatus?, of inode: InodeNumber) {
        table.withLock { $0.entries[inode] }?.status.withLock { $0 = status }
    }

    func meaning(of name: Name) -> Meaning {
        table.withLock { table in
            if table.completeFolders.lacks(name.name, in: name.parent) { return .nothing }
            guard let inode = table.names[name] else { return .unknown }
            guard let inode else { return .nothing }
            guard let entry = table.entries[inode]?.entry, name.isName(of: entry) else { return .unknown }
            return .entry(entry)
        }
    }

    /// Caches a row that was read.
    func store(_ entry: Entry) {
        let row = Row(entry)
        table.withLock { $0.entries[entry.inode] = row }
    }

    /// Caches the result of a lookup.
    func store(_ name: Name, means entry: Entry?) {
        let row = entry.map(Row.init)
        table.withLock { table in
            table.names[name] = .some(entry?.inode)
            if let row { table.entries[row.entry.inode] = row }
        }
    }

    /// Call this when a folder was created: it is empty.
    func insertEmptyFolder(_ folder: InodeNumber) { table.withLock { $0.completeFolders.insertEmpty(folder) } }

    /// Caches a row that was inserted, or changed from `old`.
    func replace(_ old: Entry?, by entry: Entry) {
        let row = Row(entry)
        let fullName = entry.name.map { Name(kind: .fullName, parent: entry.parent, text: $0.full) }
        table.withLock { table in
            if let old { table.names[Name(filenameOf: old)] = .some(nil) }
            table.entries[entry.inode] = row
            if let last = table.lastPositions[entry.parent], last < entry.position {
                table.lastPositions[entry.parent] = entry.position
            }
            // A filename is unique in its folder. A full name means the oldest document that has it: this one only if none had it.
            table.names[Name(filenameOf: entry)] = .some(entry.inode)
            if let fullName { table.names[fullName] = table.isUnused(fullName) ? .some(entry.inode) : nil }
            table.completeFolders.add(entry)
        }
    }

    /// A key that no entry of the folder exceeds.
    func lastPosition(in folder: InodeNumber, query: () throws -> OrderKey) rethrows -> OrderKey {
        if let known = table.withLock({ $0.lastPositions[folder] }) { return known }
        let last = try query()
        table.withLock { $0.lastPositions[folder] = last }
        return last
    }

    /// Call this when a row was deleted.
    func remove(_ entry: Entry) {
        forget(entry.inode)
        table.withLock { $0.names[Name(filenameOf: entry)] = .some(nil) }
    }

    func forget(_ inode: InodeNumber) {
        table.withLock { table in
            table.entries[inode] = nil
            table.completeFolders.forget(inode)
        }
    }

    func forgetAll() { table.withLock { $0 = Table() } }
}

/// The result of lstat(2) for a file, and when it was read.
public struct CachedStatus: Sendable {
    public let status: stat
    /// When the status was read. A file may have been written to since.
    public let time: ContinuousClock.Instant

    public init(_ status: stat, at time: ContinuousClock.Instant) {
        self.status = status
        self.time = time
    }
}

/// A cache of the values used last, in two generations: it keeps between one and two times `capacity`.
private struct Recent<Key: Hashable, Value> {
    private static var capacity: Int { 16384 }

    // Allocated in full at once: a dictionary that grows rehashes all its values.
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
