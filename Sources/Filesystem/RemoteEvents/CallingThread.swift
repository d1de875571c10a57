import CLinux
import Dispatch
import Glibc
import Synchronization

/// A thread for system calls on our own mount, which shares no open file with the rest of the process.
///
/// When the process is killed, its FUSE device must be closed even though a call of this thread waits for an answer: a process
/// that waits for a request which was already read cannot die before the device is closed. The work that runs here must start no
/// threads, as libdispatch may: they would have no open files either.
final class CallingThread: Sendable {
    private let work = Mutex<(@Sendable () -> Void)?>(nil)
    private let given = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private let thread = Mutex<pthread_t?>(nil)
    private let isAlone = Mutex(false)
    /// The one open file that it keeps; -1 if none.
    private let kept = Mutex<Int32>(-1)

    /// - Parameter descriptor: of the one open file that it keeps, if any. The caller may close its own.
    /// - Returns: whether there is such a thread now.
    func start(keeping descriptor: Int32 = -1) -> Bool {
        kept.withLock { $0 = descriptor }
        let this = Unmanaged.passRetained(self)
        var started = pthread_t()
        let result = pthread_create(
            &started, nil,
            { this in
                Unmanaged<CallingThread>.fromOpaque(this!).takeRetainedValue().serve()
                return nil
            }, this.toOpaque())
        guard result == 0 else {
            this.release()
            return false
        }
        thread.withLock { $0 = started }
        done.wait()
        return isAlone.withLock { $0 }
    }

    /// Runs `body` on the thread and waits for it. Not from several threads at once.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let result = Result<Value>()
        work.withLock { work in
            work = {
                let value = body()
                result.value.withLock { $0 = value }
            }
        }
        given.signal()
        done.wait()
        work.withLock { $0 = nil }
        guard let value = result.value.withLock({ $0 }) else { preconditionFailure("the thread did not do its work") }
        return value
    }

    private final class Result<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// Ends the thread, which nobody uses any more. Does nothing where there is none.
    func end() {
        let ended = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let ended else { return }
        given.signal()
        pthread_join(ended, nil)
    }

    private func serve() {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        let isAlone = unshare(CLONE_FILES) == 0 && closeOthers(than: kept.withLock { $0 })
        self.isAlone.withLock { $0 = isAlone }
        done.signal()
        while true {
            given.wait()
            guard let body = work.withLock({ $0 }) else { return }
            body()
            done.signal()
        }
    }

    private func closeOthers(than kept: Int32) -> Bool {
        guard kept >= 3 else { return close_range(3, .max, 0) == 0 }
        return (kept == 3 || close_range(3, UInt32(kept) - 1, 0) == 0) && close_range(UInt32(kept) + 1, .max, 0) == 0
    }
}
