import Foundation
import Glibc
import MountSupport
import SystemPackage
import Testing

/// A docfs that goes on until it is interrupted, with the lines that it has printed so far.
final class CommandStream: Sendable {
    private let process: pid_t
    private let output: FilePath
    private let errors: FilePath

    /// - Parameter variables: of the environment, beside those of the tests.
    init(_ device: Device, _ arguments: [String], variables: [String: String] = [:]) throws {
        let name = UUID().uuidString
        output = device.folder / "\(name).output"
        errors = device.folder / "\(name).errors"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.string, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.string, O_WRONLY | O_CREAT, 0o600)
        // A shell lets the programs of a background job ignore SIGINT, and threads of a test block it; both are inherited.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGINT)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words = ([try DocfsBinary.path.string] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        var settings = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { settings.forEach { free($0) } }
        let result = posix_spawn(&process, try DocfsBinary.path.string, &actions, &attributes, &words, &settings)
        guard result == 0 else { throw Errno(rawValue: result) }
        self.process = process
    }

    var lines: [String] { Self.lines(of: output) }

    var errorLines: [String] { Self.lines(of: errors) }

    private static func lines(of file: FilePath) -> [String] {
        ((try? file.text()) ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits until it has looked at everything and sleeps in poll(2).
    func waitUntilItPolls() async throws {
        try await eventually { try FilePath("/proc/\(process)/wchan").text().contains("poll") }
    }

    func expect(_ line: String, times: Int = 1) async throws {
        do { try await eventually { lines.count { $0 == line } >= times } } catch {
            Issue.record("not `\(line)`, but \(lines)")
            throw error
        }
    }

    /// - Returns: the exit status as a shell has it.
    @discardableResult
    func interrupt(by signal: Int32 = SIGINT) async throws -> Int32 {
        kill(process, signal)
        return try await end()
    }

    func end() async throws -> Int32 {
        var status: Int32 = 0
        try await eventually { waitpid(process, &status, WNOHANG) == process }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }
}
