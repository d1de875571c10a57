import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

extension Contents {
    /// Must be called before bytes of a file change through a handle. It records the change in the row, so that it is sent even after a
    /// crash.
    ///
    /// - Throws: EBADF for a handle that was not opened for writing.
    func willWrite(_ handle: Handle) throws(Refusal) {
        guard handle.canWrite else { throw .notOpenForWriting }
        let file = handle.file
        let isFirst = file.state.withLock { state in state.writing.markModified() && !state.isUnlinked }
        guard isFirst, !openFiles.isPlain(file) else { return }
        do throws(Refusal) {
            let isCloud = try inspect { try $0.entry(file.inode) }?.isReplicated == true
            guard isCloud else { return }
            try mutate(concerning: .only([file.inode])) { transaction in
                guard var entry = try transaction.entry(file.inode) else { return }
                if transaction.isRebuilt(entry) { transaction.durability = .soon }
                transactions.markContentChanged(&entry)
                try transaction.update(entry)
            }
            cloud.changesAreWaiting()
        } catch {
            file.withWriting { $0.markUnmodified() }
            throw error
        }
    }

    /// The last writer closed after writing.
    func save(_ inode: InodeNumber) {
        do throws(Refusal) {
            guard let saved = try inspect({ try $0.entry(inode) }), saved.kind == .document,
                saved.isReplicated || saved.naming != .given
            else { return }
            try mutate(concerning: .only([inode])) { transaction in
                guard var entry = try transaction.entry(inode) else { return }
                if transaction.isRebuilt(entry) { transaction.durability = .soon }
                if entry.isReplicated { transactions.markContentChanged(&entry) }
                try finishSave(&entry, transaction)
                try transaction.update(entry)
            }
            if saved.isReplicated { transfers.markClosed(inode) }
        } catch {
            logger.error("a save could not be recorded", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }

    /// Brings a saved document's row up to date with its file: size, times, automatic display name.
    func finishSave(_ entry: inout Entry, _ transaction: Transaction) throws {
        try recordBackingStatus(&entry, transaction)
        guard entry.kind == .document, entry.naming != .given else { return }
        let folder = try backing.folder(entry.parent, transaction)
        let content = try folder.openUnnoticed(entry.filename).readPrefix(AutomaticName.examinedLength)
        let name = namespace.automaticName(of: entry, content: content)
        guard name != entry.name else { return }
        if let old = entry.name { transaction.announce(.nameChanged(old.full, in: entry.parent)) }
        transaction.announce(.nameChanged(name.full, in: entry.parent))
        let formerName = entry.name
        entry.document?.name = name
        try namespace.announceListedName(of: entry, formerly: formerName, transaction)
        entry.markPending(.name)
        backing.writeDisplayName(name.displayName, of: entry.filename, in: folder, transaction)
    }

    /// Copies size, time and mode of the backing file into the row. By them a change that is made while docfs does not run is recognised.
    func recordBackingStatus(_ entry: inout Entry, _ rows: Rows) throws {
        let status = try backing.folder(entry.parent, rows).status(entry.filename)
        entry.size = Int64(status.st_size)
        entry.modified = Timestamp(status.st_mtim)
        let mode = FileMode.held(entry.mode, by: status.st_mode)
        if mode != entry.mode {
            entry.mode = mode
            entry.markPending(.mode)
        }
    }

    /// fsync(2) makes the content durable, the row that names it, and the names in its folder.
    func synchronize(_ handle: Handle, dataOnly: Bool) throws(Refusal) {
        // fdatasync(2) need not write the file's times. After a crash they would not tell of the change, so the row must.
        guard transactions.tryToRecordUnseenWrites(to: .only([handle.inode])) else {
            throw .storeFailed("a write could not be recorded")
        }
        let isSaved = handle.canWrite && handle.file.withWriting(\.isModified) && !openFiles.isPlain(handle.file)
        let look = try Refusal.wrapping {
            let look = isSaved ? ContentLook(try handle.descriptor.status()) : nil
            try handle.descriptor.synchronize(dataOnly: dataOnly)
            return look
        }
        if handle.file.isUnlinked { return }
        if let look { markSaved(handle.file, look) }
        try synchronizeNames { transaction in
            try transaction.entry(handle.inode).map { try backing.folder($0.parent, transaction) }
        }
    }

    /// fsync(2) of a folder makes the names in it durable.
    func synchronizeFolder(_ inode: InodeNumber) throws(Refusal) {
        // Entries that are created in `Documents` lie in the preferred location.
        try synchronizeNames { try backing.folder(inode == .documents ? namespace.preferredFolder : inode, $0) }
    }

    private func synchronizeNames(_ folder: (Rows) throws -> BackingFolder?) throws(Refusal) {
        let folder = try inspect(folder)
        try Refusal.wrapping { try folder?.synchronize() }
        do { try store.catalog.synchronize() } catch {
            logger.error("the catalog could not be made durable", metadata: ["error": "\(error)"])
            throw .storeFailed("the catalog could not be made durable")
        }
    }

    func fileSystemStatus() throws(Refusal) -> statvfs {
        try Refusal.wrapping { try backing.root.fileSystemStatus() }
    }

    /// A rename gave a document this content. If the file is still open for writing, its close finishes the save.
    func finishSaveByRenaming(_ entry: inout Entry, _ transaction: Transaction) throws {
        if let file = openFiles.file(entry.inode), file.isOpenForWriting {
            markSaved(file, ContentLook(try file.descriptor.status()))
        } else {
            try finishSave(&entry, transaction)
        }
    }
}
