import Documents
import ObjectStore
import Synchronization
import SystemPackage

/// A store in memory that does what a test tells it: it counts, holds reads back until it is told to
/// let them go, and fails on command. Nothing in it depends on time.
final class FakeStore: ObjectStore {
    private struct State {
        var objects: [ObjectKey: [UInt8]] = [:]
        var reads: [Range<Int64>] = []
        var listings = 0
        var failures: [Int: ObjectStoreError] = [:]
        var failure: ObjectStoreError?
        var losesReply = false
        var pieceLength: Int?
        var isHolding = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    // MARK: Commands

    init() {}

    init(_ key: ObjectKey, _ content: [UInt8]) { set(key, content) }

    /// The ranges that were asked for, in order.
    var reads: [Range<Int64>] { state.withLock { $0.reads } }

    /// How many listings were asked for.
    var listings: Int { state.withLock { $0.listings } }

    var objects: [ObjectKey: [UInt8]] { state.withLock { $0.objects } }

    func set(_ key: ObjectKey, _ content: [UInt8]) { state.withLock { $0.objects[key] = content } }

    /// The read of that number, the first being 1, fails.
    func failRead(_ number: Int, _ error: ObjectStoreError = .unreachable("no route to host")) {
        state.withLock { $0.failures[number] = error }
    }

    /// Everything fails, until it is told nil.
    func failAll(_ error: ObjectStoreError?) { state.withLock { $0.failure = error } }

    /// The next put succeeds, and its reply is lost.
    func loseNextReply() { state.withLock { $0.losesReply = true } }

    /// Range reads tell of so many bytes at a time.
    var trickles: Int? {
        get { state.withLock { $0.pieceLength } }
        set { state.withLock { $0.pieceLength = newValue } }
    }

    /// From now on range reads wait.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Answers the read that has waited longest.
    func releaseOne() { state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }?.resume() }

    func releaseAll() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until that many range reads were asked for.
    func waitForReads(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.reads.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: ObjectStore

    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try put(key, bytes)
    }

    func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        guard let bytes = try? content.read(at: 0, count: Int(length)) else { throw .failed(key, .ioError) }
        if !progress(Int64(bytes.count)) { throw .failed(key, .canceled) }
        return try put(key, bytes)
    }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        let bytes = try object(key)
        if bytes.count > limit { throw .corrupted(key, "it is too large") }
        return bytes
    }

    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        let number = await begin(range)
        if let failure = state.withLock({ $0.failures[number] }) { throw failure }
        let bytes = try object(key)
        let end = min(Int(range.upperBound), bytes.count)
        return Int(range.lowerBound) < end ? Array(bytes[Int(range.lowerBound)..<end]) : []
    }

    func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        let bytes = try await get(key, range: range)
        for start in stride(from: 0, to: bytes.count, by: trickles ?? max(1, bytes.count)) {
            arrived(Int64(min(trickles ?? bytes.count, bytes.count - start)))
        }
        return bytes
    }

    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        state.withLock { $0.listings += 1 }
        let keys = objects.keys.filter { $0.components.starts(with: prefix.components) }
        return Array(keys.filter { key in after.map { $0 < key } ?? true }.sorted().prefix(limit))
    }

    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        _ = try object(key)
        return Timestamp(nanoseconds: 0)
    }

    func now() async throws(ObjectStoreError) -> Timestamp {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return Timestamp(nanoseconds: 0)
    }

    func delete(_ key: ObjectKey) async throws(ObjectStoreError) { state.withLock { $0.objects[key] = nil } }

    private func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(ObjectStoreError) -> PutOutcome {
        let result: Result<PutOutcome, ObjectStoreError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            if state.objects[key] != nil { return .success(.alreadyExists) }
            state.objects[key] = bytes
            defer { state.losesReply = false }
            return state.losesReply ? .failure(.unreachable("the connection broke")) : .success(.created)
        }
        return try result.get()
    }

    private func object(_ key: ObjectKey) throws(ObjectStoreError) -> [UInt8] {
        let (failure, bytes) = state.withLock { ($0.failure, $0.objects[key]) }
        if let failure { throw failure }
        guard let bytes else { throw .notFound(key) }
        return bytes
    }

    /// Counts a read, and waits while reads are held back.
    private func begin(_ range: Range<Int64>) async -> Int {
        var number = 0
        await withCheckedContinuation { continuation in
            let (isHeld, reached) = state.withLock { state in
                state.reads.append(range)
                number = state.reads.count
                let reached = state.watchers.filter { $0.count <= state.reads.count }.map(\.continuation)
                state.watchers.removeAll { $0.count <= state.reads.count }
                if state.isHolding { state.held.append(continuation) }
                return (state.isHolding, reached)
            }
            for watcher in reached { watcher.resume() }
            if !isHeld { continuation.resume() }
        }
        return number
    }
}
