import CLinux
import Glibc
import SystemPackage

/// docfs's own files in the store tell names and more of all documents, whatever the modes of these are: only the owner may
/// read them, whatever the mode of the store's folder is.
extension BackingStore {
    /// All that stands beside `local` and `cloud`, which are the person's. A new one is made with mode 0600.
    private static let ownFiles =
        ["lock", "docfs.log", "clean", "reserve"]
        + ["catalog.sqlite", "reunion.sqlite"].flatMap { name in ["", "-wal", "-shm", "-journal"].map { name + $0 } }
    private static let ownFolders = ["staging"]

    /// Gives those that are there modes 0600 and 0700: an older docfs, a backup or a person may have left others. Only before the
    /// catalog is opened: closing a file of SQLite's drops its locks.
    ///
    /// - Returns: those whose mode cannot be changed, as on a file system without modes.
    package func makeOwnFilesPrivate() -> [(name: String, error: Errno)] {
        let wanted =
            Self.ownFiles.map { ($0, S_IFREG, mode_t(0o600)) } + Self.ownFolders.map { ($0, S_IFDIR, mode_t(0o700)) }
        return wanted.compactMap { name, type, mode in
            do throws(Errno) {
                try makePrivate(name, type, mode)
                return nil
            } catch { return (name, error) }
        }
    }

    private func makePrivate(_ name: String, _ type: mode_t, _ mode: mode_t) throws(Errno) {
        guard root.exists(name) else { return }
        let status = try root.status(name)
        guard status.st_mode & S_IFMT == type, status.st_mode & 0o7777 != mode else { return }
        // By a descriptor, since a name could be a link by now.
        let file = try root.openFile(name, O_RDONLY | O_NONBLOCK)
        _ = try Descriptor.check { fchmod(file.number, mode) }
    }
}
