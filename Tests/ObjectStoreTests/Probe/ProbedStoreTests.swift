import Documents
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import ObjectStore

/// When a store is probed, and what becomes of the result.
@Suite(.timeLimit(.minutes(15)))
struct ProbedStoreTests {
    private func probed(_ store: MemoryStore) -> ProbedStore {
        ProbedStore(store) { UInt64.random(in: 0...UInt64.max) }
    }

    @Test func `a store that cannot be reached at mount is probed before the first object`() async throws {
        let memory = MemoryStore()
        let store = probed(memory)
        memory.set(error: .unreachable("no route to host"))
        await #expect(throws: ObjectStoreError.unreachable("no route to host")) { try await store.probe() }
        await #expect(throws: ObjectStoreError.unreachable("no route to host")) {
            try await store.putIfAbsent(.path("log/1"), [1])
        }
        memory.set(error: nil)
        memory.set(isConditional: false)
        let error = await #expect(throws: ObjectStoreError.self) { try await store.putIfAbsent(.path("log/1"), [1]) }
        guard case .unusable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(memory.keys.isEmpty)
    }

    @Test func `that the bucket was not there is not held against it`() async throws {
        let memory = MemoryStore()
        let store = probed(memory)
        memory.set(error: .unusable("the bucket does not exist"))
        await #expect(throws: ObjectStoreError.self) { try await store.probe() }
        memory.set(error: nil)
        #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .created)
    }

    @Test func `a bit that changes on the way is not held against it`() async throws {
        let memory = MemoryStore()
        memory.spoilNextRead()
        try await probed(memory).probe()
        #expect(memory.keys.isEmpty)
    }

    @Test func `the result of a probe is kept`() async throws {
        let memory = MemoryStore()
        let store = probed(memory)
        try await store.probe()
        let puts = memory.putCount
        try await store.probe()
        #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .created)
        #expect(memory.putCount == puts + 1)
    }

    @Test func `many who write at once wait for one probe`() async throws {
        let memory = MemoryStore()
        let store = probed(memory)
        let created = try await withThrowingTaskGroup(of: PutOutcome.self) { group in
            for number in 1...20 { group.addTask { try await store.putIfAbsent(.path("log/\(number)"), [1]) } }
            return try await group.reduce(into: 0) { $0 += $1 == .created ? 1 : 0 }
        }
        #expect(created == 20)
        // The probe's are those who race, and one who comes later.
        #expect(memory.putCount == 20 + Int(ConditionalWriteProbe.writers) + 1)
    }

    @Test func `one who is cancelled does not spoil it for others`() async throws {
        let memory = MemoryStore()
        let store = probed(memory)
        memory.hold()
        let cancelled = Task { try await store.putIfAbsent(.path("log/1"), [1]) }
        await memory.waitUntilHeld()
        let other = Task { try await store.putIfAbsent(.path("log/2"), [2]) }
        cancelled.cancel()
        await #expect(throws: ObjectStoreError.self) { try await cancelled.value }
        memory.release()
        #expect(try await other.value == .created)
        #expect(memory.keys == [.path("log/2")])
    }

    @Test func `the store's clock is asked, and the store made anew, without a probe`() async throws {
        let memory = MemoryStore()
        let store = probed(memory)
        #expect(try await store.now() == Timestamp(nanoseconds: 42))
        #expect(!memory.isRecreated)
        try await store.recreate()
        #expect(memory.isRecreated)
        #expect(memory.putCount == 0)
    }

    @Test func `reading needs no probe`() async throws {
        let memory = MemoryStore()
        _ = try await memory.putIfAbsent(.path("log/1"), [1])
        let store = probed(memory)
        #expect(try await store.get(.path("log/1"), limit: 1) == [1])
        #expect(try await store.list(.path("log"), after: nil, limit: 9) == [.path("log/1")])
        #expect(memory.putCount == 1)
    }
}

/// A store in memory, conditional or not, that can be made to fail and to wait.
private final class MemoryStore: ObjectStore {
    private struct State {
        var objects: [ObjectKey: [UInt8]] = [:]
        var error: ObjectStoreError?
        var isConditional = true
        var putCount = 0
        var isHeld = false
        var isRecreated = false
        var spoilsNextRead = false
    }

    private let state = Mutex(State())
    private let (held, hold_) = AsyncStream<Void>.makeStream()

    var keys: [ObjectKey] { state.withLock { $0.objects.keys.sorted() } }
    var isRecreated: Bool { state.withLock { $0.isRecreated } }
    var putCount: Int { state.withLock { $0.putCount } }

    func set(error: ObjectStoreError?) { state.withLock { $0.error = error } }
    /// One bit of what the next reader gets is another one.
    func spoilNextRead() { state.withLock { $0.spoilsNextRead = true } }
    func set(isConditional: Bool) { state.withLock { $0.isConditional = isConditional } }

    /// From now on puts wait, until released or cancelled.
    func hold() { state.withLock { $0.isHeld = true } }
    func release() { state.withLock { $0.isHeld = false } }
    func waitUntilHeld() async { for await _ in held { return } }

    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        while state.withLock({ $0.isHeld }) {
            hold_.yield()
            if Task.isCancelled { throw .failed(key, .canceled) }
            await Task.yield()
        }
        let result: Result<PutOutcome, ObjectStoreError> = state.withLock { state in
            if let error = state.error { return .failure(error) }
            state.putCount += 1
            if state.isConditional, state.objects[key] != nil { return .success(.alreadyExists) }
            state.objects[key] = bytes
            return .success(.created)
        }
        return try result.get()
    }

    func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome { try await putIfAbsent(key, []) }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        let bytes = state.withLock { state in
            defer { state.spoilsNextRead = false }
            return state.spoilsNextRead ? state.objects[key]?.map { $0 ^ 64 } : state.objects[key]
        }
        guard let bytes else { throw .notFound(key) }
        return bytes
    }

    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        let bytes = try await get(key, limit: .max)
        let wanted = range.clamped(to: 0..<Int64(bytes.count))
        return Array(bytes[Int(wanted.lowerBound)..<Int(wanted.upperBound)])
    }

    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        keys.filter { $0.description.hasPrefix(prefix.description + "/") }
    }

    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp { throw .notFound(key) }

    func now() async throws(ObjectStoreError) -> Timestamp { Timestamp(nanoseconds: 42) }

    func recreate() async throws(ObjectStoreError) { state.withLock { $0.isRecreated = true } }

    func delete(_ key: ObjectKey) async throws(ObjectStoreError) { state.withLock { $0.objects[key] = nil } }
}
