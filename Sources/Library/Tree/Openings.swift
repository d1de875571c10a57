import Backing
import Catalog
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

/// open(2): answered at once if the content is here, else when as much of it has arrived as the open needs.
final class Openings: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let cloud: any ContentSource
    let notices: ChangeNotices
    let contents: Contents
    let arrivals: Arrivals
    let fileAttributes: Attributes
    let versionFiles: VersionFiles
    let orphans: Orphans

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, unseenWrites: UnseenWrites,
        cloud: any ContentSource, notices: ChangeNotices, contents: Contents, arrivals: Arrivals,
        fileAttributes: Attributes,
        versionFiles: VersionFiles, orphans: Orphans
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.cloud = cloud
        self.notices = notices
        self.contents = contents
        self.arrivals = arrivals
        self.fileAttributes = fileAttributes
        self.versionFiles = versionFiles
        self.orphans = orphans
    }

    /// Opens a document's file or one of its versions, at once if the content is here.
    ///
    /// - Parameters:
    ///   - flags: of open(2).
    ///   - isMember: given if the caller lacks the privilege to keep the set-id bits of a file that is truncated.
    /// - Throws: EISDIR, ESTALE, EHOSTUNREACH offline for content that is not here, EACCES for writing to a version, or the backing file's
    ///   own errno. O_NONBLOCK means nothing, as for any regular file: tar, grep and others set it.
    func open(
        _ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown,
        clearingSetID isMember: AttributeChanges.Membership? = nil
    ) throws(Refusal) -> Opening {
        if inode.isVersion { return try versionFiles.openVersion(inode, flags: flags) }
        if flags & O_TRUNC != 0, let isMember { try fileAttributes.removeSetIDBits(of: inode, isMember: isMember) }
        let opening = try openDocument(inode, flags: flags, by: caller)
        if case .opened(let file) = opening { try expectUnseenWrites(to: file) }
        return opening
    }

    /// Must be called at the end of an open or create, outside any transaction: from now on the kernel may write to the file by itself.
    func expectUnseenWrites(to file: OpenedFile) throws(Refusal) {
        guard file.canWrite, file.shareable != nil else { return }
        try closing(file.number) { () throws(Refusal) in try contents.willWriteUnseen(file.handle) }
    }

    private func openDocument(_ inode: InodeNumber, flags: Int32, by caller: Caller) throws(Refusal) -> Opening {
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let truncates = flags & O_TRUNC != 0
        if let file = openFiles.shareableFile(inode, forWriting: canWrite || truncates),
            let opened = try openAgain(file, flags: flags, by: caller)
        {
            return .opened(opened)
        }
        let opening = try inspect { rows -> Opening? in
            guard let entry = try rows.entry(inode) else {
                return .opened(try openReplaced(inode, canWrite: canWrite))
            }
            if entry.kind == .folder { throw Refusal.isFolder }
            guard entry.isBackingCurrent else { return nil }
            let file = try openBacking(entry, canWrite: canWrite, rows)
            return .opened(
                contents.register(
                    Handle(file: file, canWrite: canWrite, opener: contents.opener(of: file, caller, flags: flags))))
        }
        if case .opened(let file) = opening {
            if truncates, openFiles.file(inode)?.isUnlinked != true {
                try closing(file.number) { () throws(Refusal) in try truncateOpened(inode) }
            }
            notices.stateChanged()
            return .opened(file)
        }
        if truncates, canWrite, !openFiles.isReadWhileArriving(inode) {
            return .opened(try openEmptied(inode, by: caller))
        }
        try cloud.requireReachable()
        return .arriving(inode)
    }

    /// - Returns: nil if the file was closed meanwhile.
    private func openAgain(_ file: OpenFile, flags: Int32, by caller: Caller) throws(Refusal) -> OpenedFile? {
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let truncates = flags & O_TRUNC != 0
        // A newer version took over the names of this file, so that an edit of it would be lost. The kernel asks by a dentry that is out
        // of date and must look the name up again.
        if file.isUnlinked, canWrite || truncates, !orphans.contains(file.inode) { throw .staleInode }
        // Fails here if the file may not be written to. Where the kernel writes by itself, its own open fails.
        if canWrite, !unseenWrites.canBeNoticed { _ = try Refusal.wrapping { try file.writable() } }
        let handle = Handle(file: file, canWrite: canWrite, opener: contents.opener(of: file, caller, flags: flags))
        guard let opened = contents.registerAnother(handle) else { return nil }
        if truncates {
            try closing(opened.number) { () throws(Refusal) in
                if file.isUnlinked { try empty(file) } else { try truncateOpened(file.inode) }
            }
        }
        return opened
    }

    /// Does the rest of an open. If that fails, the handle is closed.
    private func closing(_ number: UInt64, unless work: () throws(Refusal) -> Void) throws(Refusal) {
        do throws(Refusal) { try work() } catch {
            contents.close(number)
            throw error
        }
    }

    private func openBacking(_ entry: Entry, canWrite: Bool, _ rows: Rows) throws -> OpenFile {
        if let file = openFiles.shareableFile(entry.inode, forWriting: true) { return file }
        let folder = try backing.folder(entry.parent, rows)
        if !unseenWrites.mayWrite(to: entry) {
            do throws(Errno) {
                let descriptor = try folder.openFile(entry.filename, O_RDWR)
                return OpenFile(entry: entry, descriptor: descriptor, isWritable: true)
            } catch {
                if canWrite || !Self.forbidsWritingOnly(error) { throw error }
            }
        }
        let descriptor = try folder.openFile(entry.filename, O_RDONLY)
        return OpenFile(entry: entry, descriptor: descriptor, isWritable: false)
    }

    /// Whether a file that could not be opened for reading and writing may still be read: its mode forbids to write to it, its disk is read-only (as
    /// the kernel makes one that failed), or it is immutable (chattr(1)).
    private static func forbidsWritingOnly(_ error: Errno) -> Bool {
        [.permissionDenied, .readOnlyFileSystem, .notPermitted].contains(error)
    }

    /// Opens a file that another was renamed over between the lookup of its name and this open. The caller reads the old content, whole.
    private func openReplaced(_ inode: InodeNumber, canWrite: Bool) throws(Refusal) -> OpenedFile {
        guard let replaced = orphans.replaced(inode), !canWrite else { throw .staleInode }
        let descriptor = try Refusal.wrapping { try replaced.content.reopened(O_RDONLY) }
        let file = openFiles.file(inode) ?? OpenFile(entry: replaced.entry, descriptor: descriptor, isWritable: false)
        file.state.withLock { $0.isUnlinked = true }
        return contents.register(Handle(file: file, canWrite: false))
    }

    private func truncateOpened(_ inode: InodeNumber) throws(Refusal) {
        let isNamed = try mutate(concerning: .only([inode])) { transaction in
            guard var entry = try transaction.entry(inode) else { return false }
            // While the row is not yet committed, a crash rebuilds it from the file: its mode is there as well.
            if transaction.isRebuilt(entry) { transaction.durability = .soon }
            try contents.truncate(&entry, to: 0, transaction)
            transactions.forgetStatus(of: inode)
            return true
        }
        if isNamed { return }
        // Another call removed its name before this transaction began.
        guard let file = openFiles.file(inode), file.isUnlinked else { throw .staleInode }
        try empty(file)
    }

    /// Truncates a file without a name. It has no row that could change.
    private func empty(_ file: OpenFile) throws(Refusal) {
        try Refusal.wrapping { try file.writable().truncate(to: 0) }
    }

    /// O_TRUNC on content that is not here needs no download.
    private func openEmptied(_ inode: InodeNumber, by caller: Caller) throws(Refusal) -> OpenedFile {
        try mutate(concerning: .only([inode])) { transaction in
            guard var entry = try transaction.entry(inode) else { throw Refusal.staleInode }
            try contents.makeEmpty(&entry, transaction)
            contents.setBaseVersion(of: &entry, savedBy: caller, transaction)
            transactions.markContentChanged(&entry)
            try transaction.update(entry)
            let file = try openBacking(entry, canWrite: true, transaction)
            file.withWriting { $0.markModified() }
            return contents.register(
                Handle(file: file, canWrite: true, opener: contents.opener(of: file, caller, flags: O_WRONLY | O_TRUNC))
            )
        }
    }

    /// Waits for the content of an open that was answered with `Opening.arriving`, and opens it: for reading when the first bytes are
    /// here, for writing when all are.
    ///
    /// - Throws: EHOSTUNREACH when the first bytes do not arrive within the timeout, EINTR, EIO for damaged content, or as `open`.
    func finishOpening(_ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown) async throws(Refusal)
        -> OpenedFile
    {
        if inode.isVersion { return try await versionFiles.finishOpeningVersion(inode) }
        let onlyReads = flags & O_ACCMODE == O_RDONLY && flags & O_TRUNC == 0
        while true {
            if let arrival = try arrivals.arrival(of: inode) {
                try await arrivals.waitForStart(of: arrival)
                if onlyReads, let file = arrivals.openArriving(arrival, by: caller) { return file }
                try await arrival.waitUntilInstalled()
            }
            // A still newer version may have been received meanwhile: then the open waits again.
            if case .opened(let file) = try open(inode, flags: flags, by: caller) { return file }
        }
    }
}
