import Documents
import ObjectStore
import Synchronization
import SystemPackage

/// A store that holds back and fails reads of contents on command. Nothing in it depends on time. Reads of the log are never held back, but
/// writes to the log can be refused or lose their replies.
final class GatedStore: ObjectStore {
    private struct State {
        /// Reads of contents from this offset on wait.
        var heldFrom: Int64?
        var failure: ObjectStoreError?
        var afterUpload: (@Sendable () -> Void)?
        var beforeTime: (@Sendable () -> Void)?
        var log = Log.works
        var losesUpload = false
        var afterPut: (key: ObjectKey, body: @Sendable () async -> Void)?
        var hidden: Set<ObjectKey> = []
        var created: [ObjectKey] = []
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// The fate of an entry that is written to the log.
    enum Log { case works, losesReply, refuses }

    private let store: any ObjectStore
    private let state = Mutex(State())

    init(_ store: any ObjectStore) { self.store = store }

    // MARK: Commands

    /// From now on reads of contents wait if they begin at `offset` or later.
    func hold(from offset: Int64 = 0) { state.withLock { $0.heldFrom = offset } }

    /// Waits until this many reads are held.
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
    /// - Parameter failure: the error of reads of contents from now on.
    func release(failing failure: ObjectStoreError? = nil) {
        let held = state.withLock { state in
            state.heldFrom = nil
            state.failure = failure
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Calls `body` when the next content is in the store, before the caller hears of it.
    func afterNextUpload(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.afterUpload = body } }

    /// Calls `body` when the time of an object is next asked for, before the answer.
    func beforeNextTime(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.beforeTime = body } }

    /// From now on writes to the log end in this way.
    func setLog(_ log: Log) { state.withLock { $0.log = log } }

    /// The next content is stored, and the answer is lost.
    func loseNextUpload() { state.withLock { $0.losesUpload = true } }

    /// From now on listings lack these objects, which can still be read.
    func hideFromListings(_ keys: Set<ObjectKey>) { state.withLock { $0.hidden = keys } }

    /// Calls `body` after an object was put, before its writer goes on.
    func afterNextPut(of key: ObjectKey, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.afterPut = (key, body) }
    }

    /// The objects that this device created, in order.
    var created: [ObjectKey] { state.withLock { $0.created } }

    // MARK: ObjectStore

    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        let log = key.components[0] == "log" ? state.withLock { $0.log } : .works
        if log == .refuses { throw .unreachable("no route to host") }
        let outcome = record(key, try await store.putIfAbsent(key, bytes))
        let afterPut = state.withLock { state -> (@Sendable () async -> Void)? in
            guard state.afterPut?.key == key else { return nil }
            defer { state.afterPut = nil }
            return state.afterPut?.body
        }
        await afterPut?()
        if log == .losesReply { throw .unreachable("the connection broke") }
        return outcome
    }

    private func record(_ key: ObjectKey, _ outcome: PutOutcome) -> PutOutcome {
        if outcome == .created { state.withLock { $0.created.append(key) } }
        return outcome
    }

    func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        let outcome = record(
            key, try await store.putIfAbsent(key, content, length: length, progress: progress))
        let afterUpload = state.withLock { state in
            defer { state.afterUpload = nil }
            return state.afterUpload
        }
        afterUpload?()
        let isLost = state.withLock { state in
            defer { state.losesUpload = false }
            return state.losesUpload
        }
        if isLost { throw .unreachable("the connection broke") }
        return outcome
    }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await store.get(key, limit: limit)
    }

    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        // The log is read in ranges as well.
        guard key.components[0] == "documents" else { return try await store.get(key, range: range) }
        await pass(range)
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try await store.get(key, range: range)
    }

    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        let hidden = state.withLock { $0.hidden }
        if hidden.isEmpty { return try await store.list(prefix, after: after, limit: limit) }
        return Array(
            try await store.list(prefix, after: after, limit: limit + hidden.count).filter { !hidden.contains($0) }
                .prefix(limit))
    }

    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        let beforeTime = state.withLock { state in
            defer { state.beforeTime = nil }
            return state.beforeTime
        }
        beforeTime?()
        return try await store.modified(key)
    }

    func now() async throws(ObjectStoreError) -> Timestamp { try await store.now() }

    func recreate() async throws(ObjectStoreError) { try await store.recreate() }

    var isEncrypted: Bool { store.isEncrypted }

    var listsAllNames: Bool { store.listsAllNames }

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
