import Catalog
import DequeModule
import Documents
import Synchronization

/// The names under which restored documents were created, and which `user.document.name` took away (`Namespace.resolve`).
final class FirstNames: Sendable {
    struct Name: Sendable {
        let document: EntryID
        /// When the document got its other name.
        let time: Timestamp
    }

    private struct Key: Hashable {
        let folder: InodeNumber
        let name: ExactName
    }

    private struct Table {
        var names: [Key: Name] = [:]
        /// Oldest first.
        var order: Deque<Key> = []
    }

    private static let maximumCount = 4096
    private let table = Mutex(Table())

    func add(_ name: String, in folder: InodeNumber, of document: EntryID, now: Timestamp) {
        let key = Key(folder: folder, name: ExactName(name))
        table.withLock { table in
            let former = table.names.updateValue(Name(document: document, time: now), forKey: key)
            if former == nil { table.order.append(key) }
            if table.order.count > Self.maximumCount { table.names[table.order.removeFirst()] = nil }
        }
    }

    func find(_ name: String, in folder: InodeNumber) -> Name? {
        table.withLock { table in
            table.names.isEmpty ? nil : table.names[Key(folder: folder, name: ExactName(name))]
        }
    }
}
