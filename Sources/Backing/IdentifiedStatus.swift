import CLinux
import Catalog
import Documents
import Glibc
import SystemPackage

/// The result of statx(2): the attributes of a file, with its birth time.
package struct IdentifiedStatus {
    /// As of lstat(2), but without device numbers and block size, which are 0.
    package let status: stat
    /// Nanoseconds; 0 if the file system does not have it.
    package let birth: Int64

    init(_ name: String, in folder: Int32, flags: Int32) throws(Errno) {
        var found = docfs_statx()
        _ = try Descriptor.check { docfs_statx(folder, name, flags, &found) }
        birth = found.mask & UInt32(DOCFS_STATX_BORN) == 0 ? 0 : Timestamp(timespec(found.born)).nanoseconds
        var status = stat()
        status.st_ino = UInt(found.inode)
        status.st_mode = UInt32(found.mode)
        status.st_nlink = numericCast(found.links)
        status.st_uid = found.owner
        status.st_gid = found.group
        status.st_size = numericCast(found.size)
        status.st_blocks = numericCast(found.blocks)
        status.st_atim = timespec(found.accessed)
        status.st_mtim = timespec(found.modified)
        status.st_ctim = timespec(found.changed)
        self.status = status
    }

    /// By this the file is known again where it was moved.
    package var evidence: FileEvidence? { FileEvidence(inode: UInt64(status.st_ino), birth: birth) }

    /// S_IFREG, S_IFDIR and so on.
    package var type: mode_t { status.st_mode & S_IFMT }
}

extension EntryKind {
    /// The type of file that an entry of the kind has.
    package var backingType: mode_t {
        switch self {
        case .folder: S_IFDIR
        case .symbolicLink: S_IFLNK
        case .document, .scratch: S_IFREG
        }
    }
}

extension timespec {
    fileprivate init(_ time: docfs_statx_time) { self.init(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds)) }
}
