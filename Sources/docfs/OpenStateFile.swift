import Documents
import Glibc
import SystemPackage

/// A state file held open. poll(2) reports POLLPRI on it when what it says has changed; reading it again from the start answers that.
final class OpenStateFile {
    let descriptor: Int32
    private let path: String

    /// The state of a document.
    init(ofDocument path: String) throws {
        self.path = path
        // The state of a symbolic link's target lies beside the target.
        guard let real = realpath(path, nil) else { throw Self.unreadable(path) }
        defer { free(real) }
        descriptor = try Self.open(
            path, at: UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) })
    }

    /// The state of a folder. That of `Documents` is the state of the whole mount.
    init(ofFolder path: String) throws {
        self.path = path
        descriptor = try Self.open(path, at: Array(path.utf8) + [UInt8(ascii: "/")])
    }

    deinit { close(descriptor) }

    /// Uses the reserved name, because `F.state` may be a document.
    private static func open(_ path: String, at base: [UInt8]) throws -> Int32 {
        let name = (base + ReservedStateName.suffix + [0]).map { CChar(bitPattern: $0) }
        let descriptor = Glibc.open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        return descriptor
    }

    /// What it says now.
    func text() throws -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(all.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path) }
            if count == 0 { return String(decoding: all, as: UTF8.self) }
            all += buffer.prefix(count)
        }
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure("cannot read the state of \(path): \(Errno(rawValue: errno))")
    }
}

/// Reads the state of a document.
func readState(ofDocument path: String) throws -> String { try OpenStateFile(ofDocument: path).text() }

/// Reads the state of a folder. The state of `Documents` is that of the whole mount.
func readState(ofFolder path: String) throws -> String { try OpenStateFile(ofFolder: path).text() }
