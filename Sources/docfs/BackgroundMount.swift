import CLinux
import Glibc
import SystemPackage

/// Starts the mount in a background process and waits until it is ready.
///
/// A Swift process cannot fork safely. So docfs runs its own program again with `--foreground` in a new session. That process
/// reports through a pipe: `ready`, or an error message.
enum BackgroundMount {
    static func start(arguments: [String]) throws {
        let pipe: ReportPipe
        do throws(Errno) { pipe = try ReportPipe() } catch {
            throw CommandFailure("cannot create a pipe to the mounting process: \(error)")
        }
        let process = try spawn(arguments + ["--foreground", "--ready-descriptor", "3"], reportTo: pipe.writing)
        let report = pipe.report()
        if report == ReadinessReport.readyWord { return }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        throw CommandFailure(
            report.isEmpty ? "the mounting process ended before it was ready; see docfs.log in the store" : report)
    }

    private static func spawn(_ arguments: [String], reportTo descriptor: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for standard in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
        }
        // The process outlives the caller and must not keep any of its other descriptors open.
        posix_spawn_file_actions_adddup2(&actions, descriptor, 3)
        posix_spawn_file_actions_addclosefrom_np(&actions, 4)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID))
        var words = (["docfs"] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &words, environ)
        guard result == 0 else { throw CommandFailure("docfs cannot start itself: \(Errno(rawValue: result))") }
        return process
    }
}

/// Reports from the mounting process to the process that waits for it.
struct ReadinessReport {
    static let readyWord = "ready"

    /// Nil in the foreground, where no process waits.
    let descriptor: Int32?

    func ready() { say(Self.readyWord) }

    func failed(_ reason: String) { say(reason) }

    private func say(_ words: String) {
        guard let descriptor else { return }
        _ = Array(words.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }
}
