import CLinux
import Glibc

/// Reads a folder of the mount, in its order.
enum FolderContent {
    struct Entry {
        let name: String
        let isFolder: Bool
        var isLink = false
    }

    /// Without `.`, `..` and state files.
    static func entries(of folder: String) throws -> [Entry] {
        guard let stream = opendir(folder) else { throw unreadable(folder) }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw unreadable(folder) }
                return entries
            }
            let name = String(cString: docfs_dirent_name(entry))
            if [".", "..", ".state"].contains(name) { continue }
            let type = Int(entry.pointee.d_type)
            entries.append(Entry(name: name, isFolder: type == DT_DIR, isLink: type == DT_LNK))
        }
    }

    static func folders(in folder: String) throws -> [String] {
        try entries(of: folder).filter(\.isFolder).map(\.name)
    }

    private static func unreadable(_ folder: String) -> CommandFailure {
        CommandFailure("cannot read the folder \(folder): \(String(cString: strerror(errno)))")
    }
}
