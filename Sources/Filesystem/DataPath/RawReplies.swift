import CFuse
import Library

/// Replies in the kernel's own layout, for fields that libfuse 3.14 does not have.
extension docfs_open_out {
    init(handle: UInt64, backing: Int32, isDirect: Bool) {
        let direct = isDirect ? FOPEN_DIRECT_IO : 0
        self.init(fh: handle, open_flags: UInt32(DOCFS_OPEN_PASSTHROUGH | FOPEN_NOFLUSH | direct), backing_id: backing)
    }
}

extension fuse_entry_out {
    init(_ parameters: fuse_entry_param) {
        self.init()
        nodeid = parameters.ino
        (entry_valid, entry_valid_nsec) = (UInt64(parameters.entry_timeout), 0)
        (attr_valid, attr_valid_nsec) = (UInt64(parameters.attr_timeout), 0)
        attr = fuse_attr(parameters.attr)
    }
}

extension fuse_attr {
    init(_ status: stat) {
        self.init()
        ino = UInt64(status.st_ino)
        mode = status.st_mode
        nlink = UInt32(status.st_nlink)
        uid = status.st_uid
        gid = status.st_gid
        size = UInt64(status.st_size)
        blocks = UInt64(status.st_blocks)
        blksize = UInt32(status.st_blksize)
        (atime, atimensec) = (UInt64(bitPattern: Int64(status.st_atim.tv_sec)), UInt32(status.st_atim.tv_nsec))
        (mtime, mtimensec) = (UInt64(bitPattern: Int64(status.st_mtim.tv_sec)), UInt32(status.st_mtim.tv_nsec))
        (ctime, ctimensec) = (UInt64(bitPattern: Int64(status.st_ctim.tv_sec)), UInt32(status.st_ctim.tv_nsec))
    }
}
