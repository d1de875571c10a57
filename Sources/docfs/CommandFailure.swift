import ArgumentParser
import Glibc

/// Ends a command with one line on standard error and exit status 1 (Semantics, "The command").
struct CommandFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }

    /// The error of a call that looked a path up; errno says why it failed.
    static func notFound(_ path: String) -> CommandFailure {
        CommandFailure("\(path) cannot be found: \(String(cString: strerror(errno)))")
    }

    /// Runs the body of a command. Prints an error that it throws, and exits with status 1.
    static func reported(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as ExitCode {
            throw error
        } catch let failure as CommandFailure {
            print(error: failure.message)
            throw ExitCode.failure
        } catch {
            print(error: "\(error)")
            throw ExitCode.failure
        }
    }

    static func print(error: String) {
        let line = Array("docfs: \(error)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
