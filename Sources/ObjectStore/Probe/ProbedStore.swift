import Documents
import SystemPackage

/// A store whose conditional writes are checked once, before the first object is created through it.
///
/// The check is made at mount where the store can be reached then, else before the first write: without
/// a connection docfs works all the same. A check without a result is made again later; "unfit" is final.
public struct ProbedStore: ObjectStore {
    private let store: any ObjectStore
    private let verdict: ProbeVerdict

    /// - Parameter random: gives the random numbers of which the key of the probe's object is made.
    public init(_ store: any ObjectStore, random: @escaping @Sendable () -> UInt64) {
        self.store = store
        verdict = ProbeVerdict {
            let name = String(random(), radix: 16) + "-" + String(random(), radix: 16)
            let probe = ConditionalWriteProbe(store: store, name: name)
            do throws(ObjectStoreError) { return .success(try await probe.run()) } catch { return .failure(error) }
        }
    }

    public func probe() async throws(ObjectStoreError) { try await verdict.get() }

    public func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await probe()
        return try await store.putIfAbsent(key, bytes)
    }

    public func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        try await probe()
        return try await store.putIfAbsent(key, content, length: length, progress: progress)
    }

    public func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await store.get(key, limit: limit)
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await store.get(key, range: range)
    }

    public func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        try await store.get(key, range: range, arrived: arrived)
    }

    public func list(
        _ prefix: ObjectKey, after: ObjectKey?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectKey] {
        try await store.list(prefix, after: after, limit: limit)
    }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) { try await store.delete(key) }

    public func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp { try await store.modified(key) }

    public func now() async throws(ObjectStoreError) -> Timestamp { try await store.now() }

    public func recreate() async throws(ObjectStoreError) { try await store.recreate() }

    public var quickestPoll: Duration { store.quickestPoll }

    public func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        store.watch(prefix, onChange)
    }
}

/// The result of one probe, shared by all tasks that wait for it.
private actor ProbeVerdict {
    private let probe: @Sendable () async -> Result<Void, ObjectStoreError>
    private var final: Result<Void, ObjectStoreError>?
    private var running: Task<Result<Void, ObjectStoreError>, Never>?

    init(_ probe: @escaping @Sendable () async -> Result<Void, ObjectStoreError>) { self.probe = probe }

    func get() async throws(ObjectStoreError) {
        while true {
            if let final { return try final.get() }
            let task = running ?? Task { [probe] in await probe() }
            running = task
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if running == task { running = nil }
            if result.isFinal { final = result }
            // A cancelled task ends the probe with it; the others begin a new one.
            if case .failure(.failed(_, .canceled)) = result, !Task.isCancelled { continue }
            return try result.get()
        }
    }
}

extension Result<Void, ObjectStoreError> {
    fileprivate var isFinal: Bool {
        switch self {
        case .success: true
        case .failure(let error): error == ConditionalWriteProbe.unfit
        }
    }
}
