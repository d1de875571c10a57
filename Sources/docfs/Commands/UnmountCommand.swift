import ArgumentParser
import CLinux
import Filesystem
import Glibc
import SystemPackage

struct UnmountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount", abstract: "Unmount your documents.",
        discussion: "Returns when the mount is gone. Changes that the cloud does not have yet go out next time.")

    @Argument(help: "The mountpoint, or any path below it.")
    var mountpoint: String

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holding: mountpoint)
            guard let process = mount.process else {
                try Unmounting.detach(mount.mountpoint)  // the daemon is dead: only its mountpoint is left
                return
            }
            guard mount.isInOwnProcessNamespace else {
                throw CommandFailure(
                    "the mount at \(mount.mountpoint) belongs to another process namespace (a container?); unmount it there"
                )
            }
            let handle = try ProcessHandle(process)
            // Once more, now that the number cannot become another's: if it was the daemon's before, it is still.
            let isDaemon = mount.process == process
            // Something here may still use it, or another mount namespace hold it: the daemon ends all the same, within the
            // time it is given.
            _ = Unmounting.unmount(mount.mountpoint)
            if isDaemon { try handle.terminate() }
            guard handle.waitForEnd(seconds: 5) else {
                throw CommandFailure(
                    "the mount at \(mount.mountpoint) has not ended within 5 seconds (process \(process))")
            }
            if try MountTable.docfsMount(holding: mount.mountpoint)?.mountpoint == mount.mountpoint {
                try Unmounting.detach(mount.mountpoint)
            }
        }
    }
}

/// A process that is waited for without being a child; its number cannot be taken by another meanwhile.
private struct ProcessHandle {
    private let descriptor: Int32

    init(_ process: pid_t) throws {
        descriptor = pidfd_open(process, 0)
        if descriptor < 0, errno != ESRCH {
            throw CommandFailure("the mount's process \(process) cannot be watched: \(Errno(rawValue: errno))")
        }
    }

    /// Sends SIGTERM; that it has ended already is fine.
    func terminate() throws {
        guard descriptor >= 0, pidfd_send_signal(descriptor, SIGTERM, nil, 0) != 0, errno != ESRCH else { return }
        throw CommandFailure("the mount's process cannot be ended: \(Errno(rawValue: errno))")
    }

    /// - Returns: whether it ended in time.
    func waitForEnd(seconds: Int32) -> Bool {
        guard descriptor >= 0 else { return true }  // it has ended already
        defer { close(descriptor) }
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, seconds * 1000) > 0
    }
}
