import Synchronization

/// A state that tasks wait for. Each waiter passes a condition. Its wait ends when the state has an answer to it, or when its task is
/// cancelled.
package final class AwaitedState<State: Sendable, Condition: Sendable, Answer: Sendable>: Sendable {
    private struct Waiter {
        let condition: Condition
        let continuation: CheckedContinuation<Answer, Never>
    }

    private struct Guarded {
        var state: State
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        /// Waiters that were cancelled before they were added to `waiters`.
        var cancelled: Set<Int> = []
    }

    /// Guards the state and the waiters. Never held across a suspension.
    private let guarded: Mutex<Guarded>
    private let cancelled: Answer
    private let answer: @Sendable (Condition, State) -> Answer?

    /// - Parameters:
    ///   - cancelled: the answer for a waiter whose task is cancelled.
    ///   - answer: returns nil as long as a waiter with this condition must wait.
    package init(
        _ state: State, cancelled: Answer, answer: @escaping @Sendable (Condition, State) -> Answer?
    ) {
        guarded = Mutex(Guarded(state: state))
        self.cancelled = cancelled
        self.answer = answer
    }

    /// Reads the state, or changes it in a way that ends no wait.
    package func withState<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        guarded.withLock { body(&$0.state) }
    }

    /// Changes the state, and answers the waiters whose wait is over.
    package func update<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
        let (value, answered) = guarded.withLock { guarded in
            let value = change(&guarded.state)
            let answered = guarded.waiters.compactMap { number, waiter in
                answer(waiter.condition, guarded.state).map { (number, waiter.continuation, $0) }
            }
            for (number, _, _) in answered { guarded.waiters[number] = nil }
            return (value, answered)
        }
        for (_, continuation, answer) in answered { continuation.resume(returning: answer) }
        return value
    }

    /// Waits until the state has an answer to `condition`.
    ///
    /// - Parameter beforeWaiting: changes the state if the answer is not there yet.
    package func wait(for condition: Condition, beforeWaiting: (inout State) -> Void = { _ in }) async -> Answer {
        let number = guarded.withLock { guarded in
            guarded.lastWaiter += 1
            return guarded.lastWaiter
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate: Answer? = guarded.withLock { guarded in
                    if guarded.cancelled.remove(number) != nil { return cancelled }
                    if let answer = answer(condition, guarded.state) { return answer }
                    beforeWaiting(&guarded.state)
                    guarded.waiters[number] = Waiter(condition: condition, continuation: continuation)
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            cancel(number)
        }
        // If it was cancelled after it was answered, its number is still among the cancelled ones.
        guarded.withLock { _ = $0.cancelled.remove(number) }
        return result
    }

    private func cancel(_ number: Int) {
        let waiter = guarded.withLock { guarded in
            let waiter = guarded.waiters.removeValue(forKey: number)
            // It may not have been added yet.
            if waiter == nil { guarded.cancelled.insert(number) }
            return waiter
        }
        waiter?.continuation.resume(returning: cancelled)
    }
}
