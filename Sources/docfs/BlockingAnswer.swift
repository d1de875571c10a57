import Dispatch
import Synchronization

/// Waits on the calling thread for what a task answers. Only for the mounting thread, which runs no task.
///
/// - Returns: nil where there is no answer in time; the task is cancelled then.
func blockingAnswer<Value: Sendable>(
    within timeout: DispatchTimeInterval, _ question: @escaping @Sendable () async throws -> Value
) -> Result<Value, any Error>? {
    let answer = Answer<Value>()
    let task = Task {
        do { answer.set(.success(try await question())) } catch { answer.set(.failure(error)) }
    }
    defer { task.cancel() }
    return answer.wait(timeout)
}

private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)
    private let answered = DispatchSemaphore(value: 0)

    func set(_ result: Result<Value, any Error>) {
        value.withLock { $0 = result }
        answered.signal()
    }

    func wait(_ timeout: DispatchTimeInterval) -> Result<Value, any Error>? {
        _ = answered.wait(timeout: .now() + timeout)
        return value.withLock { $0 }
    }
}
