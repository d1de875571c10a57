import Backing
import CFuse
import Glibc
import Library

extension FileAttributes {
    /// The attributes in the kernel's form.
    func stat(number: fuse_ino_t) -> stat {
        var status = Glibc.stat()
        let fileType: mode_t =
            switch type {
            case .folder: S_IFDIR
            case .file: S_IFREG
            case .symbolicLink: S_IFLNK
            }
        status.st_ino = ino_t(number)
        status.st_mode = fileType | mode_t(mode)
        status.st_size = off_t(size)
        status.st_blocks = blkcnt_t(blocks)
        status.st_blksize = 4096
        status.st_nlink = nlink_t(links)
        status.st_uid = owner
        status.st_gid = group
        status.st_atim = accessed.timespec
        status.st_mtim = modified.timespec
        status.st_ctim = changed.timespec
        return status
    }
}
