import CFuse
import Synchronization

/// The readers that wait in poll(2) for a state to change.
///
/// A poll handle is owned by this table from the moment it is added until it is destroyed.
final class StatePolls: Sendable {
    /// `@unchecked`: used by one thread at a time, the one that took it out of the table.
    private struct PollHandle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let waiting = Mutex<[UInt64: PollHandle]>([:])
    private let wake: @Sendable (OpaquePointer) -> Void
    private let destroy: @Sendable (OpaquePointer) -> Void

    /// - Parameters:
    ///   - wake: makes the poller of a handle ask again.
    ///   - destroy: frees a handle.
    init(
        wake: @escaping @Sendable (OpaquePointer) -> Void = { _ = fuse_lowlevel_notify_poll($0) },
        destroy: @escaping @Sendable (OpaquePointer) -> Void = { fuse_pollhandle_destroy($0) }
    ) {
        self.wake = wake
        self.destroy = destroy
    }

    var hasWaiting: Bool { waiting.withLock { !$0.isEmpty } }

    /// Remembers the handle by which to wake the pollers of one open state file.
    func add(_ handle: OpaquePointer, for number: UInt64) {
        let replaced = waiting.withLock { $0.updateValue(PollHandle(pointer: handle), forKey: number) }
        if let replaced { destroy(replaced.pointer) }
    }

    /// Lets every poller ask again; those whose state did not change go on waiting.
    func wakeAll() {
        let handles = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        for handle in handles.values {
            wake(handle.pointer)
            destroy(handle.pointer)
        }
    }

    func remove(_ number: UInt64) {
        if let handle = waiting.withLock({ $0.removeValue(forKey: number) }) { destroy(handle.pointer) }
    }
}
