import Documents
import Synchronization

/// How many documents each container holds, counted once and kept up to date: a state that is read
/// often must not count a million rows each time.
final class EntryCounts: Sendable {
    struct Count: Equatable {
        var documents = 0
        /// Unresolved conflict versions of these.
        var conflicts = 0
    }

    /// Nil until somebody asks, and again after a write that was rolled back.
    private let counts = Mutex<[Container: Count]?>(nil)

    /// - Parameter query: counts rows.
    func count(in container: Container, query: (Container) throws -> Count) throws -> Count {
        try counts.withLock { counts in
            if let counts { return counts[container] ?? Count() }
            let counted = try Dictionary(uniqueKeysWithValues: Container.allCases.map { ($0, try query($0)) })
            counts = counted
            return counted[container] ?? Count()
        }
    }

    /// A row was made, changed or removed; nil stands for none.
    func note(from old: Entry?, to new: Entry?) {
        counts.withLock { counts in
            if let old { counts?.add(old, times: -1) }
            if let new { counts?.add(new, times: 1) }
        }
    }

    func forget() { counts.withLock { $0 = nil } }
}

extension [Container: EntryCounts.Count] {
    fileprivate mutating func add(_ entry: Entry, times: Int) {
        guard entry.kind == .document, let container = entry.container else { return }
        self[container, default: .init()].documents += times
        self[container, default: .init()].conflicts += times * entry.conflicts
    }
}
