import Synchronization

/// Counts what is in the trash once, and keeps the count up to date (as `EntryCounts`).
final class TrashCount: Sendable {
    /// Nil until the first query, and again after a rollback.
    private let known = Mutex<TrashSize?>(nil)

    func size(query: () throws -> TrashSize) throws -> TrashSize {
        if let size = known.withLock({ $0 }) { return size }
        let size = try query()
        known.withLock { $0 = size }
        return size
    }

    /// Whether there may be a file in the trash. It asks nothing.
    var mayHoldFiles: Bool { known.withLock { $0.map { $0.bytes > 0 } ?? true } }

    func add(_ step: ActionStep) { known.withLock { $0?.add(step, times: 1) } }

    func remove(_ step: ActionStep) { known.withLock { $0?.add(step, times: -1) } }

    func forget() { known.withLock { $0 = nil } }
}
