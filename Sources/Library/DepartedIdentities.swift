import Catalog
import DequeModule
import Documents
import Synchronization

/// Documents that were deleted or set aside a moment ago. What is created under one of their names
/// within 15 seconds is the same document again: so programs save that delete first, or that keep a
/// backup (PRODUCT 2 "Saving as programs really do it").
final class DepartedIdentities: Sendable {
    struct Departed: Sendable {
        /// The document as it was.
        var entry: Entry
        /// The entry that goes on bearing the identity until it is claimed; nil when it was deleted.
        var holder: InodeNumber?
        var until: Timestamp
    }

    private struct Key: Hashable {
        let parent: InodeNumber
        let name: ExactName
    }

    /// Kept under both names, and moved about as a reference.
    private final class Kept: Sendable {
        let departed: Departed

        init(_ departed: Departed) { self.departed = departed }
    }

    private struct Table {
        var departed: [Key: Kept] = [:]
        /// Oldest first, to be forgotten in that order.
        var keys: Deque<(key: Key, until: Timestamp)> = []
    }

    private static let patience: Int64 = 15_000_000_000
    /// A mass deletion is no program's way of saving: more than this are not remembered.
    private static let maximumCount = 1024

    private let table = Mutex(Table())

    /// Remembers `entry` under both its names.
    func add(_ entry: Entry, holder: InodeNumber?, now: Timestamp) {
        let until = Timestamp(nanoseconds: now.nanoseconds + Self.patience)
        let departure = Kept(Departed(entry: entry, holder: holder, until: until))
        table.withLock { table in
            while let oldest = table.keys.first, oldest.until < now || table.keys.count >= Self.maximumCount {
                table.keys.removeFirst()
                if table.departed[oldest.key]?.departed.until == oldest.until { table.departed[oldest.key] = nil }
            }
            for name in [entry.filename, entry.name?.full].compactMap({ $0 }) {
                let key = Key(parent: entry.parent, name: ExactName(name))
                table.departed[key] = departure
                table.keys.append((key, until))
            }
        }
    }

    /// The document that went from under `name`, if that was less than 15 seconds ago. Forgets it.
    func claim(_ name: EntryName, in parent: InodeNumber, now: Timestamp) -> Departed? {
        table.withLock { table in
            guard !table.departed.isEmpty,
                let found = table.departed[Key(parent: parent, name: ExactName(name.text))]?.departed
            else { return nil }
            for other in [found.entry.filename, found.entry.name?.full].compactMap({ $0 }) {
                table.departed[Key(parent: parent, name: ExactName(other))] = nil
            }
            return found.until >= now ? found : nil
        }
    }
}
