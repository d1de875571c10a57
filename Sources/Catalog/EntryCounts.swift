import Documents
import Synchronization

/// Counts the documents in each location once, and keeps the count up to date. `.state` is read often and must not count a
/// million rows each time.
final class EntryCounts: Sendable {
    struct Count: Equatable {
        var documents = 0
        /// The number of their unresolved conflict versions.
        var conflicts = 0
        /// Bytes of those contents that are on this disk, as far as rows tell it: the rows of local documents do not.
        var sizeHere = SizeSum.zero
    }

    /// Nil until the first query, and again after a rollback.
    private let counts = Mutex<[Location: Count]?>(nil)

    /// - Parameter query: counts the rows of a location.
    func count(in location: Location, query: (Location) throws -> Count) throws -> Count {
        try counts.withLock { counts in
            if let counts { return counts[location] ?? Count() }
            let counted = try Dictionary(uniqueKeysWithValues: Location.allCases.map { ($0, try query($0)) })
            counts = counted
            return counted[location] ?? Count()
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

extension [Location: EntryCounts.Count] {
    fileprivate mutating func add(_ entry: Entry, times: Int) {
        guard entry.kind == .document, let location = entry.location else { return }
        self[location, default: .init()].documents += times
        self[location, default: .init()].conflicts += times * entry.conflicts
        if entry.isHere { self[location, default: .init()].sizeHere.add(entry.size, times: times) }
    }
}
