import Ciphers
import CLinux
import Encryption
import Glibc
import SystemPackage

/// Starts the mount in a background process and waits until it is ready.
///
/// A Swift process cannot fork safely. So docfs runs its own program again with `--foreground` in a new session. That process
/// reports through a pipe: `ready`, or an error message.
enum BackgroundMount {
    /// - Throws: `MissingPassphrase`, or `CommandFailure` with the reason.
    static func start(arguments: [String], passphrase: Passphrase?) throws -> MountNews {
        let pipe: ReportPipe
        do throws(Errno) { pipe = try ReportPipe() } catch {
            throw CommandFailure("cannot create a pipe to the mounting process: \(error)")
        }
        let own = ["--foreground", "--ready-descriptor", "3"]
        let secret = try passphrase.map { try Self.pipe(holding: $0) }
        defer { if let secret { close(secret) } }
        let process = try spawn(
            arguments + own + (secret == nil ? [] : ["--passphrase-descriptor", "4"]), reportTo: pipe.writing,
            secret: secret)
        let report = pipe.report()
        let lines = report.split(separator: "\n")
        if lines.first == ReadinessReport.readyWord[...] { return MountNews(lines.dropFirst()) }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        if let missing = MissingPassphrase(rawValue: report) { throw missing }
        throw CommandFailure(
            report.isEmpty ? "the mounting process ended before it was ready; see docfs.log in the store" : report)
    }

    /// The reading end of a pipe in which a passphrase is.
    private static func pipe(holding passphrase: Passphrase) throws -> Int32 {
        let pipe: ReportPipe
        do throws(Errno) { pipe = try ReportPipe() } catch {
            throw CommandFailure("cannot create a pipe to the mounting process: \(error)")
        }
        // Shorter than any pipe holds.
        var line = Array((passphrase.text + "\n").utf8)
        _ = line.withUnsafeBytes { write(pipe.writing, $0.baseAddress, $0.count) }
        line.overwrite()
        close(pipe.writing)
        return pipe.reading
    }

    /// A copy whose number is none that the new process gets.
    private static func movedAway(_ descriptor: Int32) throws(CommandFailure) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 8)
        guard copy >= 0 else {
            throw CommandFailure("cannot hand a pipe to the mounting process: \(Errno(rawValue: errno))")
        }
        return copy
    }

    private static func spawn(_ arguments: [String], reportTo descriptor: Int32, secret: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for standard in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
        }
        // Each may stand where the other is to go.
        let moved = try [descriptor, secret].compactMap { try $0.map(Self.movedAway) }
        defer { moved.forEach { close($0) } }
        for (place, descriptor) in zip(Int32(3)..., moved) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, place)
        }
        // The process outlives the caller and must not keep any of its other descriptors open.
        posix_spawn_file_actions_addclosefrom_np(&actions, Int32(3 + moved.count))
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

    /// - Returns: false where no process waits any more. It was ended, for example with Ctrl-C.
    func ready(_ news: MountNews) -> Bool { say(Self.readyWord + "\n" + news.lines) }

    /// Who does not wait any more cannot be told.
    func failed(_ reason: String) { _ = say(reason) }

    private func say(_ words: String) -> Bool {
        guard let descriptor else { return true }
        defer { close(descriptor) }
        let bytes = Array(words.utf8)
        return bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count
    }
}
