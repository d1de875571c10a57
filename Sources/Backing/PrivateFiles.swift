import CLinux
import Glibc
import SystemPackage

/// docfs's own files in the store contain the names of all documents, even of those that other users may not read. Only the owner may read
/// these files, whatever the mode of the store's folder.
extension BackingStore {
    /// All files beside the folders `local` and `cloud`, which belong to the person. New ones are created with mode 0600.
    private static let ownFiles =
        [
            "lock", "docfs.log", "clean", "reserve", "options.json", "options.json.new", "cloud-keys.json",
            "cloud-keys.json.new",
        ]
        + ["catalog.sqlite", "reunion.sqlite"].flatMap { name in ["", "-wal", "-shm", "-journal"].map { name + $0 } }
    private static let ownFolders = ["staging", "trash"]

    /// Gives existing ones modes 0600 and 0700: an older docfs, a backup or a person may have given them others. To be called before the
    /// catalog is opened, because closing any descriptor of an SQLite file drops SQLite's locks on it.
    ///
    /// - Returns: the files whose mode cannot be changed, for example on a file system without modes.
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
        guard try root.exists(name) else { return }
        let status = try root.status(name)
        guard status.st_mode & S_IFMT == type, status.st_mode & 0o7777 != mode else { return }
        // With a descriptor, because the name could be a symbolic link by now.
        let file = try root.openFile(name, O_RDONLY | O_NONBLOCK)
        _ = try Descriptor.check { fchmod(file.number, mode) }
    }
}
