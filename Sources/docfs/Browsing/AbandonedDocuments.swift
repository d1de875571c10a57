import Glibc
import LinuxFiles
import Synchronization
import SystemPackage

/// Scratch files of documents that never came whole because the server was killed. Each is locked (flock(2)) by who receives it, and the kernel
/// takes the lock away with the process: so one without a lock is nobody's.
final class AbandonedDocuments: Sendable {
    static let prefix = ".docfs-add-"
    static let suffix = ".tmp"

    private struct Folder: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// Those that were looked through.
    private let folders = Mutex<Set<Folder>>([])

    /// Removes them from a folder to which something is added, the first time.
    func remove(from folder: FileDescriptor) {
        var status = stat()
        guard fstat(folder.rawValue, &status) == 0,
            folders.withLock({ $0.insert(Folder(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))).inserted }
            )
        else { return }
        let listed = openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { return }
        defer { close(listed) }
        // Where it cannot be read, nothing can be added either, which the person is told.
        let names = (try? FolderRecord.all(in: FileDescriptor(rawValue: listed)).map(\.name)) ?? []
        for name in names where name.hasPrefix(Self.prefix) && name.hasSuffix(Self.suffix) {
            let file = openat(listed, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { unlinkat(listed, name, 0) }
        }
    }
}
