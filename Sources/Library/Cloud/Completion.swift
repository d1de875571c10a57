import LinuxFiles

/// A result that is set once and awaited by any number of tasks. Each of them may be cancelled.
final class Completion<Success: Sendable, Failure: Error>: Sendable {
    /// Nil is the answer for a cancelled waiter.
    private let state = AwaitedState<Result<Success, Failure>?, Void, Result<Success, Failure>?>(
        nil, cancelled: nil, answer: { _, result in result.map { .some($0) } })

    /// Sets the result; a later one is ignored.
    func complete(_ result: Result<Success, Failure>) {
        state.update { if case .none = $0 { $0 = result } }
    }

    /// - Returns: nil if the calling task was cancelled first.
    func value() async -> Result<Success, Failure>? { await state.wait(for: ()) }
}
