import Documents
import Glibc
import LinuxFiles
import SystemPackage

/// A state file held open. poll(2) reports POLLPRI on it when what it says has changed; reading it again from the start answers that.
final class OpenStateFile {
    let descriptor: Int32
    /// For errors.
    private let subject: String

    /// The state of a document.
    convenience init(ofDocument path: String) throws {
        let subject = "the state of \(path)"
        // The state of a symbolic link's target lies beside the target.
        guard let real = realpath(path, nil) else { throw Self.unreadable(subject) }
        defer { free(real) }
        let base = UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
        try self.init(at: base + ReservedStateName.suffix, describedAs: subject)
    }

    /// The state of a folder. That of `Documents` is the state of the whole mount.
    convenience init(ofFolder path: String) throws {
        try self.init(
            at: Array(path.utf8) + [UInt8(ascii: "/")] + ReservedStateName.suffix, describedAs: "the state of \(path)")
    }

    /// - Parameters:
    ///   - path: a reserved name, because `F.state` may be a document.
    ///   - subject: what the file says, for errors.
    init(at path: [UInt8], describedAs subject: String) throws {
        self.subject = subject
        descriptor = Glibc.open((path + [0]).map { CChar(bitPattern: $0) }, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(subject) }
    }

    deinit { close(descriptor) }

    /// The text that it has now.
    func text() throws -> String {
        let pieceLength = 65536
        var all: [UInt8] = []
        do throws(Errno) {
            while true {
                let piece = try FileDescriptor(rawValue: descriptor).bytes(at: Int64(all.count), count: pieceLength)
                all += piece
                if piece.count < pieceLength { return String(decoding: all, as: UTF8.self) }
            }
        } catch { throw Self.unreadable(subject, error) }
    }

    private static func unreadable(_ subject: String, _ error: Errno = Errno(rawValue: errno)) -> CommandFailure {
        CommandFailure("cannot read \(subject): \(error)")
    }
}

/// Reads the state of a document.
func readState(ofDocument path: String) throws -> String { try OpenStateFile(ofDocument: path).text() }

/// Reads the state of a folder. The state of `Documents` is that of the whole mount.
func readState(ofFolder path: String) throws -> String { try OpenStateFile(ofFolder: path).text() }
