import Documents
import CFuse
import Glibc

/// Notifications that can be sent to the kernel at any time, so that it forgets something that it has cached.
protocol KernelNotifications: Sendable {
    /// Makes the kernel ask anew what a name means. Not within a request that holds the folder's lock.
    func expire(_ name: String, in folder: InodeNumber)

    /// Makes the kernel ask once more for every name, when it is used next. Takes no lock.
    func expireAllNames()

    /// Makes the kernel forget a folder's listing and its attributes. Takes no lock.
    func forgetListing(of folder: InodeNumber)

    /// Makes the kernel forget an inode's attributes. Takes no lock.
    ///
    /// - Returns: whether the kernel knows the inode.
    func forgetAttributes(of inode: InodeNumber) -> Bool
}

/// A session of libfuse's.
///
/// `@unchecked`: libfuse lets any thread call these; the session outlives all users of this value.
struct FuseSession: KernelNotifications, @unchecked Sendable {
    let pointer: OpaquePointer
    let nameExpiry: NameExpiry

    /// Linux 6.16. libfuse 3.14 does not know this notification: a header alone, whose error is the code.
    func expireAllNames() {
        var header = fuse_out_header(len: UInt32(MemoryLayout<fuse_out_header>.size), error: 8, unique: 0)
        _ = write(fuse_session_fd(pointer), &header, Int(header.len))
    }

    /// Whether the kernel that speaks this version of the protocol can be told to expire all names.
    static func knowsEpochs(minor: UInt32) -> Bool { minor >= 44 }

    func expire(_ name: String, in folder: InodeNumber) {
        if nameExpiry.expire(name, in: folder) { return }
        // ENOENT means that the kernel did not know the name: nothing to do.
        _ = fuse_lowlevel_notify_expire_entry(
            pointer, fuse_ino_t(folder.number), name, name.utf8.count, FUSE_LL_EXPIRE_ONLY)
    }

    func forgetListing(of folder: InodeNumber) {
        _ = fuse_lowlevel_notify_inval_inode(pointer, fuse_ino_t(folder.number), 0, 0)
    }

    func forgetAttributes(of inode: InodeNumber) -> Bool {
        fuse_lowlevel_notify_inval_inode(pointer, fuse_ino_t(inode.number), -1, 0) == 0
    }
}
