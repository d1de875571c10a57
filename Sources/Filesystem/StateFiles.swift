import CFuse
import Catalog
import Synchronization

/// The open virtual state files: what each of them last said to its reader.
final class StateFiles: Sendable {
    struct OpenState {
        let inode: InodeNumber
        var text: [UInt8]
        /// Whether it says what it said at open, and nobody has read that yet.
        var isUnread = true
    }

    private struct Table {
        var states: [UInt64: OpenState] = [:]
        var last: UInt64 = 0
    }

    private let table = Mutex(Table())

    func add(_ inode: InodeNumber, text: String) -> UInt64 {
        table.withLock { table in
            table.last += 1
            table.states[table.last] = OpenState(inode: inode, text: Array(text.utf8))
            return table.last
        }
    }

    subscript(number: UInt64) -> OpenState? { table.withLock { $0.states[number] } }

    /// Reading from the start shows the state as it is now (as in sysfs), the first time as it was at open.
    ///
    /// - Returns: whether this is the first time.
    func beginReading(_ number: UInt64) -> Bool {
        table.withLock { table in
            defer { table.states[number]?.isUnread = false }
            return table.states[number]?.isUnread == true
        }
    }

    func renew(_ number: UInt64, text: String) {
        table.withLock { $0.states[number]?.text = Array(text.utf8) }
    }

    func remove(_ number: UInt64) {
        table.withLock { _ = $0.states.removeValue(forKey: number) }
    }
}

/// Those who wait in poll(2) for a state to change.
///
/// `@unchecked`: a poll handle is owned by this table from the moment it is added until it is
/// notified and destroyed, under the lock.
final class StatePolls: @unchecked Sendable {
    private let waiting = Mutex<[UInt64: UnsafeHandle]>([:])

    private struct UnsafeHandle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    var hasWaiting: Bool { waiting.withLock { !$0.isEmpty } }

    /// Remembers the handle by which to wake the pollers of one open state file.
    func add(_ handle: OpaquePointer, for number: UInt64) {
        let replaced = waiting.withLock { $0.updateValue(UnsafeHandle(pointer: handle), forKey: number) }
        if let replaced { fuse_pollhandle_destroy(replaced.pointer) }
    }

    /// Lets every poller ask again; those whose state did not change go on waiting.
    func wakeAll() {
        let handles = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        for handle in handles.values {
            _ = fuse_lowlevel_notify_poll(handle.pointer)
            fuse_pollhandle_destroy(handle.pointer)
        }
    }

    func remove(_ number: UInt64) {
        if let handle = waiting.withLock({ $0.removeValue(forKey: number) }) {
            fuse_pollhandle_destroy(handle.pointer)
        }
    }
}
