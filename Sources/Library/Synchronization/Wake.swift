import Synchronization

/// Lets one task sleep until it is woken or a time has passed. Wakes before the sleep count.
final class Wake: Sendable {
    private struct State {
        var isSignaled = false
        var sleeper: CheckedContinuation<Void, Never>?
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
        sleeper?.resume()
    }

    func wait(atMost limit: Duration) async {
        let timer = Task {
            try? await sleep(limit)
            if !Task.isCancelled { signal() }
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSignaled = state.withLock { state in
                    if !state.isSignaled { state.sleeper = continuation }
                    defer { state.isSignaled = false }
                    return state.isSignaled
                }
                if isSignaled { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }
}
