import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// The output of a program and how it ended. A signal counts as in the shell, 128 and its number.
public struct ProgramResult: Sendable {
    public var standardOutput: String
    public var standardError: String
    public var exitStatus: Int32

    /// Standard output without its last newline, as `$(...)` has it.
    public var line: String {
        standardOutput.hasSuffix("\n") ? String(standardOutput.dropLast()) : standardOutput
    }

    public var lines: [String] {
        standardOutput.split(separator: "\n").map(String.init)
    }

    /// Standard error when it is exactly one line that says something.
    public var oneErrorLine: String? {
        let lines = standardError.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 2, lines[1].isEmpty, !lines[0].isEmpty else { return nil }
        return String(lines[0])
    }
}

public struct ProgramFailed: Error, CustomStringConvertible {
    public let command: String
    public let result: ProgramResult

    public var description: String {
        "`\(command)` ended with \(result.exitStatus): \(result.standardError)\(result.standardOutput)"
    }
}

/// Variables that make programs behave alike on every machine.
private let commonEnvironment: [Environment.Key: String?] = [
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
]

/// Runs a program to its end; any exit status is a result.
public func runProgram(
    _ program: String, _ arguments: [String], in folder: FilePath? = nil,
    environment: [String: String] = [:]
) async throws -> ProgramResult {
    var variables = commonEnvironment
    for (name, value) in environment {
        variables[Environment.Key(stringLiteral: name)] = value
    }
    let executable: Executable =
        if program.contains("/") {
            .path(FilePath(program))
        } else if environment["PATH"] == nil, let found = FoundPrograms.path(of: program) {
            .path(found)
        } else {
            .name(program)
        }
    let result = try await Subprocess.run(
        executable,
        arguments: Arguments(executablePathOverride: program, remainingValues: arguments),
        environment: .inherit.updating(variables),
        workingDirectory: folder,
        output: .string(limit: 1 << 24),
        error: .string(limit: 1 << 20))
    let exitStatus: Int32 =
        switch result.terminationStatus {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    return ProgramResult(
        standardOutput: result.standardOutput, standardError: result.standardError,
        exitStatus: exitStatus)
}

/// Where programs are. Each is looked for once: to go along PATH takes Subprocess milliseconds in a debug build.
public enum FoundPrograms {
    private static let paths = Mutex<[String: FilePath]>([:])

    /// - Returns: nil for one that is not on PATH.
    public static func path(of name: String) -> FilePath? {
        paths.withLock { paths in
            if let path = paths[name] { return path }
            let folders = getenv("PATH").map { String(cString: $0) } ?? ""
            let candidates = folders.split(separator: ":").map { "\($0)/\(name)" }
            paths[name] = candidates.first { access($0, X_OK) == 0 }.map { FilePath($0) }
            return paths[name]
        }
    }
}

/// Runs a script in `sh -e`, so that its first failure ends it, and throws unless it ends with the
/// status expected of it.
@discardableResult
public func runShell(
    _ script: String, in folder: FilePath? = nil, environment: [String: String] = [:],
    exitStatus: Int32 = 0
) async throws -> ProgramResult {
    let result = try await runProgram("sh", ["-ec", script], in: folder, environment: environment)
    guard result.exitStatus == exitStatus else {
        throw ProgramFailed(command: script, result: result)
    }
    return result
}
