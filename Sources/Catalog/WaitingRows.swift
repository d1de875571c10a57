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

    /// A row with the number of its last change, by which a writer finds out whether it has changed again meanwhile. A reference, so
    /// that tables of them move little.
    final class Waiting: Sendable {
        let row: Row
        let change: UInt64
        /// Whether no row of its number had been written when it changed.
        let isNew: Bool

        init(_ row: Row, change: UInt64, isNew: Bool) {
            self.row = row
            self.change = change
            self.isNew = isNew
        }
    }

    private struct Table {
        var rows: [InodeNumber: Waiting] = [:]
        /// Of the rows, those that were never written. Their files alone tell of them.
        var new: Set<InodeNumber> = []
        /// The rows that bear names and ids, by hash.
        var bearers: [Int: Bearers] = [:]
        var lastChange: UInt64 = 0
        /// The rows that changed lately, the last one last; those before `next` have been handed out.
        var recent: [InodeNumber] = []
        var next = 0

        mutating func set(_ waiting: Waiting?, for inode: InodeNumber) {
            let old = rows.updateValue(waiting, forKey: inode)
            if let entry = old?.row.entry { for hash in Self.hashes(of: entry) { forget(inode, hash) } }
            guard let entry = waiting?.row.entry else { return }
            for hash in Self.hashes(of: entry) {
                if bearers[hash]?.others.append(inode) == nil { bearers[hash] = Bearers(first: inode) }
            }
        }

        private mutating func forget(_ inode: InodeNumber, _ hash: Int) {
            if bearers[hash]?.others.isEmpty != false { return bearers[hash] = nil }
            bearers[hash]?.remove(inode)
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

        /// The entries that `isWanted` among those that may bear a name or id.
        func entries(bearing value: some Hashable, where isWanted: (Entry) -> Bool) -> [Entry] {
            guard let bearers = bearers[value.hashValue] else { return [] }
            return ([bearers.first] + bearers.others).compactMap { rows[$0]?.row.entry }.filter(isWanted)
        }
    }

    /// Mostly one.
    private struct Bearers {
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

    /// The waiting rows that bear a name.
    func entries(named name: EntryCache.Name) -> [Entry] {
        table.withLock { $0.entries(bearing: name) { name.isBorne(by: $0) } }
    }

    func entry(_ id: EntryID) -> Entry? { table.withLock { $0.entries(bearing: id) { $0.id == id } }.first }

    /// Whether a waiting row has a filename, in whatever folder.
    func hasFilename(_ filename: String) -> Bool {
        table.withLock { !$0.entries(bearing: ExactName(filename)) { $0.filename.isIdentical(to: filename) }.isEmpty }
    }

    /// Whether an entry was made and nothing written of it yet.
    func isNew(_ inode: InodeNumber) -> Bool { table.withLock { $0.new.contains(inode) } }

    /// A written row tells of what an entry has become.
    func noteKnown(_ inode: InodeNumber) { table.withLock { _ = $0.new.remove(inode) } }

    /// - Parameter isNew: whether the row was never written.
    /// - Returns: what waited of the row before.
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

    /// Makes a row wait as it did before a write that failed.
    func restore(_ waiting: Waiting?, for inode: InodeNumber) {
        table.withLock { table in
            table.set(waiting, for: inode)
            if waiting == nil { table.new.remove(inode) }
        }
    }

    /// So many of the last changes are left alone: a new file's row changes several times within a moment (tar, cp -a).
    private static let margin = 16

    /// A few rows of which `isWritten` does not know; nil where there are none but those that changed just now.
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

    /// Returns the rows to write and commit now. From now on none of them is new: it may be in the database when the process dies.
    func beginWriting() -> [InodeNumber: Waiting] {
        table.withLock { table in
            (table.new, table.recent, table.next) = ([], [], 0)
            return table.rows
        }
    }

    /// Rows are written and committed: those that have not changed since wait no longer.
    func endWriting(_ written: [InodeNumber: Waiting]) {
        table.withLock { table in
            for (inode, waiting) in written where table.rows[inode]?.change == waiting.change {
                table.set(nil, for: inode)
            }
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

extension [InodeNumber: WaitingRows.Waiting] {
    /// - Returns: the value before.
    fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
