import Glibc
import LinuxFiles
import SystemPackage

/// Reads a folder of the mount, in its order.
enum FolderContent {
    struct Entry {
        let name: String
        let isFolder: Bool
        var isLink = false
    }

    /// Without `.` and `..`.
    ///
    /// - Parameter count: no more than the first ones.
    static func entries(of folder: String, first count: Int = .max) throws -> [Entry] {
        do {
            let descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
            return try descriptor.closeAfter {
                try FolderRecord.first(count, in: descriptor).map { record in
                    Entry(
                        name: record.name, isFolder: record.type == Int32(DT_DIR),
                        isLink: record.type == Int32(DT_LNK))
                }
            }
        } catch {
            throw CommandFailure("cannot read the folder \(folder): \(error)")
        }
    }

    static func folders(in folder: String) throws -> [String] {
        try entries(of: folder).filter(\.isFolder).map(\.name)
    }
}
