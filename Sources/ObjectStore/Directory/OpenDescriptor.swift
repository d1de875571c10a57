import CLinux
import Glibc
import SystemPackage

/// A folder or file of the container that is open, closed when the last reference to it goes.
///
/// Names are used in a folder that is open, so that no symbolic link can be on the way to them.
final class OpenDescriptor: Sendable {
    let number: Int32

    /// Takes ownership of `number`.
    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens what lies below this folder.
    ///
    /// - Parameters:
    ///   - path: relative, and without `..`.
    ///   - mode: of the file that O_CREAT makes; else 0.
    /// - Throws: ELOOP where a symbolic link is on the way, or at the end (but for O_PATH | O_NOFOLLOW, which opens the link
    ///   itself); ENOSYS before Linux 5.6.
    func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(Errno) -> OpenDescriptor {
        let opened = docfs_open_linkless(number, path, UInt64(flags | O_CLOEXEC), mode)
        guard opened >= 0 else { throw Errno(rawValue: errno) }
        return OpenDescriptor(opened)
    }

    func status() throws(Errno) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw Errno(rawValue: errno) }
        return status
    }

    /// The status of a name in this folder; for a symbolic link, that of the link itself.
    func status(of name: String) throws(Errno) -> stat {
        var status = stat()
        guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw Errno(rawValue: errno) }
        return status
    }

    /// - Returns: false where the name exists.
    func makeFolder(_ name: String) throws(Errno) -> Bool {
        if mkdirat(number, name, 0o700) == 0 { return true }
        if errno == EEXIST { return false }
        throw Errno(rawValue: errno)
    }

    /// Removes a file, or a link and not what it points to.
    func removeFile(_ name: String) throws(Errno) {
        if unlinkat(number, name, 0) != 0 { throw Errno(rawValue: errno) }
    }

    func removeFolder(_ name: String) throws(Errno) {
        if unlinkat(number, name, AT_REMOVEDIR) != 0 { throw Errno(rawValue: errno) }
    }

    func synchronize(dataOnly: Bool = false) throws(Errno) {
        if (dataOnly ? fdatasync(number) : fsync(number)) != 0 { throw Errno(rawValue: errno) }
    }
}

extension stat {
    var isPlainFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// A name in an open folder.
struct FolderName {
    let folder: OpenDescriptor
    let name: String
}
