import Documents
import Synchronization

/// Row changes that were acknowledged but are not written yet. They could be rebuilt from files (`Durability.soon`).
///
/// Each is stored as the complete new row, not as a difference. So rows can be written in any order, and more than once.
final class WaitingRows: Sendable {
    enum Row: Sendable {
        case present(Entry)
        case removed

        var entry: Entry? { if case .present(let entry) = self { entry } else { nil } }
    }

    /// A row with the number of its last change. After a commit the number tells whether the row changed again meanwhile. A class,
    /// so that growing tables move references only.
    final class Waiting: Sendable {
        let row: Row
        let change: UInt64
        /// Whether no form of the row had been written when it changed.
        let isNew: Bool

        init(_ row: Row, change: UInt64, isNew: Bool) {
            self.row = row
            self.change = change
            self.isNew = isNew
        }
    }

    private struct Table {
        var rows: [InodeNumber: Waiting] = [:]
        /// The rows of which no form was ever written: after a crash, only their files tell of them.
        var new: Set<InodeNumber> = []
        /// Which rows have a name or id, by its hash.
        var owners: [Int: Owners] = [:]
        var lastChange: UInt64 = 0
        /// The rows that changed lately, newest last. `some` has returned those before `next`.
        var recent: [InodeNumber] = []
        var next = 0

        mutating func set(_ waiting: Waiting?, for inode: InodeNumber) {
            let old = rows.updateValue(waiting, forKey: inode)
            if let entry = old?.row.entry { for hash in Self.hashes(of: entry) { forget(inode, hash) } }
            guard let entry = waiting?.row.entry else { return }
            for hash in Self.hashes(of: entry) {
                if owners[hash]?.others.append(inode) == nil { owners[hash] = Owners(first: inode) }
            }
        }

        private mutating func forget(_ inode: InodeNumber, _ hash: Int) {
            if owners[hash]?.others.isEmpty != false { return owners[hash] = nil }
            owners[hash]?.remove(inode)
        }

        private static func hashes(of entry: Entry) -> [Int] {
            var hashes = [hash(EntryCache.Name(filenameOf: entry)), hash(ExactName(entry.filename))]
            if let name = entry.name {
                hashes.append(hash(EntryCache.Name(kind: .fullName, parent: entry.parent, text: name.full)))
            }
            if let id = entry.id { hashes.append(hash(id)) }
            return hashes
        }

        private static func hash(_ value: some Hashable) -> Int { value.hashValue }

        /// The entries with a name or id. Different values may have the same hash; `isWanted` checks the value itself.
        func entries(with value: some Hashable, where isWanted: (Entry) -> Bool) -> [Entry] {
            guard let owners = owners[value.hashValue] else { return [] }
            return ([owners.first] + owners.others).compactMap { rows[$0]?.row.entry }.filter(isWanted)
        }
    }

    /// The rows with one hash: nearly always one.
    private struct Owners {
        var first: InodeNumber
        var others: [InodeNumber] = []

        mutating func remove(_ inode: InodeNumber) {
            if first == inode, let other = others.popLast() { first = other } else { others.removeAll { $0 == inode } }
        }
    }

    private let table = Mutex(Table())

    var count: Int { table.withLock(\.rows.count) }

    var isEmpty: Bool { table.withLock(\.rows.isEmpty) }

    subscript(inode: InodeNumber) -> Row? { table.withLock { $0.rows[inode] }?.row }

    /// The waiting rows with a name.
    func entries(named name: EntryCache.Name) -> [Entry] {
        table.withLock { $0.entries(with: name) { name.isName(of: $0) } }
    }

    func entry(_ id: EntryID) -> Entry? { table.withLock { $0.entries(with: id) { $0.id == id } }.first }

    /// Whether a waiting row in any folder has this filename.
    func hasFilename(_ filename: String) -> Bool {
        table.withLock { !$0.entries(with: ExactName(filename)) { $0.filename.isIdentical(to: filename) }.isEmpty }
    }

    /// Whether no form of the row was ever written.
    func isNew(_ inode: InodeNumber) -> Bool { table.withLock { $0.new.contains(inode) } }

    /// Call this when a written row tells of the entry, although its own row was never written.
    func removeFromNew(_ inode: InodeNumber) { table.withLock { _ = $0.new.remove(inode) } }

    /// Makes a row wait.
    ///
    /// - Parameter isNew: whether no form of the row was ever written.
    /// - Returns: the form of the row that waited before.
    func set(_ row: Row, for inode: InodeNumber, isNew: Bool) -> Waiting? {
        table.withLock { table in
            let before = table.rows[inode]
            table.lastChange += 1
            if isNew { table.new.insert(inode) }
            table.set(Waiting(row, change: table.lastChange, isNew: table.new.contains(inode)), for: inode)
            if table.recent.count < Durability.mostWaiting { table.recent.append(inode) }
            return before
        }
    }

    /// Undoes `set`.
    func restore(_ waiting: Waiting?, for inode: InodeNumber) {
        table.withLock { table in
            table.set(waiting, for: inode)
            if waiting == nil { table.new.remove(inode) }
        }
    }

    /// `some` leaves out this many of the last changes: the row of a new file changes several times within a moment (tar, cp -a).
    private static let margin = 16

    /// A few rows for which `isWritten` is false, except those that changed just now; nil if there are none.
    func some(_ count: Int, besides isWritten: (InodeNumber, UInt64) -> Bool) -> [InodeNumber: Waiting]? {
        table.withLock { table in
            if table.rows.isEmpty { return nil }
            var some: [InodeNumber: Waiting] = [:]
            while some.count < count, table.next + Self.margin < table.recent.count {
                let inode = table.recent[table.next]
                table.next += 1
                guard let waiting = table.rows[inode], !isWritten(inode, waiting.change) else { continue }
                some[inode] = waiting
            }
            return some.isEmpty ? nil : some
        }
    }

    /// Returns all rows, to be written and committed. From now on none counts as new, because the commit may have reached the
    /// database when the process ends.
    func beginWriting() -> [InodeNumber: Waiting] {
        table.withLock { table in
            (table.new, table.recent, table.next) = ([], [], 0)
            return table.rows
        }
    }

    /// Call this when rows are committed. Those that have not changed since stop waiting.
    func endWriting(_ written: [InodeNumber: Waiting]) {
        table.withLock { table in
            for (inode, waiting) in written where table.rows[inode]?.change == waiting.change {
                table.set(nil, for: inode)
            }
        }
    }

    /// Returns all rows, for a transaction that writes them, and removes them here. If it fails, call `putBack`.
    func removeAll() -> [InodeNumber: Waiting] {
        table.withLock { table in
            defer { table = Table(lastChange: table.lastChange) }
            return table.rows
        }
    }

    func putBack(_ rows: [InodeNumber: Waiting]) {
        table.withLock { table in for (inode, waiting) in rows { table.set(waiting, for: inode) } }
    }
}

extension [InodeNumber: WaitingRows.Waiting] {
    /// - Returns: the value before.
    fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
