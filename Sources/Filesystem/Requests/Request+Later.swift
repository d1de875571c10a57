import CFuse
import Synchronization
import SystemPackage

/// Answers that must wait, for content that is not here. They hold neither a FUSE thread nor a
/// directory, and end with EINTR when the caller is interrupted.
extension Request {
    func answerLater(_ body: @escaping @Sendable () async throws(Errno) -> Reply) {
        let interruption = Interruption()
        // Registered before the task starts, so that an interrupt that came already is heard.
        let box = Unmanaged.passRetained(interruption)
        fuse_req_interrupt_func(
            pointer, { _, box in Unmanaged<Interruption>.fromOpaque(box!).takeUnretainedValue().interrupt() },
            box.toOpaque())
        let task = Task {
            let result: Result<Reply, Errno>
            do throws(Errno) {
                result = .success(try await body())
            } catch {
                result = .failure(Task.isCancelled ? .interrupted : error)
            }
            // Waits for an interrupt that is being delivered; after it none can come.
            fuse_req_interrupt_func(pointer, nil, nil)
            box.release()
            send(result)
        }
        interruption.set(task)
    }
}

/// Joins the interrupt of a request with the task that works on it, whichever comes first.
private final class Interruption: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isInterrupted = false
    }

    private let state = Mutex(State())

    func set(_ task: Task<Void, Never>) {
        let isInterrupted = state.withLock { state in
            state.task = task
            return state.isInterrupted
        }
        if isInterrupted { task.cancel() }
    }

    func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            return state.task
        }?.cancel()
    }
}
