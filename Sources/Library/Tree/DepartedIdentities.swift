import Catalog
import DequeModule
import Documents
import Synchronization

/// Documents that were deleted or set aside a moment ago. A file that is created under one of their names within 15 seconds, or
/// renamed to it, is the same document again: so programs save that delete first, or that keep a backup (PRODUCT 2 "Saving as
/// programs really do it").
final class DepartedIdentities: Sendable {
    struct Departed: Sendable {
        /// The document as it was.
        var entry: Entry
        /// The entry that goes on bearing the identity until it is claimed; nil when it was deleted.
        var holder: InodeNumber?
        /// From then on the name is free for other documents.
        var until: Timestamp
    }

    /// Kept under both names, and moved about as a reference.
    private final class Kept: Sendable {
        let departed: Departed

        init(_ departed: Departed) { self.departed = departed }
    }

    /// Hashes of names in folders take the place of the names: a mass deletion passes through here.
    private struct Table {
        var departed: [Int: Kept] = [:]
        /// Oldest first, to be forgotten in that order.
        var keys: Deque<(key: Int, until: Timestamp)> = []
    }

    /// A mass deletion is no program's way of saving: more than this are not remembered.
    private static let maximumCount = 1024

    private let table = Mutex(Table())

    /// Remembers `entry` under both its names.
    func add(_ entry: Entry, holder: InodeNumber?, now: Timestamp) {
        let until = Timestamp(nanoseconds: now.nanoseconds + SavingInterval.length)
        let departure = Kept(Departed(entry: entry, holder: holder, until: until))
        table.withLock { table in
            while let oldest = table.keys.first, oldest.until < now || table.keys.count >= Self.maximumCount {
                table.keys.removeFirst()
                if table.departed[oldest.key]?.departed.until == oldest.until { table.departed[oldest.key] = nil }
            }
            for key in Self.keys(of: entry) {
                table.departed[key] = departure
                table.keys.append((key, until))
            }
        }
    }

    /// The document that went from under `name`, if that was less than 15 seconds ago. Forgets it.
    func claim(_ name: EntryName, in parent: InodeNumber, now: Timestamp) -> Departed? {
        table.withLock { table in
            guard !table.departed.isEmpty, let found = table.departed[Self.key(name.text, in: parent)]?.departed,
                found.entry.parent == parent, found.entry.bears(name.text)
            else { return nil }
            for key in Self.keys(of: found.entry) { table.departed[key] = nil }
            return found.until >= now ? found : nil
        }
    }

    private static func keys(of entry: Entry) -> [Int] {
        [entry.filename, entry.name?.full].compactMap { name in name.map { key($0, in: entry.parent) } }
    }

    private static func key(_ name: String, in parent: InodeNumber) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        hasher.combine(ExactName(name))
        return hasher.finalize()
    }
}

extension Entry {
    fileprivate func bears(_ name: String) -> Bool {
        filename.isIdentical(to: name) || self.name?.full.isIdentical(to: name) == true
    }
}
