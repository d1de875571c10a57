import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Open files and their contents.
extension Library {
    /// Waits until the content of an entry is here, whole and verified.
    public func waitForContent(of inode: InodeNumber) async throws(Refusal) {
        try await arrivals.waitForContent(of: inode)
    }

    /// Whether a read of these bytes can be answered at once.
    public func hasArrived(_ handle: Handle, from offset: Int64, count: Int) -> Bool {
        arrivals.hasArrived(handle, from: offset, count: count)
    }

    /// Waits for these bytes of a file that was opened before all of it was here, and for no others.
    public func waitForBytes(_ handle: Handle, from offset: Int64, count: Int) async throws(Refusal) {
        try await arrivals.waitForBytes(handle, from: offset, count: count)
    }

    /// Must be called before bytes of a file change through a handle, so that a crash right after
    /// them leaves the change marked as one that the cloud must hear of.
    public func willWrite(_ handle: Handle) throws(Refusal) {
        try contents.willWrite(handle)
    }

    /// fsync(2): content, the row that names it, and both of their directories' names.
    public func synchronize(_ handle: Handle, dataOnly: Bool) throws(Refusal) {
        try contents.synchronize(handle, dataOnly: dataOnly)
    }

    /// fsync(2) of a folder: the names in it.
    public func synchronizeFolder(_ inode: InodeNumber) throws(Refusal) {
        try tree.synchronizeFolder(inode)
    }

    public func fileSystemStatus() throws(Refusal) -> statvfs {
        try contents.fileSystemStatus()
    }

    /// From now on whoever opens a file may let the kernel read and write it by itself (`OpenedFile.shareable`).
    public func shareFiles() {
        contents.shareFiles()
    }

    public var canNoticeUnseenWrites: Bool { contents.canNoticeUnseenWrites }

    /// Runs `body` when nobody can write through a handle any more: at once, but for a file that the kernel writes by
    /// itself. Of that it does not say when the last mapping goes, which may be long after the descriptor was closed.
    public func whenUnmapped(_ number: UInt64, _ body: @escaping @Sendable () -> Void) {
        contents.whenUnmapped(number, body)
    }

    /// An empty file of the store that has no name: it goes with its descriptor.
    public func unnamedFile() throws(Refusal) -> Descriptor {
        try contents.unnamedFile()
    }

    /// The handle that read, write and the rest of its system calls go through.
    public func handle(_ number: UInt64) throws(Refusal) -> Handle {
        try contents.handle(number)
    }

    /// Closes a handle. The last writer's close is the save.
    public func close(_ number: UInt64) {
        contents.close(number)
    }

    /// Opens a document's file or one of its versions, at once if the content is here.
    ///
    /// - Parameters:
    ///   - flags: of open(2).
    ///   - isMember: of whoever opens without the privilege to keep set-id bits of a file that is truncated.
    public func open(
        _ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown,
        clearingSetID isMember: AttributeChanges.Membership? = nil
    ) throws(Refusal) -> Opening {
        try openings.open(inode, flags: flags, by: caller, clearingSetID: isMember)
    }

    /// Waits for the content of an open that was answered with `Opening.arriving`, and opens it: for
    /// reading when the first bytes are here, for writing when all are.
    public func finishOpening(_ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown) async throws(Refusal)
        -> OpenedFile
    {
        try await openings.finishOpening(inode, flags: flags, by: caller)
    }
}
