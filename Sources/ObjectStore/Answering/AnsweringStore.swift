import CLinux
import Dispatch
import Documents
import Glibc
import LinuxFiles
import Synchronization
import SystemPackage

/// A folder store on a file system that may stop answering, as a NAS does whose network is gone: each system call on it then waits for ever,
/// and nothing can end it. When a call takes long, the folder is asked for its status beside it: a slow disk answers that. Without an answer
/// the call is given up, and goes on on its own thread; as long as one that was given up has not returned, new ones fail at once. A caller
/// that is cancelled does not wait either.
public final class AnsweringStore: ObjectStore {
    private struct State {
        var store: DirectoryStore?
        /// Calls that were given up and have not returned.
        var unanswered = 0
        var watch = Watch.none
    }

    private enum Watch {
        case none
        case underWay
        case ready(StoreWatch)
    }

    private let path: String
    private let patience: Duration
    private let ask: @Sendable () -> Void
    private let open: @Sendable () throws(ObjectStoreError) -> DirectoryStore
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: the folder, for messages.
    ///   - patience: after this time, or from one piece of a transfer to the next, the folder is asked; it may take as long to answer.
    ///   - ask: asks the folder for its status. It may block.
    ///   - open: opens the store. It may block. It is called again if it failed.
    public init(
        path: String, patience: Duration = .seconds(3), ask: (@Sendable () -> Void)? = nil,
        open: @escaping @Sendable () throws(ObjectStoreError) -> DirectoryStore
    ) {
        self.path = path
        self.patience = patience
        self.ask =
            ask ?? {
                // Not from a cache of the kernel's.
                var status = docfs_statx()
                _ = docfs_statx(AT_FDCWD, path, 0x2000 /* AT_STATX_FORCE_SYNC */, &status)
            }
        self.open = open
    }

    /// Opens the store, if that does not take long. Blocks, so it is for a thread that runs no tasks.
    ///
    /// - Throws: the error of `open`. A store that does not answer in time is opened later.
    public func open(within limit: DispatchTimeInterval) throws(ObjectStoreError) {
        let answer = Mutex<ObjectStoreError?>(nil)
        let answered = DispatchSemaphore(value: 0)
        beginUnanswered()
        DispatchQueue.global().async { [self] in
            do throws(ObjectStoreError) { _ = try opened() } catch { answer.withLock { $0 = error } }
            endUnanswered()
            answered.signal()
        }
        if answered.wait(timeout: .now() + limit) == .timedOut { return }
        if let error = answer.withLock({ $0 }) { throw error }
    }

    private func opened() throws(ObjectStoreError) -> DirectoryStore {
        if let store = state.withLock(\.store) { return store }
        let store = try open()
        return state.withLock { state in
            // Another call may have opened it meanwhile.
            let first = state.store ?? store
            state.store = first
            return first
        }
    }

    private var silence: ObjectStoreError { .unreachable("\(path) does not answer") }

    private func beginUnanswered() { state.withLock { $0.unanswered += 1 } }

    private func endUnanswered() { state.withLock { $0.unanswered -= 1 } }

    /// Makes a call that may never return.
    private func answer<Value: Sendable>(
        _ body: @escaping @Sendable (DirectoryStore, Heartbeat) async throws(ObjectStoreError) -> Value
    ) async throws(ObjectStoreError) -> Value {
        if BlockingWork.runsInline { return try await body(try opened(), Heartbeat()) }
        guard state.withLock(\.unanswered) == 0 else { throw silence }
        let heartbeat = Heartbeat()
        let call = PendingCall<Result<Value, ObjectStoreError>>(cancelled: .failure(silence))
        Task.detached { [self] in
            let result: Result<Value, ObjectStoreError>
            do throws(ObjectStoreError) {
                let store = try await onBlockingThread { () throws(ObjectStoreError) in try self.opened() }
                result = .success(try await body(store, heartbeat))
            } catch { result = .failure(error) }
            if !call.end(result) { endUnanswered() }
        }
        let timer = Task { [patience, self] in
            // It throws when the call has ended.
            while (try? await Task.sleep(for: patience)) != nil {
                if heartbeat.hasBeaten { continue }
                if await isAnswering() { continue }
                return giveUp(call, .failure(silence))
            }
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            await call.result()
        } onCancel: {
            giveUp(call, .failure(silence))
        }.get()
    }

    /// Whether the folder tells its status in time.
    private func isAnswering() async -> Bool {
        let question = PendingCall(cancelled: false)
        Task.detached { [self] in
            await onBlockingThread { [ask] in ask() }
            if !question.end(true) { endUnanswered() }
        }
        let timer = Task { [patience, self] in
            if (try? await Task.sleep(for: patience)) != nil { giveUp(question, false) }
        }
        defer { timer.cancel() }
        return await question.result()
    }

    private func giveUp<Answer>(_ call: PendingCall<Answer>, _ answer: Answer) {
        // Counted first: the call may return in between.
        beginUnanswered()
        if !call.end(answer) { endUnanswered() }
    }

    // MARK: ObjectStore

    public func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await answer { store, _ throws(ObjectStoreError) in try await store.putIfAbsent(key, bytes) }
    }

    public func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        try await answer { store, heartbeat throws(ObjectStoreError) in
            try await store.putIfAbsent(key, content, length: length) { count in
                heartbeat.beat()
                return progress(count)
            }
        }
    }

    public func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await answer { store, _ throws(ObjectStoreError) in try await store.get(key, limit: limit) }
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await answer { store, _ throws(ObjectStoreError) in try await store.get(key, range: range) }
    }

    public func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        try await answer { store, _ throws(ObjectStoreError) in try await store.list(prefix, after: after, limit: limit)
        }
    }

    public func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        try await answer { store, _ throws(ObjectStoreError) in try await store.modified(key) }
    }

    public func now() async throws(ObjectStoreError) -> Timestamp {
        try await answer { store, _ throws(ObjectStoreError) in try await store.now() }
    }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        try await answer { store, _ throws(ObjectStoreError) in try await store.delete(key) }
    }

    public func probe() async throws(ObjectStoreError) {
        try await answer { store, _ throws(ObjectStoreError) in try await store.probe() }
    }

    public func recreate() async throws(ObjectStoreError) {
        try await answer { store, _ throws(ObjectStoreError) in try await store.recreate() }
    }

    public var quickestPoll: Duration { .milliseconds(100) }

    /// So that a folder that stops answering is noticed soon, also when nobody needs it.
    public var longestPoll: Duration { .seconds(3) }

    /// The watch is set up beside the caller. Until it is there, this returns nil: the store is polled, and asked again.
    public func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        let known = state.withLock { state -> Watch in
            defer {
                switch state.watch {
                case .none: state.watch = .underWay
                case .underWay: break
                case .ready: state.watch = .none
                }
            }
            return state.watch
        }
        switch known {
        case .ready(let watch): return watch
        case .underWay: return nil
        case .none:
            Task { [self] in
                let watch = try? await answer { store, _ throws(ObjectStoreError) in
                    try await onBlockingThread { () throws(ObjectStoreError) in store.watch(prefix, onChange) }
                }
                state.withLock { $0.watch = watch.flatMap { $0 }.map { .ready($0) } ?? .none }
                // The next look at the log takes the watch. What came before it was set up is found then.
                if watch != nil { onChange() }
            }
            return nil
        }
    }
}

/// Tells whether a transfer goes on.
final class Heartbeat: Sendable {
    private let beats = Atomic<Int>(0)
    private let seen = Atomic<Int>(0)

    func beat() { beats.add(1, ordering: .relaxed) }

    /// Whether there was a beat since this was asked last.
    var hasBeaten: Bool {
        let now = beats.load(ordering: .relaxed)
        return seen.exchange(now, ordering: .relaxed) != now
    }
}

/// A call for which one caller waits, and which ends once: with its own result, or because it was given up.
private struct PendingCall<Answer: Sendable>: Sendable {
    private let state: AwaitedState<Answer?, Void, Answer>

    /// - Parameter cancelled: the answer for a caller that is cancelled.
    init(cancelled: Answer) { state = AwaitedState(nil, cancelled: cancelled, answer: { _, answer in answer }) }

    func result() async -> Answer { await state.wait(for: ()) }

    /// - Returns: false if it has ended already.
    func end(_ answer: Answer) -> Bool {
        state.update { known in
            if known != nil { return false }
            known = answer
            return true
        }
    }
}
