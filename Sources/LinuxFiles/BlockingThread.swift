import Dispatch

/// Where file I/O waits for the disk, so that no cooperative thread does.
private let blockingThreads = DispatchQueue(label: "docfs.blocking", attributes: .concurrent)

/// Whether such work runs where it is asked for: in a simulation, in which nothing runs beside anything else.
package enum BlockingWork {
    /// True within a simulation's task, and in the tasks that it starts.
    @TaskLocal package static var runsInline = false
}

/// Runs `body` on a thread that may block.
package func onBlockingThread<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    if BlockingWork.runsInline { return try body() }
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        blockingThreads.async {
            let result: Result<Value, Failure>
            do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
            continuation.resume(returning: result)
        }
    }
    return try result.get()
}
