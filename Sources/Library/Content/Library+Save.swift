import Backing
import Catalog
import Documents
import Logging
import Glibc
import Synchronization
import SystemPackage

/// From the first write to the close of the last writer: what makes a save.
extension Library {
    /// Must be called before bytes of a file change through a handle, so that a crash right after
    /// them leaves the change marked as one that the cloud must hear of.
    ///
    /// - Throws: EBADF for a handle that was not opened for writing.
    public func willWrite(_ handle: Handle) throws(Errno) {
        guard handle.canWrite else { throw .badFileDescriptor }
        let file = handle.file
        let isFirst = file.state.withLock { state in
            defer { state.isModified = true }
            return !state.isModified && !state.isUnlinked && !state.isPlain
        }
        guard isFirst else { return }
        do throws(Errno) {
            let isCloud = try inspect { try $0.entry(file.inode) }?.isReplicated == true
            guard isCloud else { return }
            try mutate { catalog in
                guard var entry = try catalog.entry(file.inode) else { return }
                noteContentChange(&entry)
                try catalog.update(entry)
            }
            transfers.noteWork()
        } catch {
            file.state.withLock { $0.isModified = false }
            throw error
        }
    }

    /// Somebody without privilege changes what may run with another's: POSIX takes set-id bits away then.
    ///
    /// - Parameter isMember: whether the writer belongs to a group.
    public func clearSetID(of inode: InodeNumber, isMember: @escaping AttributeChanges.Membership) throws(Errno) {
        let file = openFiles.file(inode)
        if let file, file.arrival == nil {
            guard file.state.withLock(\.hasSetID) else { return }
        } else {
            guard let mode = try inspect({ try $0.entry(inode)?.mode }), FileMode.hasSetID(mode) else { return }
        }
        var changes = AttributeChanges()
        changes.clearsSetID = isMember
        let before = try inspect { try $0.entry(inode)?.mode }
        let mode = try setAttributes(of: inode, changes).mode
        file?.state.withLock { $0.hasSetID = FileMode.hasSetID(mode) }
        // Set-group-id without group-execute may stay, and is looked at again with the next write.
        if mode != before { observer?.attributesChanged(of: inode) }
    }

    func noteContentChange(_ entry: inout Entry) {
        guard entry.kind == .document else { return }
        entry.notePending(.content)
        openFiles.file(entry.inode)?.state.withLock { if $0.writers > 0 { $0.isModified = true } }
    }

    /// The last writer closed after writing.
    func save(_ inode: InodeNumber) {
        do throws(Errno) {
            guard let saved = try inspect({ try $0.entry(inode) }), saved.kind == .document,
                saved.isReplicated || saved.naming != .given
            else { return }
            try mutate { catalog in
                guard var entry = try catalog.entry(inode) else { return }
                if entry.isReplicated { noteContentChange(&entry) }
                try finishSave(&entry, catalog)
                try catalog.update(entry)
            }
            if saved.isReplicated { transfers.noteClosed(inode) }
        } catch {
            logger.error("a save could not be noted", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }

    /// Brings a saved document's row up to date with its file: size, times, automatic display name.
    func finishSave(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        try noteBackingContent(&entry, catalog)
        guard entry.kind == .document, entry.naming != .given else { return }
        let folder = try backing.folder(entry.parent, catalog)
        let content = try folder.openUnnoticed(entry.filename).readPrefix(AutomaticName.examinedLength)
        let name = automaticName(of: entry, content: content)
        guard name != entry.name else { return }
        if let old = entry.name { catalog.announce(.nameChanged(old.full, in: entry.parent)) }
        catalog.announce(.nameChanged(name.full, in: entry.parent))
        let formerName = entry.name
        entry.document?.name = name
        try announceListedName(of: entry, formerly: formerName, catalog)
        entry.notePending(.name)
        backing.mirror(displayName: name.displayName, of: entry.filename, in: folder)
    }

    /// Remembers what the backing file looks like, to recognise changes made while docfs was not running.
    func noteBackingContent(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        let status = try backing.folder(entry.parent, catalog).status(entry.filename)
        entry.size = Int64(status.st_size)
        entry.modified = Timestamp(status.st_mtim)
        let mode = FileMode.held(entry.mode, by: status.st_mode)
        if mode != entry.mode {
            entry.mode = mode
            entry.notePending(.mode)
        }
    }

    /// fsync(2): content, the row that names it, and both of their directories' names.
    public func synchronize(_ handle: Handle, dataOnly: Bool) throws(Errno) {
        // fdatasync(2) may leave the file's time behind, which else would tell of its change after a crash.
        guard attemptToNoteUnseenWrites() else { throw .ioError }
        let isSaved = handle.canWrite && handle.file.state.withLock { $0.isModified && !$0.isPlain }
        let look = isSaved ? ContentLook(try handle.descriptor.status()) : nil
        try handle.descriptor.synchronize(dataOnly: dataOnly)
        if handle.file.isUnlinked { return }
        if let look { noteSaved(handle.file, look) }
        try synchronizeNames { catalog in
            try catalog.entry(handle.inode).map { try backing.folder($0.parent, catalog) }
        }
    }

    /// fsync(2) of a folder: the names in it.
    public func synchronizeFolder(_ inode: InodeNumber) throws(Errno) {
        if departedNodes[inode] != nil { return }
        // What is created in `Documents` lies in the preferred location.
        try synchronizeNames { try backing.folder(inode == .documents ? preferredFolder : inode, $0) }
    }

    private func synchronizeNames(_ folder: (CatalogTransaction) throws -> BackingFolder?) throws(Errno) {
        try inspect(folder)?.synchronize()
        do { try catalog.synchronize() } catch {
            logger.error("the catalog could not be made durable", metadata: ["error": "\(error)"])
            throw .ioError
        }
    }

    public func fileSystemStatus() throws(Errno) -> statvfs { try backing.root.fileSystemStatus() }
}
