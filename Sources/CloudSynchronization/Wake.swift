import Synchronization

/// Lets one task sleep until it is signalled or a time has passed. A signal before the sleep ends it at once.
final class Wake: Sendable {
    private struct State {
        var isSignaled = false
        var sleeper: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())
    private let sleep: @Sendable (Duration) async throws -> Void

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    func signal() {
        let sleeper = state.withLock { state in
            state.isSignaled = state.sleeper == nil
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume(returning: true)
    }

    /// - Returns: whether it was signalled, or the task cancelled, before the time had passed.
    @discardableResult
    func wait(atMost limit: Duration) async -> Bool {
        let timer = Task {
            // It throws only when the timer is cancelled.
            try? await sleep(limit)
            if !Task.isCancelled { timeOut() }
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSignaled = state.withLock { state in
                    if !state.isSignaled { state.sleeper = continuation }
                    defer { state.isSignaled = false }
                    return state.isSignaled
                }
                if isSignaled { continuation.resume(returning: true) }
            }
        } onCancel: {
            signal()
        }
    }

    private func timeOut() {
        let sleeper = state.withLock { state in
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume(returning: false)
    }
}
