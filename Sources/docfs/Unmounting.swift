import CLinux
import Glibc
import SystemPackage

/// Unmounts by umount(2) if that is permitted, else by fusermount3.
enum Unmounting {
    /// - Returns: false if a program still uses the mount.
    static func unmount(_ path: String) -> Bool {
        if umount2(path, 0) == 0 { return true }
        return errno == EPERM && Fusermount.run(["-u", path]) == nil
    }

    /// Detaches the mountpoint, even while programs use the mount.
    static func detach(_ path: String) throws {
        if umount2(path, Int32(MNT_DETACH)) == 0 { return }
        let error = Errno(rawValue: errno)
        if error != .notPermitted { throw CommandFailure("cannot remove the mount at \(path): \(error)") }
        if let complaint = Fusermount.run(["-u", "-z", path]) {
            throw CommandFailure("cannot remove the mount at \(path): \(complaint)")
        }
    }
}

/// Runs fusermount3, which may unmount what an ordinary user has mounted.
enum Fusermount {
    private static let program = "fusermount3"

    /// - Returns: nil if it did what it was asked, else why it did not, on one line.
    static func run(_ arguments: [String]) -> String? {
        let pipe: ReportPipe
        do throws(Errno) { pipe = try ReportPipe() } catch { return "cannot create a pipe: \(error)" }
        var process: pid_t = 0
        let result = spawn(arguments, reportingTo: pipe, &process)
        let words = pipe.report()
        if result != 0 { return "\(program) cannot be started: \(Errno(rawValue: result))" }
        var status: Int32 = 0
        return waitpid(process, &status, 0) == process && status == 0 ? nil : complaint(words)
    }

    /// The last line that it wrote says why it gave up.
    static func complaint(_ words: String) -> String {
        words.split(separator: "\n").last.map { $0.hasPrefix(program) ? String($0) : "\(program): \($0)" }
            ?? "\(program) has failed and does not say why"
    }

    private static func spawn(_ arguments: [String], reportingTo pipe: ReportPipe, _ process: inout pid_t) -> Int32 {
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe.writing, STDERR_FILENO)
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        return posix_spawnp(&process, program, &actions, nil, &words, environ)
    }
}
