import Dispatch
@testable import ObjectStore
import Documents
import Synchronization
import TestSupport
import Testing

/// A folder on a file system that stops answering, as a NAS does whose network is gone.
@Suite(.timeLimit(.minutes(15)))
struct AnsweringStoreTests {
    private static let key = ObjectKey(valid: ["log", "1"])

    /// A store whose folder is opened when a signal is given, and tells its status when another is given; from then on always.
    private static func store(
        in folder: String, opens: DispatchSemaphore? = nil, answers: DispatchSemaphore? = nil
    ) -> AnsweringStore {
        AnsweringStore(path: folder, patience: .milliseconds(50), ask: { answers.map(pass) }) {
            () throws(ObjectStoreError) in
            opens.map(pass)
            return try DirectoryStore(root: folder + "/cloud", creates: true)
        }
    }

    private static func pass(_ gate: DispatchSemaphore) {
        gate.wait()
        gate.signal()
    }

    private static func isSilent(_ error: any Error) -> Bool {
        if case ObjectStoreError.unreachable(let reason) = error { reason.hasSuffix("does not answer") } else { false }
    }

    /// Waits until all calls that were given up have returned: until then new ones fail at once. A test's folder is removed after that only.
    private static func waitUntilAnswering(_ store: AnsweringStore) async throws {
        while true {
            do { _ = try await store.get(Self.key, limit: 10) } catch  where isSilent(error) {
                try await Task.sleep(for: .milliseconds(5))
                continue
            } catch {}
            return
        }
    }

    @Test func `a call that hangs is given up, new ones fail at once, and all is well when it has returned`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let (opens, answers) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let store = Self.store(in: folder, opens: opens, answers: answers)
            await #expect(performing: { _ = try await store.putIfAbsent(Self.key, [1]) }, throws: Self.isSilent)
            // At once: nothing else would end this call.
            await #expect(performing: { _ = try await store.get(Self.key, limit: 10) }, throws: Self.isSilent)
            answers.signal()
            opens.signal()
            try await Self.waitUntilAnswering(store)
            _ = try await store.putIfAbsent(Self.key, [1])
            let bytes = try await store.get(Self.key, limit: 10)
            #expect(bytes == [1])
        }
    }

    @Test func `a folder that is only slow is waited for`() async throws {
        try await withTemporaryFolder { folder in
            let opens = DispatchSemaphore(value: 0)
            let asked = Atomic<Int>(0)
            let store = AnsweringStore(
                path: folder, patience: .milliseconds(20),
                ask: {
                    // Asked for the third time, it has become quick.
                    if asked.add(1, ordering: .relaxed).newValue == 3 { opens.signal() }
                }
            ) { () throws(ObjectStoreError) in
                opens.wait()
                return try DirectoryStore(root: folder + "/cloud", creates: true)
            }
            let outcome = try await store.putIfAbsent(Self.key, [1])
            #expect(outcome == .created)
            #expect(asked.load(ordering: .relaxed) >= 3)
        }
    }

    @Test func `a caller that is cancelled does not wait`() async throws {
        try await withTemporaryFolder { folder in
            let opens = DispatchSemaphore(value: 0)
            let store = AnsweringStore(path: folder, patience: .seconds(3600)) { () throws(ObjectStoreError) in
                opens.wait()
                return try DirectoryStore(root: folder + "/cloud", creates: true)
            }
            let call = Task { try await store.putIfAbsent(Self.key, [1]) }
            call.cancel()
            await #expect(performing: { _ = try await call.value }, throws: Self.isSilent)
            opens.signal()
            try await Self.waitUntilAnswering(store)
        }
    }

    @Test func `opening waits no longer than it may, and says what is wrong`() async throws {
        try await withTemporaryFolder { folder in
            let opens = DispatchSemaphore(value: 0)
            let store = Self.store(in: folder, opens: opens)
            try store.open(within: .milliseconds(50))
            opens.signal()
            try await Self.waitUntilAnswering(store)
            let broken = AnsweringStore(path: folder) { () throws(ObjectStoreError) in
                throw .unusable("there are no hard links")
            }
            #expect(throws: ObjectStoreError.unusable("there are no hard links")) { () throws in
                try broken.open(within: .seconds(120))
            }
        }
    }
}
