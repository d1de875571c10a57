import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

extension Contents {
    /// Must be called before bytes of a file change through a handle, so that a crash right after
    /// them leaves the change marked as one that the cloud must hear of.
    ///
    /// - Throws: EBADF for a handle that was not opened for writing.
    func willWrite(_ handle: Handle) throws(Refusal) {
        guard handle.canWrite else { throw .notOpenForWriting }
        let file = handle.file
        let isFirst = file.state.withLock { state in
            defer { state.isModified = true }
            return !state.isModified && !state.isUnlinked && !state.isPlain
        }
        guard isFirst else { return }
        do throws(Refusal) {
            let isCloud = try inspect { try $0.entry(file.inode) }?.isReplicated == true
            guard isCloud else { return }
            try mutate { catalog in
                guard var entry = try catalog.entry(file.inode) else { return }
                transactions.noteContentChange(&entry)
                try catalog.update(entry)
            }
            cloud.changesAreWaiting()
        } catch {
            file.state.withLock { $0.isModified = false }
            throw error
        }
    }

    /// The last writer closed after writing.
    func save(_ inode: InodeNumber) {
        do throws(Refusal) {
            guard let saved = try inspect({ try $0.entry(inode) }), saved.kind == .document,
                saved.isReplicated || saved.naming != .given
            else { return }
            try mutate { catalog in
                guard var entry = try catalog.entry(inode) else { return }
                if entry.isReplicated { transactions.noteContentChange(&entry) }
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
        let name = namespace.automaticName(of: entry, content: content)
        guard name != entry.name else { return }
        if let old = entry.name { catalog.announce(.nameChanged(old.full, in: entry.parent)) }
        catalog.announce(.nameChanged(name.full, in: entry.parent))
        let formerName = entry.name
        entry.document?.name = name
        try namespace.announceListedName(of: entry, formerly: formerName, catalog)
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
    func synchronize(_ handle: Handle, dataOnly: Bool) throws(Refusal) {
        // fdatasync(2) may leave the file's time behind, which else would tell of its change after a crash.
        guard transactions.attemptToNoteUnseenWrites() else { throw .storeFailed("a write could not be noted") }
        let isSaved = handle.canWrite && handle.file.state.withLock { $0.isModified && !$0.isPlain }
        let look = try Refusal.wrapping {
            let look = isSaved ? ContentLook(try handle.descriptor.status()) : nil
            try handle.descriptor.synchronize(dataOnly: dataOnly)
            return look
        }
        if handle.file.isUnlinked { return }
        if let look { noteSaved(handle.file, look) }
        try synchronizeNames { catalog in
            try catalog.entry(handle.inode).map { try backing.folder($0.parent, catalog) }
        }
    }

    /// fsync(2) of a folder: the names in it.
    func synchronizeFolder(_ inode: InodeNumber) throws(Refusal) {
        // What is created in `Documents` lies in the preferred location.
        try synchronizeNames { try backing.folder(inode == .documents ? namespace.preferredFolder : inode, $0) }
    }

    private func synchronizeNames(_ folder: (CatalogTransaction) throws -> BackingFolder?) throws(Refusal) {
        let folder = try inspect(folder)
        try Refusal.wrapping { try folder?.synchronize() }
        do { try catalog.synchronize() } catch {
            logger.error("the catalog could not be made durable", metadata: ["error": "\(error)"])
            throw .storeFailed("the catalog could not be made durable")
        }
    }

    func fileSystemStatus() throws(Refusal) -> statvfs {
        try Refusal.wrapping { try backing.root.fileSystemStatus() }
    }

    /// A rename gave a document this content. Whoever still writes to the file finishes the save by closing it.
    func finishSaveByRenaming(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        if let file = openFiles.file(entry.inode), file.isOpenForWriting {
            noteSaved(file, ContentLook(try file.descriptor.status()))
        } else {
            try finishSave(&entry, catalog)
        }
    }
}
