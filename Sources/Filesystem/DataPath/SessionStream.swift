import CFuse
import CLinux
import Glibc
import Library
import Synchronization
import SystemPackage

/// The stream of requests and replies between the kernel and libfuse, as libfuse would read and write
/// it, but for the reply to INIT: see `Passthrough`.
final class SessionStream: Sendable {
    /// libfuse's threads, at most.
    static let threads = 10

    private let listeners = RequestListeners(threads: threads)
    private let hasAnsweredInit = Atomic(false)
    /// The session's own device.
    private let device = Atomic<Int32>(-1)

    /// Makes a session read and write by this stream.
    func attach(to session: OpaquePointer) -> Bool {
        device.store(fuse_session_fd(session), ordering: .relaxed)
        var callbacks = Self.callbacks()
        return fuse_session_custom_io(session, &callbacks, fuse_session_fd(session)) == 0
    }

    private static func callbacks() -> fuse_custom_io {
        var callbacks = fuse_custom_io()
        callbacks.read = { device, buffer, size, user in
            let filesystem = Filesystem.behind(user)
            // libfuse may cancel its threads here, which must not happen in SQLite.
            var cancelling: Int32 = 0
            pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &cancelling)
            filesystem.library.useSpareTime()
            pthread_setcancelstate(cancelling, nil)
            return filesystem.stream.listeners.read(device, buffer!, size)
        }
        callbacks.writev = { device, parts, count, user in
            let filesystem = Filesystem.behind(user)
            return filesystem.stream.write(device, parts!, count, for: filesystem)
        }
        callbacks.splice_send = { input, inputOffset, output, outputOffset, size, flags, _ in
            splice(input, inputOffset, output, outputOffset, size, flags)
        }
        return callbacks
    }

    private func write(
        _ channel: Int32, _ parts: UnsafeMutablePointer<iovec>, _ count: Int32, for filesystem: Filesystem
    ) -> Int {
        // The first reply is the one to INIT, and nothing else is asked before it.
        if hasAnsweredInit.load(ordering: .relaxed) { return writev(channel, parts, count) }
        if count == 2, parts[1].iov_len >= MemoryLayout<fuse_init_out>.size {
            Passthrough.request(in: parts[1].iov_base.assumingMemoryBound(to: fuse_init_out.self))
        }
        let written = writev(channel, parts, count)
        if written > 0 {
            hasAnsweredInit.store(true, ordering: .relaxed)
            filesystem.passthrough.probe(device: device.load(ordering: .relaxed)) { () throws(Refusal) in
                try filesystem.library.unnamedFile()
            }
            if case .available = filesystem.passthrough.availability { filesystem.library.shareFiles() }
        }
        return written
    }
}
