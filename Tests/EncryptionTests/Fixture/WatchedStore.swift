import Documents
import ObjectStore
import Synchronization

/// Counts what is read of a store, and tells of each removal before it happens.
final class WatchedStore: ObjectStore {
    private let store: any ObjectStore
    private let removes: @Sendable (ObjectKey) async -> Void
    /// The requests that read an object or a part of one.
    let reads = Mutex(0)

    init(_ store: any ObjectStore, removes: @escaping @Sendable (ObjectKey) async -> Void = { _ in }) {
        self.store = store
        self.removes = removes
    }

    func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        await removes(key)
        try await store.delete(key)
    }

    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await store.putIfAbsent(key, bytes)
    }

    func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64, progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        try await store.putIfAbsent(key, content, length: length, progress: progress)
    }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        reads.withLock { $0 += 1 }
        return try await store.get(key, limit: limit)
    }

    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        reads.withLock { $0 += 1 }
        return try await store.get(key, range: range)
    }

    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        try await store.list(prefix, after: after, limit: limit)
    }

    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp { try await store.modified(key) }

    func now() async throws(ObjectStoreError) -> Timestamp { try await store.now() }
}
