import Backing
import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

extension Library {
    /// Opens a document's file or one of its versions, at once if the content is here.
    ///
    /// - Parameters:
    ///   - flags: of open(2).
    ///   - isMember: of whoever opens without the privilege to keep set-id bits of a file that is truncated.
    /// - Throws: EISDIR, ESTALE, EAGAIN with O_NONBLOCK and EHOSTUNREACH offline for what is not here,
    ///   EACCES for writing to a version, or the backing file's own errno.
    public func open(
        _ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown,
        clearingSetID isMember: AttributeChanges.Membership? = nil
    ) throws(Errno) -> Opening {
        if inode.isVersion { return try openVersion(inode, flags: flags) }
        if flags & O_TRUNC != 0, let isMember { try clearSetID(of: inode, isMember: isMember) }
        let opening = try openDocument(inode, flags: flags, by: caller)
        if case .opened(let file) = opening { try expectUnseenWrites(to: file) }
        return opening
    }

    private func openDocument(_ inode: InodeNumber, flags: Int32, by caller: Caller) throws(Errno) -> Opening {
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let truncates = flags & O_TRUNC != 0
        if let file = openFiles.shareableFile(inode, forWriting: canWrite || truncates) {
            return .opened(try openAgain(file, flags: flags, by: caller))
        }
        let opening = try inspect { catalog -> Opening? in
            guard let entry = try catalog.entry(inode) else {
                return .opened(try openReplaced(inode, canWrite: canWrite))
            }
            if entry.kind == .folder { throw Errno.isDirectory }
            guard entry.isBackingCurrent else { return nil }
            let file = try openBacking(entry, canWrite: canWrite, catalog)
            return .opened(
                register(Handle(file: file, canWrite: canWrite, opener: opener(of: file, caller, flags: flags))))
        }
        if case .opened(let file) = opening {
            if truncates, openFiles.file(inode)?.isUnlinked != true {
                try closing(file.number) { () throws(Errno) in try truncateOpened(inode) }
            }
            stateChanged()
            return .opened(file)
        }
        if truncates, canWrite, !openFiles.isReadWhileArriving(inode) {
            return .opened(try openEmptied(inode, by: caller))
        }
        if flags & O_NONBLOCK != 0 {
            if transfers.isReachable { _ = try arrival(of: inode) }
            throw .resourceTemporarilyUnavailable
        }
        if !transfers.isReachable { throw .noRouteToHost }
        return .arriving(inode)
    }

    /// Gives a new handle its number. What was known of its file need not hold any longer.
    func register(_ handle: Handle) -> OpenedFile {
        let number = openFiles.add(handle)
        catalog.forgetStatus(of: handle.inode)
        return OpenedFile(number: number, handle: handle, isShared: unseenWrites.filesAreShared)
    }

    /// The last of an open or create, outside of any transaction: from now on the kernel may write to the file by itself.
    func expectUnseenWrites(to file: OpenedFile) throws(Errno) {
        guard file.canWrite, file.shareable != nil else { return }
        try closing(file.number) { () throws(Errno) in try willWriteUnseen(file.handle) }
    }

    private func openAgain(_ file: OpenFile, flags: Int32, by caller: Caller) throws(Errno) -> OpenedFile {
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let truncates = flags & O_TRUNC != 0
        // What a newer version overtook has no name that an edit could stay under: the kernel, which came
        // by an old memory of one, must look it up again.
        if file.isUnlinked, canWrite || truncates, departedNodes[file.inode] == nil { throw .staleNFSFileHandle }
        // Whether it may be written to is known now or, where the kernel does it, when that opens it.
        if canWrite, !unseenWrites.canBeNoticed { _ = try file.writable() }
        let opened = register(Handle(file: file, canWrite: canWrite, opener: opener(of: file, caller, flags: flags)))
        if truncates {
            try closing(opened.number) { () throws(Errno) in
                if file.isUnlinked { try file.writable().truncate(to: 0) } else { try truncateOpened(file.inode) }
            }
        }
        return opened
    }

    /// What is left to do of an open; if it fails, there is no handle.
    private func closing(_ number: UInt64, unless work: () throws(Errno) -> Void) throws(Errno) {
        do throws(Errno) { try work() } catch {
            close(number)
            throw error
        }
    }

    private func openBacking(_ entry: Entry, canWrite: Bool, _ catalog: CatalogTransaction) throws -> OpenFile {
        if let file = openFiles.shareableFile(entry.inode, forWriting: true) { return file }
        let folder = try backing.folder(entry.parent, catalog)
        if unseenWrites.concern(entry) {
            let descriptor = try folder.openFile(entry.filename, O_RDONLY)
            return OpenFile(entry: entry, descriptor: descriptor, isWritable: false)
        }
        do throws(Errno) {
            let descriptor = try folder.openFile(entry.filename, O_RDWR)
            return OpenFile(entry: entry, descriptor: descriptor, isWritable: true)
        } catch .permissionDenied where !canWrite {
            let descriptor = try folder.openFile(entry.filename, O_RDONLY)
            return OpenFile(entry: entry, descriptor: descriptor, isWritable: false)
        }
    }

    /// Opens a file that another was renamed over after its name had led here: who was just before the
    /// save sees the old content, whole.
    private func openReplaced(_ inode: InodeNumber, canWrite: Bool) throws(Errno) -> OpenedFile {
        guard let node = departedNodes[inode], let content = node.content, !canWrite else { throw .staleNFSFileHandle }
        let descriptor = try content.reopened(O_RDONLY)
        let file = openFiles.file(inode) ?? OpenFile(entry: node.entry, descriptor: descriptor, isWritable: false)
        file.state.withLock { $0.isUnlinked = true }
        return register(Handle(file: file, canWrite: false))
    }

    private func truncateOpened(_ inode: InodeNumber) throws(Errno) {
        var changes = AttributeChanges()
        changes.size = 0
        _ = try setAttributes(of: inode, changes)
    }

    /// O_TRUNC on what is not here needs none of its content.
    private func openEmptied(_ inode: InodeNumber, by caller: Caller) throws(Errno) -> OpenedFile {
        try mutate { catalog in
            guard var entry = try catalog.entry(inode) else { throw Errno.staleNFSFileHandle }
            try makeEmpty(&entry, catalog)
            noteBase(of: &entry, savedBy: caller, catalog)
            noteContentChange(&entry)
            try catalog.update(entry)
            let file = try openBacking(entry, canWrite: true, catalog)
            file.state.withLock { $0.isModified = true }
            return register(
                Handle(file: file, canWrite: true, opener: opener(of: file, caller, flags: O_WRONLY | O_TRUNC)))
        }
    }

    /// Puts an empty backing file in the place of content that is not here, or not the latest.
    func makeEmpty(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        let folder = try backing.folder(entry.parent, catalog)
        let (filename, mode) = (entry.filename, entry.mode | BackingFolder.fileAccess)
        let file = try folder.keepingTime { () throws(Errno) in
            try folder.openFile(filename, O_RDWR | O_CREAT | O_TRUNC, mode: mode)
        }
        if let displayName = entry.name?.displayName { backing.mirror(displayName: displayName, on: file) }
        transfers.forget(entry.inode)
        retries.succeeded(entry.inode)
        entry.error = nil
        try withdrawDeparting(&entry, catalog)
        entry.isHere = true
        entry.contentVersion = entry.currentVersion
        entry.backing = try file.identify().evidence
    }

    /// An empty file of the store that has no name: it goes with its descriptor.
    public func unnamedFile() throws(Errno) -> Descriptor {
        var random = surroundings.random()
        return try backing.staging.openUnnamedFile("trial-\(VersionID.random(using: &random))")
    }

    /// The handle that read, write and the rest of its system calls go through.
    public func handle(_ number: UInt64) throws(Errno) -> Handle { try openFiles.handle(number) }

    /// Closes a handle. The last writer's close is the save.
    public func close(_ number: UInt64) {
        let isNoted = attemptToNoteUnseenWrites()
        guard let closing = openFiles.remove(number, at: surroundings.instant()) else { return }
        defer { openFiles.finishClosing(closing) }
        let inode = closing.file.inode
        if closing.isLastWriter, isNoted { unseenWrites.end(closing.file) }
        if closing.isSaved, !closing.file.isUnlinked {
            save(inode)
        } else if closing.isLastHandle {
            if closing.isOvertaken { leaveOvertaken(inode) }
        }
        stateChanged()
    }
}
