import Documents
import ObjectStore
import SystemPackage

/// Answers some reads as another store does, and leaves all others waiting until their tasks are cancelled.
struct UnansweringStore: ObjectStore {
    private let store: FakeStore
    private let isAnswered: @Sendable (ObjectKey, Range<Int64>?) -> Bool

    /// - Parameter isAnswered: of a key and, for a part of an object, of its range.
    init(but store: FakeStore, isAnswered: @escaping @Sendable (ObjectKey, Range<Int64>?) -> Bool) {
        self.store = store
        self.isAnswered = isAnswered
    }

    private func wait(_ key: ObjectKey, _ range: Range<Int64>? = nil) async throws(ObjectStoreError) {
        if isAnswered(key, range) { return }
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        throw .unreachable("the read was cancelled")
    }

    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await wait(key, range)
        return try await store.get(key, range: range)
    }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await wait(key)
        return try await store.get(key, limit: limit)
    }

    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await store.putIfAbsent(key, bytes)
    }

    func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        try await store.putIfAbsent(key, content, length: length, progress: progress)
    }

    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        try await store.list(prefix, after: after, limit: limit)
    }

    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp { try await store.modified(key) }

    func now() async throws(ObjectStoreError) -> Timestamp { try await store.now() }

    func delete(_ key: ObjectKey) async throws(ObjectStoreError) { try await store.delete(key) }
}
