import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Open files and their contents.
extension Library {
    /// Waits until the content of an entry is here, whole and verified.
    ///
    /// - Throws: EHOSTUNREACH offline and when the first bytes do not arrive within the timeout, EINTR, ESTALE, EIO for damaged content.
    public func waitForContent(of inode: InodeNumber) async throws(Refusal) {
        try await arrivals.waitForContent(of: inode)
    }

    /// Whether a read of these bytes can be answered at once.
    public func hasArrived(_ handle: Handle, from offset: Int64, count: Int) -> Bool {
        arrivals.hasArrived(handle, from: offset, count: count)
    }

    /// Waits for these bytes of a file that was opened before all of it was here, and for no others.
    ///
    /// - Throws: EHOSTUNREACH when the connection breaks, EINTR, EIO for damaged content, ENOSPC.
    public func waitForBytes(_ handle: Handle, from offset: Int64, count: Int) async throws(Refusal) {
        try await arrivals.waitForBytes(handle, from: offset, count: count)
    }

    /// Must be called before bytes of a file change through a handle. It records the change in the row, so that it is sent even after a
    /// crash.
    ///
    /// - Throws: EBADF for a handle that was not opened for writing, EIO when the catalog cannot be written.
    public func willWrite(_ handle: Handle) throws(Refusal) {
        try contents.willWrite(handle)
    }

    /// A write found no room on the disk. Gives up the oldest of what is in the trash.
    ///
    /// - Parameter bytes: to be written.
    /// - Returns: false if that makes no room.
    /// - Throws: EIO when the catalog cannot be written.
    public func giveUpOldestInTrash(toWrite bytes: Int64) throws(Refusal) -> Bool {
        try Refusal.wrapping { try contents.store.giveUpOldestInTrash(toWrite: bytes) }
    }

    /// fsync(2) makes the content durable, the row that names it, and the names in its folder.
    ///
    /// - Throws: the errno of fsync(2) on the file, EIO when the catalog cannot be written.
    public func synchronize(_ handle: Handle, dataOnly: Bool) throws(Refusal) {
        try contents.synchronize(handle, dataOnly: dataOnly)
    }

    /// fsync(2) of a folder makes the names in it durable.
    ///
    /// - Throws: as `synchronize`; ESTALE.
    public func synchronizeFolder(_ inode: InodeNumber) throws(Refusal) {
        try tree.synchronizeFolder(inode)
    }

    /// statvfs(3) of the store's file system.
    public func fileSystemStatus() throws(Refusal) -> statvfs {
        try contents.fileSystemStatus()
    }

    /// From now on the kernel may read and write opened files by itself (`OpenedFile.shareable`).
    public func shareFiles() {
        contents.shareFiles()
    }

    /// Whether writes that the kernel makes by itself can be noticed on this machine.
    public var canNoticeUnseenWrites: Bool { contents.canNoticeUnseenWrites }

    /// Runs `body` when no process can write through a handle any more. That is at once, except for a file that the kernel writes to by
    /// itself: a mapping may outlive its descriptor by long, and the kernel does not tell when the last one goes.
    public func whenUnmapped(_ number: UInt64, _ body: @escaping @Sendable () -> Void) {
        contents.whenUnmapped(number, body)
    }

    /// An empty file of the store without a name. It is gone when its descriptor is closed.
    ///
    /// - Throws: the errno of open(2).
    public func unnamedFile() throws(Refusal) -> Descriptor {
        try contents.unnamedFile()
    }

    /// - Throws: EBADF for a number under which no file is open.
    public func handle(_ number: UInt64) throws(Refusal) -> Handle {
        try contents.handle(number)
    }

    /// Closes a handle. The last writer's close is the save.
    public func close(_ number: UInt64) {
        contents.close(number)
        evictions.fileWasClosed()
    }

    /// Opens a document's file or one of its versions, at once if the content is here.
    ///
    /// - Parameters:
    ///   - flags: of open(2).
    ///   - isMember: given if the caller lacks the privilege to keep the set-id bits of a file that is truncated.
    /// - Throws: EISDIR, ESTALE, EAGAIN with O_NONBLOCK and EHOSTUNREACH offline for content that is not here, EACCES for writing to a
    ///   version, or the backing file's own errno.
    public func open(
        _ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown,
        clearingSetID isMember: AttributeChanges.Membership? = nil
    ) throws(Refusal) -> Opening {
        try openings.open(inode, flags: flags, by: caller, clearingSetID: isMember)
    }

    /// Waits for the content of an open that was answered with `Opening.arriving`, and opens it: for reading when the first bytes are
    /// here, for writing when all are.
    ///
    /// - Throws: EHOSTUNREACH when the first bytes do not arrive within the timeout, EINTR, EIO for damaged content, or as `open`.
    public func finishOpening(_ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown) async throws(Refusal)
        -> OpenedFile
    {
        try await openings.finishOpening(inode, flags: flags, by: caller)
    }
}
