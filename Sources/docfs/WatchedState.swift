import Documents
import Glibc
import SystemPackage

/// The state of a document or a folder, open so that changes of it can be waited for (poll(2)).
final class WatchedState {
    private let file: Int32
    private let path: String

    /// By the reserved name, because `F.state` may be a document.
    ///
    /// - Parameter isFolder: `Documents` has the state of the whole mount.
    init(of path: String, isFolder: Bool = false) throws {
        self.path = path
        guard let real = realpath(path, nil) else {
            throw CommandFailure("\(path) cannot be found: \(Errno(rawValue: errno))")
        }
        defer { free(real) }
        var name = UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
        if isFolder { name.append(UInt8(ascii: "/")) }
        name += ReservedStateName.suffix + [0]
        file = open(name.map { CChar(bitPattern: $0) }, O_RDONLY | O_CLOEXEC)
        if file < 0 { throw CommandFailure("the state of \(path) cannot be read: \(Errno(rawValue: errno))") }
    }

    deinit { close(file) }

    /// The lines as they are now. A key may have several.
    func readLines() throws -> [(key: String, value: String)] {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = pread(file, &bytes, bytes.count, 0)
        if count < 0 { throw CommandFailure("the state of \(path) cannot be read: \(Errno(rawValue: errno))") }
        return StateText(String(decoding: bytes.prefix(count), as: UTF8.self)).pairs
    }

    func read() throws -> [String: String] {
        Dictionary(try readLines().map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// Waits until one of them says something new, for a second at most.
    static func waitForChange(of states: [WatchedState]) {
        if states.isEmpty { return }
        var descriptors = states.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
        _ = poll(&descriptors, nfds_t(descriptors.count), 1000)
    }
}
