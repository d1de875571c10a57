import Foundation
import Glibc
import SystemPackage

/// The person's program that shows differences: `$DIFF`, else `diff -u`.
enum DifferenceProgram {
    /// - Throws: if the program fails. That the files differ is no failure.
    static func run(_ old: String, _ new: String) throws {
        let named = ProcessInfo.processInfo.environment["DIFF"] ?? ""
        let program = named.isEmpty ? "diff -u" : named
        // The shell splits the words of `$DIFF`.
        var words: [UnsafeMutablePointer<CChar>?] =
            ["sh", "-c", "\(program) \"$@\"", "sh", old, new].map { (word: String) in strdup(word) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, "sh", nil, nil, &words, environ)
        guard result == 0 else { throw CommandFailure("cannot run \(program): \(Errno(rawValue: result))") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw CommandFailure("cannot wait for \(program): \(Errno(rawValue: errno))") }
        }
        // 0: equal, 1: different. A reader that has read enough ends it by SIGPIPE.
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
        guard [0, 1, 128 + SIGPIPE].contains(code) else { throw CommandFailure("\(program) ended with status \(code)") }
    }
}
