import CLinux
import Catalog
import Documents
import Glibc
import Logging
import Replication
import SystemPackage

/// Makes catalog and backing files agree again after an unclean end. Its rules: a file is never deleted
/// because no row names it; it becomes a document. What a row names and is not there is looked for
/// elsewhere by its inode number, since it may have been moved just before the process died; if it is
/// nowhere it was being removed, so the row goes too.
extension Library {
    func reconcile() throws {
        // A catalog without a word on it is new, perhaps in the place of one that was lost.
        let wasClean = try catalog.read { try $0.setting(.isClean) } == "yes"
        let isNew = try catalog.read { try $0.setting(.isClean) } == nil
        try catalog.write { catalog in
            try catalog.set(.isClean, "no")
            try recogniseCopy(catalog)
            try settleRemovals(catalog)
        }
        if wasClean { return }
        if !isNew { logger.notice("the store was not closed cleanly; comparing it with its files") }
        try catalog.write { catalog in
            var misplaced = try MisplacedFiles(backing, catalog)
            try misplaced.putBack(logger)
            try compareRows(catalog)
            for folder in [InodeNumber.local, .cloud] {
                // What has no content is made again if it is wanted: the log was being applied.
                try adoptFiles(below: folder, dropsEmpty: folder == .cloud && !isNew, catalog)
            }
        }
    }

    /// In a copy of a store the files have other inode numbers.
    private func recogniseCopy(_ catalog: CatalogTransaction) throws {
        let inode = String(try backing.staging.status(".").st_ino)
        if try catalog.setting(.storeInode) == inode { return }
        try catalog.forgetBackingInodes()
        try catalog.set(.storeInode, inode)
    }

    /// What was set aside goes if its row went, and goes back if the row is still there. Parts of
    /// downloads start anew.
    private func settleRemovals(_ catalog: CatalogTransaction) throws {
        for name in try backing.staging.names() {
            if let inode = BackingStore.inode(setAsideAs: name), let entry = try catalog.entry(inode) {
                let folder = try backing.folder(entry.parent, catalog)
                if folder.exists(entry.filename) {
                    try backing.discard(inode)
                } else {
                    try backing.putBack(entry.filename, of: inode, in: folder)
                }
            } else {
                try backing.staging.removeFile(name)
            }
        }
    }

    private func compareRows(_ catalog: CatalogTransaction) throws {
        for var entry in try catalog.descendants(of: .local) + catalog.descendants(of: .cloud) {
            guard let folder = try? backing.folder(entry.parent, catalog) else { continue }
            let status = try statusIfPresent(entry.filename, in: folder)
            switch (entry.kind, status) {
            case (.folder, nil):
                try folder.makeFolder(entry.filename, mode: entry.mode == 0 ? 0o755 : entry.mode)
                try noteBackingInode(&entry, in: folder, catalog)
            case (.symbolicLink, nil):
                try folder.makeSymbolicLink(entry.filename, target: entry.target ?? [])
                try noteBackingInode(&entry, in: folder, catalog)
            case (_, nil) where entry.isHere:
                try dropMissing(entry, catalog)
            case (.document, let status?) where entry.isReplicated && entry.isBackingCurrent:
                let isStillWritten = try isStillWritten(entry, in: folder)
                guard isStillWritten || FileLook(entry) != FileLook(status), !entry.pending.contains(.content) else { break }
                try noteUnseenSave(of: &entry, catalog)
            case (.document, let status?) where entry.isReplicated && entry.isOutdated:
                if try isEdited(entry, status, in: folder, catalog) { try noteUnseenSave(of: &entry, catalog) }
            default: break
            }
            if let status, entry.isHere, entry.backingInode != UInt64(status.st_ino) {
                try noteBackingInode(&entry, in: folder, catalog)
            }
        }
    }

    /// It counts as changed then: it is sent when nobody writes to it any more (`isMapped`), if it is another content.
    private func isStillWritten(_ entry: Entry, in folder: BackingFolder) throws -> Bool {
        guard surroundings.asksForLeases else { return false }
        return unseenWrites.isHeldSinceBefore(try folder.openUnnoticed(entry.filename))
    }

    private func noteUnseenSave(of entry: inout Entry, _ catalog: CatalogTransaction) throws {
        entry.notePending(.content)
        try finishSave(&entry, catalog)
        try catalog.update(entry)
    }

    /// Whether somebody who had the document open went on writing to it after a newer version had come.
    private func isEdited(
        _ entry: Entry, _ status: stat, in folder: BackingFolder, _ catalog: CatalogTransaction
    ) throws -> Bool {
        let versions = try entry.id.flatMap { try CatalogReplica(catalog).entry($0)?.versions?.all }
        guard let version = versions?.first(where: { $0.id == entry.contentVersion }) else { return false }
        if FileLook(version) == FileLook(status) { return false }
        let file = try folder.openUnnoticed(entry.filename)
        return try !withExtendedLifetime(file) { try version.isContent(of: FileDescriptor(rawValue: file.number)) }
    }

    private func noteBackingInode(
        _ entry: inout Entry, in folder: BackingFolder, _ catalog: CatalogTransaction
    ) throws {
        entry.backingInode = UInt64(try folder.status(entry.filename).st_ino)
        try catalog.update(entry)
    }

    /// Nil only for what is certainly not there.
    private func statusIfPresent(_ name: String, in folder: BackingFolder) throws(Errno) -> stat? {
        do throws(Errno) {
            return try folder.status(name)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// A local document without its file has gone; a cloud document is a placeholder again.
    private func dropMissing(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        if entry.isReplicated, entry.kind == .document, entry.currentVersion != nil {
            var placeholder = entry
            placeholder.isHere = false
            placeholder.contentVersion = nil
            placeholder.backingInode = 0
            placeholder.pending.remove(.content)
            try catalog.update(placeholder)
        } else {
            logger.warning("a file of the store is gone", metadata: ["filename": "\(entry.filename)"])
            try catalog.delete(entry.inode)
        }
    }

    private func adoptFiles(
        below folder: InodeNumber, dropsEmpty: Bool, _ catalog: CatalogTransaction
    ) throws {
        let directory = try backing.folder(folder, catalog)
        guard let names = try? directory.names() else {
            logger.warning("a folder of the store cannot be read", metadata: ["inode": "\(folder)"])
            return
        }
        var unknown: [(time: Timestamp, name: String)] = []
        for name in names {
            if let known = try catalog.entry(in: folder, filename: name) {
                if known.kind == .folder { try adoptFiles(below: known.inode, dropsEmpty: dropsEmpty, catalog) }
            } else {
                unknown.append((Timestamp(try directory.status(name).st_mtim), name))
            }
        }
        // The older first: in the order in which they were made, for all that can be known.
        for (_, name) in unknown.sorted(by: <) {
            if dropsEmpty, directory.dropIfEmpty(name) { continue }
            if let adopted = try adopt(name, in: folder, directory, catalog) {
                logger.notice("a file without a row was adopted", metadata: ["filename": "\(name)"])
                if adopted.kind == .folder { try adoptFiles(below: adopted.inode, dropsEmpty: dropsEmpty, catalog) }
            } else {
                logger.warning("what is no file, folder or link was left alone", metadata: ["name": "\(name)"])
            }
        }
    }

    /// Makes a row for a file that has none. The filename stays what it is; the display name is that
    /// which the file carries.
    ///
    /// - Returns: nil for what cannot be an entry.
    private func adopt(
        _ name: String, in parent: InodeNumber, _ directory: BackingFolder, _ catalog: CatalogTransaction
    ) throws -> Entry? {
        guard let folder = try catalog.entry(parent), let entryName = try? EntryName(name) else { return nil }
        let status = try directory.status(name)
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let isScratch = isFolder ? folder.place.folder(entryName).isScratch : folder.place.isScratch(entryName)
        let kind: EntryKind
        switch status.st_mode & S_IFMT {
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .symbolicLink
        case S_IFREG: kind = isScratch ? .scratch : .document
        default: return nil
        }
        var entry = Entry(
            parent: parent, container: folder.container, kind: kind, filename: name,
            created: Timestamp(status.st_mtim), position: try catalog.nextPosition(in: parent),
            mode: UInt16(status.st_mode & 0o7777))
        if isFolder { entry.place = folder.place.folder(entryName) }
        if kind == .symbolicLink { entry.target = try directory.readSymbolicLink(name) }
        if kind == .document { try nameAdopted(&entry, entryName, folder, directory) }
        if !isScratch {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            entry.notePending(kind == .document ? [.creation, .content] : .creation)
        }
        entry.size = Int64(status.st_size)
        entry.backingInode = UInt64(status.st_ino)
        entry.inode = try catalog.insert(entry)
        return entry
    }

    private func nameAdopted(
        _ entry: inout Entry, _ name: EntryName, _ folder: Entry, _ directory: BackingFolder
    ) throws {
        let split = DocumentName(splitting: name)
        entry.hasGeneratedFilename = !folder.place.keepsName(name)
        let displayName = directory.displayName(of: name.text)
        let named = displayName.flatMap { try? DocumentName(displayName: $0, pathExtension: split.pathExtension) }
        entry.name = named ?? split
    }
}

extension BackingFolder {
    /// Removes a link, or a folder that holds nothing but such.
    ///
    /// - Returns: whether it is gone.
    fileprivate func dropIfEmpty(_ name: String) -> Bool {
        guard let status = try? status(name) else { return false }
        switch status.st_mode & S_IFMT {
        case S_IFLNK:
            return (try? removeFile(name)) != nil
        case S_IFDIR:
            guard let inner = try? folder(name), let names = try? inner.names() else { return false }
            return names.allSatisfy { inner.dropIfEmpty($0) } && (try? removeFolder(name)) != nil
        default:
            return false
        }
    }
}
