import Documents
import Synchronization

/// Changes of rows that are acknowledged and not written yet: what they say can be told from files (`Durability.soon`).
///
/// A row waits as what it shall be, whatever it was: so rows can be written in any order, and twice.
final class WaitingRows: Sendable {
    enum Row: Sendable {
        case present(Entry)
        case removed

        var entry: Entry? { if case .present(let entry) = self { entry } else { nil } }
    }

    /// A row with the number of its last change, by which a writer finds out whether it has changed again meanwhile.
    struct Waiting: Sendable {
        var row: Row
        var change: UInt64
        /// Whether no row of that number has ever been written.
        var isNew: Bool
    }

    private struct Table {
        var rows: [InodeNumber: Waiting] = [:]
        var bearers: [EntryCache.Name: [InodeNumber]] = [:]
        /// How many rows have each filename, in whatever folder.
        var filenames: [ExactName: Int] = [:]
        var byID: [EntryID: InodeNumber] = [:]
        var lastChange: UInt64 = 0

        mutating func set(_ waiting: Waiting?, for inode: InodeNumber) {
            if let old = rows[inode]?.row.entry { forgetNames(of: old) }
            rows[inode] = waiting
            guard let entry = waiting?.row.entry else { return }
            for name in Self.names(of: entry) { bearers[name, default: []].append(inode) }
            filenames[ExactName(entry.filename), default: 0] += 1
            if let id = entry.id { byID[id] = inode }
        }

        private mutating func forgetNames(of entry: Entry) {
            for name in Self.names(of: entry) {
                bearers[name]?.removeAll { $0 == entry.inode }
                if bearers[name]?.isEmpty == true { bearers[name] = nil }
            }
            let filename = ExactName(entry.filename)
            filenames[filename, default: 1] -= 1
            if filenames[filename] == 0 { filenames[filename] = nil }
            if let id = entry.id, byID[id] == entry.inode { byID[id] = nil }
        }

        private static func names(of entry: Entry) -> [EntryCache.Name] {
            let filename = EntryCache.Name(filenameOf: entry)
            guard let fullName = entry.name?.full else { return [filename] }
            return [filename, EntryCache.Name(kind: .fullName, parent: entry.parent, text: fullName)]
        }
    }

    private let table = Mutex(Table())

    var count: Int { table.withLock(\.rows.count) }

    var isEmpty: Bool { table.withLock(\.rows.isEmpty) }

    subscript(inode: InodeNumber) -> Row? { table.withLock { $0.rows[inode]?.row } }

    /// The waiting rows that bear a name.
    func entries(named name: EntryCache.Name) -> [Entry] {
        table.withLock { table in table.bearers[name]?.compactMap { table.rows[$0]?.row.entry } ?? [] }
    }

    func entry(_ id: EntryID) -> Entry? { table.withLock { table in table.byID[id].flatMap { table.rows[$0]?.row.entry } } }

    /// Whether a waiting row has a filename, in whatever folder.
    func hasFilename(_ filename: String) -> Bool { table.withLock { $0.filenames[ExactName(filename)] != nil } }

    /// Whether an entry was made and nothing written of it yet.
    func isNew(_ inode: InodeNumber) -> Bool { table.withLock { $0.rows[inode]?.isNew == true } }

    /// A written row tells of what an entry has become.
    func noteKnown(_ inode: InodeNumber) { table.withLock { $0.rows[inode]?.isNew = false } }

    /// - Returns: what waited of the row before.
    func set(_ row: Row, for inode: InodeNumber, isNew: Bool) -> Waiting? {
        table.withLock { table in
            let before = table.rows[inode]
            table.lastChange += 1
            table.set(Waiting(row: row, change: table.lastChange, isNew: before?.isNew ?? isNew), for: inode)
            return before
        }
    }

    /// Makes a row wait as it did before a write that failed.
    func restore(_ waiting: Waiting?, for inode: InodeNumber) { table.withLock { $0.set(waiting, for: inode) } }

    /// What is to be written now. From now on none of it is new: it may be in the database when the process dies.
    func beginWriting() -> [InodeNumber: Waiting] {
        table.withLock { table in
            for inode in table.rows.keys { table.rows[inode]?.isNew = false }
            return table.rows
        }
    }

    /// Rows are written and committed: those that have not changed since wait no longer.
    func endWriting(_ written: [InodeNumber: Waiting]) {
        table.withLock { table in
            for (inode, waiting) in written where table.rows[inode]?.change == waiting.change { table.set(nil, for: inode) }
        }
    }

    /// Hands over all rows to a transaction that is going to write them; they wait no longer unless they are put back.
    func take() -> [InodeNumber: Waiting] {
        table.withLock { table in
            defer { table = Table(lastChange: table.lastChange) }
            return table.rows
        }
    }

    func putBack(_ rows: [InodeNumber: Waiting]) {
        table.withLock { table in for (inode, waiting) in rows { table.set(waiting, for: inode) } }
    }
}
