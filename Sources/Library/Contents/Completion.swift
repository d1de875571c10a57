import Synchronization

/// A result that is set once and awaited by any number of tasks. Each of them may be cancelled.
final class Completion<Success: Sendable, Failure: Error>: Sendable {
    private struct State {
        var result: Result<Success, Failure>?
        var waiters: [Int: CheckedContinuation<Result<Success, Failure>?, Never>] = [:]
        var gaveUp: Set<Int> = []
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    /// The first result counts.
    func complete(_ result: Result<Success, Failure>) {
        let waiters = state.withLock { state in
            if state.result == nil { state.result = result }
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    /// - Returns: nil when the calling task was cancelled first.
    func value() async -> Result<Success, Failure>? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate: Result<Success, Failure>?? = state.withLock { state in
                    if let result = state.result { return .some(result) }
                    if state.gaveUp.remove(number) != nil { return .some(nil) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil, state.result == nil { state.gaveUp.insert(number) }
                return waiter
            }
            waiter?.resume(returning: nil)
        }
    }
}
