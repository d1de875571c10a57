import CLinux
import Filesystem
import Glibc
import SystemPackage

/// Ends a mount, and waits until its daemon has ended.
enum MountEnding {
    /// - Parameters:
    ///   - evenInUse: whether programs that use the mount are left without it. Otherwise it then goes on.
    ///   - seconds: how long to wait for the daemon.
    static func end(_ mount: MountedTree, evenInUse: Bool, within seconds: Int32 = 5) throws {
        guard let process = mount.process else {
            return try Unmounting.detach(mount.mountpoint)  // the daemon has died; only the mountpoint is left
        }
        guard mount.isInOwnProcessNamespace else {
            throw CommandFailure(
                "the mount at \(mount.mountpoint) belongs to another process namespace (a container?); unmount it there"
            )
        }
        let handle = try ProcessHandle(process)
        // The handle is open, so the process id can no longer be reused. Check once more that it is the daemon's.
        let isDaemon = mount.process == process
        // This fails if a program still uses the mount. The daemon is then ended by SIGTERM, and its mountpoint detached
        // below.
        if !Unmounting.unmount(mount.mountpoint), !evenInUse {
            throw CommandFailure(
                "a program uses the mount at \(mount.mountpoint); close its files, leave its folders, and try again")
        }
        if isDaemon { try handle.terminate() }
        guard handle.waitForEnd(seconds: seconds) else {
            throw CommandFailure(
                "the mount at \(mount.mountpoint) has not ended within \(seconds) seconds; process \(process) is still running"
            )
        }
        if try MountTable.docfsMount(holding: mount.mountpoint)?.mountpoint == mount.mountpoint {
            try Unmounting.detach(mount.mountpoint)
        }
    }
}

/// Waits for a process that is not a child. While the handle is open, the process id cannot be reused.
private struct ProcessHandle {
    private let descriptor: Int32

    init(_ process: pid_t) throws {
        descriptor = pidfd_open(process, 0)
        if descriptor < 0, errno != ESRCH {
            throw CommandFailure("cannot wait for the mount's process \(process): \(Errno(rawValue: errno))")
        }
    }

    /// Sends SIGTERM. It is no error if the process has ended already.
    func terminate() throws {
        guard descriptor >= 0, pidfd_send_signal(descriptor, SIGTERM, nil, 0) != 0, errno != ESRCH else { return }
        throw CommandFailure("cannot end the mount's process: \(Errno(rawValue: errno))")
    }

    /// - Returns: whether it ended in time.
    func waitForEnd(seconds: Int32) -> Bool {
        guard descriptor >= 0 else { return true }  // it has ended already
        defer { close(descriptor) }
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, seconds * 1000) > 0
    }
}
