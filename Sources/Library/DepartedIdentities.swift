import Catalog
import Documents
import Synchronization

/// Documents that were deleted or set aside a moment ago. What is created under one of their names
/// within 15 seconds is the same document again: so programs save that delete first, or that keep a
/// backup (PRODUCT 2 "Saving as programs really do it").
final class DepartedIdentities: Sendable {
    struct Departed {
        /// The document as it was.
        var entry: Entry
        /// The entry that goes on bearing the identity until it is claimed; nil when it was deleted.
        var holder: InodeNumber?
        var until: Timestamp
    }

    private struct Key: Hashable {
        let parent: InodeNumber
        let name: [UInt8]
    }

    static let patience: Int64 = 15_000_000_000

    private let departed = Mutex<[Key: Departed]>([:])

    /// Remembers `entry` under both its names.
    func add(_ entry: Entry, holder: InodeNumber?, now: Timestamp) {
        let departure = Departed(
            entry: entry, holder: holder, until: Timestamp(nanoseconds: now.nanoseconds + Self.patience))
        departed.withLock { departed in
            if departed.count > 64 { departed = departed.filter { $0.value.until >= now } }
            for name in [entry.filename, entry.name?.full].compactMap({ $0 }) {
                departed[Key(parent: entry.parent, name: Array(name.utf8))] = departure
            }
        }
    }

    /// The document that went from under `name`, if that was less than 15 seconds ago. Forgets it.
    func claim(_ name: EntryName, in parent: InodeNumber, now: Timestamp) -> Departed? {
        departed.withLock { departed in
            guard !departed.isEmpty,
                let found = departed[Key(parent: parent, name: Array(name.text.utf8))]
            else { return nil }
            departed = departed.filter { $0.value.entry.id != found.entry.id }
            return found.until >= now ? found : nil
        }
    }

    func forget(_ id: EntryID) {
        departed.withLock { departed in
            if !departed.isEmpty { departed = departed.filter { $0.value.entry.id != id } }
        }
    }
}
