import CLinux
import Catalog
import Documents
import Glibc

/// The attributes of an entry, as stat(2) gives them.
public struct FileAttributes: Sendable, Equatable {
    /// The type of a file, as far as docfs keeps such.
    public enum FileType: Sendable { case folder, file, symbolicLink }

    /// The type in `st_mode`; `mode` lacks it.
    public var type: FileType
    /// Permission bits.
    public var mode: UInt16
    /// Bytes.
    public var size: Int64
    /// 512-byte blocks; 0 for a placeholder.
    public var blocks: Int64
    /// `st_nlink`; 0 when the last name is gone.
    public var links: UInt32
    /// A user id.
    public var owner: UInt32
    /// A group id.
    public var group: UInt32
    /// `st_atime`; for a placeholder the time of modification.
    public var accessed: Timestamp
    /// `st_mtime`
    public var modified: Timestamp
    /// `st_ctime`
    public var changed: Timestamp

    /// The attributes of a virtual file: read-only, owned by the mounting user.
    public static func virtualFile(size: Int, at time: Timestamp) -> FileAttributes {
        FileAttributes(
            type: .file, mode: 0o444, size: Int64(size), blocks: 0, links: 1, owner: geteuid(),
            group: getegid(), accessed: time, modified: time, changed: time)
    }

    /// The attributes of a document whose content is not here.
    package static func placeholder(_ entry: Entry) -> FileAttributes {
        FileAttributes(
            type: .file, mode: entry.mode, size: entry.size, blocks: 0, links: 1, owner: geteuid(),
            group: getegid(), accessed: entry.modified, modified: entry.modified,
            changed: max(entry.modified, entry.changed))
    }

    /// The attributes of an entry that was removed, of which only the kind is known.
    public static func departed(_ kind: EntryKind, at time: Timestamp) -> FileAttributes {
        let type: FileType =
            switch kind {
            case .folder: .folder
            case .symbolicLink: .symbolicLink
            case .document, .scratch: .file
            }
        return FileAttributes(
            type: type, mode: type == .folder ? 0o700 : 0o600, size: 0, blocks: 0, links: 0, owner: geteuid(),
            group: getegid(), accessed: time, modified: time, changed: time)
    }

    package init(
        type: FileType, mode: UInt16, size: Int64, blocks: Int64, links: UInt32, owner: UInt32,
        group: UInt32, accessed: Timestamp, modified: Timestamp, changed: Timestamp
    ) {
        self.type = type
        self.mode = mode
        self.size = size
        self.blocks = blocks
        self.links = links
        self.owner = owner
        self.group = group
        self.accessed = accessed
        self.modified = modified
        self.changed = changed
    }

    /// - Parameter status: of stat(2).
    package init(_ status: stat) {
        let type: FileType =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .file
            }
        self.init(
            type: type, mode: UInt16(status.st_mode & 0o7777), size: Int64(status.st_size),
            blocks: Int64(status.st_blocks), links: UInt32(truncatingIfNeeded: status.st_nlink),
            owner: status.st_uid, group: status.st_gid, accessed: Timestamp(status.st_atim),
            modified: Timestamp(status.st_mtim), changed: Timestamp(status.st_ctim))
    }
}

extension Timestamp {
    /// A time of the kernel. It saturates outside the years 1678 to 2262.
    public init(_ time: timespec) { self.init(seconds: time.tv_sec, nanoseconds: time.tv_nsec) }

    /// For calls such as utimensat(2). Times before 1970 have negative seconds, and nanoseconds from 0 on.
    public var timespec: timespec { Glibc.timespec(tv_sec: seconds, tv_nsec: nanosecondsPart) }
}
