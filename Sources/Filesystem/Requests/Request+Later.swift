import Library
import CFuse
import Logging
import Synchronization
import SystemPackage

/// Answers that must wait, for content that is not here. They hold neither a FUSE thread nor a
/// directory, and end with EINTR when the caller is interrupted.
extension Request {
    func answer(later body: @escaping @Sendable () async throws(Refusal) -> Reply) {
        let refusals = filesystem.refusals
        // The C strings of the names are freed before the task runs.
        let (inode, subject) = (subject.inode, subject.description)
        let interruption = Interruption()
        // Registered before the task starts, so that an earlier interrupt is not missed.
        let box = Unmanaged.passRetained(interruption)
        fuse_req_interrupt_func(
            pointer, { _, box in Unmanaged<Interruption>.fromOpaque(box!).takeUnretainedValue().interrupt() },
            box.toOpaque())
        let task = Task {
            let result: Result<Reply, Refusal>
            do throws(Refusal) {
                result = .success(try await body())
            } catch {
                result = .failure(Task.isCancelled ? .interrupted : error)
            }
            // Waits for an interrupt that is being delivered; after it none can come.
            fuse_req_interrupt_func(pointer, nil, nil)
            box.release()
            switch result {
            case .success(let reply):
                send(reply)
            case .failure(let error):
                refusals.log(error, of: inode) { subject }
                refuse(error)
            }
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
