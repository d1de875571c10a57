import Documents
import Synchronization

/// Counts the documents in each container once, and keeps the count up to date. `.state` is read often and must not count a
/// million rows each time.
final class EntryCounts: Sendable {
    struct Count: Equatable {
        var documents = 0
        /// The number of their unresolved conflict versions.
        var conflicts = 0
    }

    /// Nil until the first query, and again after a rollback.
    private let counts = Mutex<[Container: Count]?>(nil)

    /// - Parameter query: counts the rows of a container.
    func count(in container: Container, query: (Container) throws -> Count) throws -> Count {
        try counts.withLock { counts in
            if let counts { return counts[container] ?? Count() }
            let counted = try Dictionary(uniqueKeysWithValues: Container.allCases.map { ($0, try query($0)) })
            counts = counted
            return counted[container] ?? Count()
        }
    }

    /// Call this when a row was inserted (`old` is nil), changed, or deleted (`new` is nil).
    func update(from old: Entry?, to new: Entry?) {
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
