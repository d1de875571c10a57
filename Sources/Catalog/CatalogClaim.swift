import Glibc
import Synchronization

/// The right of one `Catalog` to a file within this process. SQLite keeps other processes out.
final class CatalogClaim: Sendable {
    private struct File: Hashable {
        let device: dev_t
        let inode: ino_t
    }

    private static let claimed = Mutex<Set<File>>([])
    private let file: File

    /// - Throws: `CatalogError` if a catalog of this process has it.
    init(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CatalogError.failed("cannot look at \(path): errno \(errno)") }
        let file = File(device: status.st_dev, inode: status.st_ino)
        guard Self.claimed.withLock({ $0.insert(file).inserted }) else {
            throw CatalogError.failed("\(path) is open in this process")
        }
        self.file = file
    }

    deinit { _ = Self.claimed.withLock { $0.remove(file) } }
}
