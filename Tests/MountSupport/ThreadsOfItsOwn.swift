import Dispatch

/// Runs a body whose system calls may wait for a mount: on threads outside Swift's pool, which has only as many as there are processors. With
/// two calls that hang there, no other test would go on, and not even a time limit would end.
func onThreadsOfItsOwn<Value>(_ body: () async throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(WaitingThreads.shared, operation: body)
}

private final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads()

    private let queue = DispatchQueue(label: "docfs.tests.waiting", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
