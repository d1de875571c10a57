import Documents
import ObjectStore
import Synchronization
import SystemPackage

/// A store whose contents come when a test lets them: it holds reads back, and fails them on command.
/// Nothing in it depends on time. The log is never held.
final class GatedStore: ObjectStore {
    private struct State {
        /// Reads of contents from this offset on wait.
        var heldFrom: Int64?
        var failure: ObjectStoreError?
        var afterUpload: (@Sendable () -> Void)?
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let store: any ObjectStore
    private let state = Mutex(State())

    init(_ store: any ObjectStore) { self.store = store }

    // MARK: Commands

    /// Reads of contents wait from now on, if they begin at `offset` or later.
    func hold(from offset: Int64 = 0) { state.withLock { $0.heldFrom = offset } }

    /// Waits until so many reads are held.
    func waitUntilHolding(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isHolding = state.withLock { state in
                if state.held.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isHolding { continuation.resume() }
        }
    }

    /// Lets all reads go.
    ///
    /// - Parameter failure: what reads of contents give from now on.
    func release(failing failure: ObjectStoreError? = nil) {
        let held = state.withLock { state in
            state.heldFrom = nil
            state.failure = failure
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Does something when the next content has been sent, before that is known.
    func afterNextUpload(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.afterUpload = body } }

    // MARK: ObjectStore

    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await store.putIfAbsent(key, bytes)
    }

    func putIfAbsent(
        _ key: ObjectKey, contentsOf file: FileDescriptor, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        let outcome = try await store.putIfAbsent(key, contentsOf: file, length: length, progress: progress)
        let afterUpload = state.withLock { state in
            defer { state.afterUpload = nil }
            return state.afterUpload
        }
        afterUpload?()
        return outcome
    }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await store.get(key, limit: limit)
    }

    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        // The log is read in parts, too.
        guard key.components[0] == "documents" else { return try await store.get(key, range: range) }
        await pass(range)
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try await store.get(key, range: range)
    }

    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        try await store.list(prefix, after: after, limit: limit)
    }

    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp { try await store.modified(key) }

    func now() async throws(ObjectStoreError) -> Timestamp { try await store.now() }

    func recreate() async throws(ObjectStoreError) { try await store.recreate() }

    func delete(_ key: ObjectKey) async throws(ObjectStoreError) { try await store.delete(key) }

    private func pass(_ range: Range<Int64>) async {
        await withCheckedContinuation { continuation in
            let (isHeld, watchers) = state.withLock { state in
                guard let heldFrom = state.heldFrom, range.lowerBound >= heldFrom else {
                    return (false, [CheckedContinuation<Void, Never>]())
                }
                state.held.append(continuation)
                let count = state.held.count
                defer { state.watchers.removeAll { $0.count <= count } }
                return (true, state.watchers.filter { $0.count <= count }.map(\.continuation))
            }
            for watcher in watchers { watcher.resume() }
            if !isHeld { continuation.resume() }
        }
    }
}
