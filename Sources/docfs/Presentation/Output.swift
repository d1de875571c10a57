import Foundation
import Glibc
import SystemPackage

/// Standard output. Each call is written at once, so that a reader of a stream sees each line when it happens.
enum Output {
    /// - Throws: where the output cannot be written. A reader that has closed its end of a pipe (`docfs ls | head`) has read enough: the
    ///   command ends with 0, whether SIGPIPE is ignored or not.
    static func write(_ text: String) throws { try write(bytes: Array(text.utf8)) }

    static func write(bytes: some Collection<UInt8>) throws {
        signal(SIGPIPE, SIG_IGN)
        do {
            try FileDescriptor.standardOutput.writeAll(bytes)
        } catch Errno.brokenPipe {
            exit(0)
        } catch {
            throw CommandFailure("cannot write the output: \(error)")
        }
    }

    /// Whether somebody may read it: a person, a file or a program, and no device such as `/dev/null`.
    static var isRead: Bool {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFCHR || isatty(STDOUT_FILENO) == 1
    }

    static func line(_ text: String) throws { try write(text + "\n") }

    /// One value, indented.
    static func json(_ value: some Encodable) throws {
        try write(try encoded(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n")
    }

    /// One value of a stream, on one line.
    static func jsonLine(_ value: some Encodable) throws {
        try write(try encoded(value, [.sortedKeys, .withoutEscapingSlashes]) + "\n")
    }

    private static func encoded(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
