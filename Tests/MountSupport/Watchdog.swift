import Dispatch
import Synchronization

/// Acts when a test has hung. A system call that never returns holds its thread and knows no
/// cancellation, so this one waits outside Swift's thread pool.
public final class Watchdog: Sendable {
    private let calledOff = Mutex(false)

    public init(after limit: DispatchTimeInterval, _ action: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) {
            if !self.calledOff.withLock({ $0 }) { action() }
        }
    }

    public func callOff() {
        calledOff.withLock { $0 = true }
    }
}
