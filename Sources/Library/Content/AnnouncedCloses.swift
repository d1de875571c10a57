import Dispatch
import Synchronization

/// close(2) reaches a file system in two steps: the call itself and, once no descriptor is left, the
/// release, which the kernel sends without waiting for it. So that a state read right after a close
/// says `closed`, reading a state waits a moment for the releases that closes have announced.
final class AnnouncedCloses: Sendable {
    /// A close of one of several descriptors announces a release that does not come: not waited for longer.
    private static let patience = DispatchTimeInterval.milliseconds(10)

    private let announced = Mutex<Set<UInt64>>([])
    private let underWay = DispatchGroup()

    /// Some descriptor of a handle is being closed; it may have been the last.
    func announce(_ handle: UInt64) {
        if announced.withLock({ $0.insert(handle).inserted }) { underWay.enter() }
    }

    func happened(_ handle: UInt64) {
        if announced.withLock({ $0.remove(handle) != nil }) { underWay.leave() }
    }

    func settle() {
        guard announced.withLock({ !$0.isEmpty }) else { return }
        guard underWay.wait(timeout: .now() + Self.patience) == .timedOut else { return }
        let missing = announced.withLock { announced in
            defer { announced = [] }
            return announced
        }
        missing.forEach { _ in underWay.leave() }
    }
}
