import CLinux
import Glibc
import SystemPackage

/// Unmounts by umount(2) if that is permitted, else by fusermount3.
enum Unmounting {
    /// - Returns: false if a program still uses the mount.
    static func unmount(_ path: String) -> Bool {
        if umount2(path, 0) == 0 { return true }
        return errno == EPERM && runFusermount(["-u", path])
    }

    /// Detaches the mountpoint, even while programs use the mount.
    static func detach(_ path: String) throws {
        if umount2(path, Int32(MNT_DETACH)) == 0 || runFusermount(["-u", "-z", path]) { return }
        throw CommandFailure("cannot remove the mount at \(path): \(Errno(rawValue: errno))")
    }

    private static func runFusermount(_ arguments: [String]) -> Bool {
        var words = (["fusermount3"] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        guard posix_spawnp(&process, "fusermount3", &actions, nil, &words, environ) == 0 else { return false }
        var status: Int32 = 0
        return waitpid(process, &status, 0) == process && status == 0
    }
}
