import Documents
import CFuse
import CLinux
import Dispatch
import Glibc
import Synchronization

/// Makes the kernel ask anew what a name means. It is the one notification for which the kernel takes a folder's lock, so it is sent by a
/// thread that shares no open file with the rest of the process, over a device descriptor of its own.
///
/// Otherwise a kill could leave a mount that never ends: a program's setxattr(2), which nobody answers any more, holds the file's lock; the
/// reenacting thread holds the folder's lock and waits for the file's; this notification waits for the folder's lock. The process
/// cannot die before it returns, and as long as it has the device open, the program waits for its answer.
final class NameExpiry: Sendable {
    private struct Sender {
        let thread: CallingThread
        /// A clone of the session's device, open in the thread only.
        let device: Int32
    }

    private let sender = Mutex<Sender?>(nil)
    /// The thread does one thing at a time.
    private let queue = DispatchQueue(label: "docfs.name-expiry")

    /// - Parameter session: the descriptor of the session's device.
    /// - Returns: false if the kernel allows no such thread or descriptor.
    func start(cloning session: Int32) -> Bool {
        let device = docfs_clone_device(session)
        guard device >= 0 else { return false }
        let thread = CallingThread()
        let isAlone = thread.start(keeping: device)
        close(device)
        guard isAlone else {
            thread.end()
            return false
        }
        sender.withLock { $0 = Sender(thread: thread, device: device) }
        return true
    }

    /// Must not be called within a request that holds the folder's lock.
    ///
    /// - Returns: false before `start` and after `end`.
    func expire(_ name: String, in folder: InodeNumber) -> Bool {
        queue.sync {
            guard let sender = sender.withLock({ $0 }) else { return false }
            // ENOENT means that the kernel did not know the name: nothing to do.
            _ = sender.thread.run {
                Self.message(name, in: folder).withUnsafeBytes { write(sender.device, $0.baseAddress, $0.count) }
            }
            return true
        }
    }

    func end() {
        queue.sync {
            let last = sender.withLock { sender in
                defer { sender = nil }
                return sender
            }
            last?.thread.end()
        }
    }

    /// FUSE_NOTIFY_INVAL_ENTRY with FUSE_EXPIRE_ONLY, as `<linux/fuse.h>` lays it out.
    static func message(_ name: String, in folder: InodeNumber) -> [UInt8] {
        let name = Array(name.utf8)
        var message: [UInt8] = []
        func append<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value) { message.append(contentsOf: $0) }
        }
        append(UInt32(16 + 16 + name.count + 1))
        append(Int32(3))
        append(UInt64(0))
        append(UInt64(bitPattern: folder.number))
        append(UInt32(name.count))
        append(UInt32(1))
        return message + name + [0]
    }
}
