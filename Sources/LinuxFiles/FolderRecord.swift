import CLinux
import Glibc
import SystemPackage

/// A name in a folder, as readdir(3) reports it.
package struct FolderRecord: Sendable {
    /// UTF-8; never `.` or `..`.
    package let name: String
    /// DT_DIR and so on; DT_UNKNOWN on file systems that do not report types.
    package let type: Int32

    package init(name: String, type: Int32) {
        self.name = name
        self.type = type
    }
}

extension FolderRecord {
    /// Reads an open folder from its current position to its end. `.`, `..` and names that are not UTF-8 are left out: docfs
    /// never writes such names. Blocks.
    package static func all(in folder: FileDescriptor) throws(Errno) -> [FolderRecord] {
        try first(.max, in: folder)
    }

    /// As `all`, and no more than so many.
    package static func first(_ count: Int, in folder: FileDescriptor) throws(Errno) -> [FolderRecord] {
        // closedir closes the descriptor that the stream was opened with, so it gets one of its own.
        let reading = fcntl(folder.rawValue, F_DUPFD_CLOEXEC, 0)
        guard reading >= 0 else { throw Errno(rawValue: errno) }
        guard let stream = fdopendir(reading) else {
            let failure = Errno(rawValue: errno)
            close(reading)
            throw failure
        }
        defer { closedir(stream) }
        var records: [FolderRecord] = []
        while records.count < count {
            errno = 0
            guard let entry = readdir(stream) else {
                // A listing that failed must not look like a complete one.
                if errno != 0 { throw Errno(rawValue: errno) }
                break
            }
            guard let start = docfs_dirent_name(entry) else { continue }
            let bytes = UnsafeRawBufferPointer(start: start, count: strlen(start))
            guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".." else { continue }
            records.append(FolderRecord(name: name, type: Int32(entry.pointee.d_type)))
        }
        return records
    }
}
