import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import Replication
import SystemPackage

/// A row and the file that is its own: what of the file is news.
extension Reconciliation {
    /// Takes over into a row what its file says: its name, and content that changed unseen.
    func match(_ row: Entry, _ found: IdentifiedStatus, in directory: BackingFolder) throws {
        var entry = row
        if occasion != .failedWrite, row.backing != found.evidence {
            entry.backing = found.evidence
            try catalog.update(entry)
        }
        guard row.kind == .document else { return }
        try matchName(&entry, in: directory)
        if occasion != .failedWrite { _ = try library.noteChangeInStore(of: &entry, found.status, occasion, catalog) }
    }

    /// After an unclean end the name that a file carries is later than its row's.
    private func matchName(_ entry: inout Entry, in directory: BackingFolder) throws {
        guard entry.hasGeneratedFilename, let name = entry.name,
            let carried = directory.displayName(of: entry.filename),
            !carried.isIdentical(to: name.displayName)
        else { return }
        if occasion == .failedWrite {
            library.backing.mirror(displayName: name.displayName, of: entry.filename, in: directory)
            return
        }
        guard let later = try? DocumentName(displayName: carried, pathExtension: name.pathExtension) else { return }
        entry.document?.name = later
        entry.notePending(.name)
        try catalog.update(entry)
    }
}

extension Library {
    /// Finds out whether a document's file was changed by somebody else than this mount, and notes it as a save: so that no
    /// version from elsewhere takes its place unseen.
    ///
    /// - Parameter status: of the file.
    /// - Returns: whether it is a save that the container must hear of.
    func noteChangeInStore(
        of entry: inout Entry, _ status: stat, _ occasion: Reconciliation.Occasion,
        inherited: DocumentVersion? = nil, _ catalog: CatalogTransaction
    ) throws -> Bool {
        if entry.container == .local {
            if !entry.isHere {
                try takeFoundOfDeparting(&entry, status, catalog)
            } else if entry.naming != .given, Fingerprint(entry) != Fingerprint(status) {
                try finishSave(&entry, catalog)
                try catalog.update(entry)
            }
            return false
        }
        guard entry.isReplicated else { return false }
        if !entry.isHere { return try takeFound(&entry, status, catalog) }
        let folder = try backing.folder(entry.parent, catalog)
        let isStillWritten = try isStillWritten(entry, in: folder)
        // Without a content version the file holds an edit that was given up for another version.
        if entry.pending.contains(.content) || entry.contentVersion == nil { return false }
        if !isStillWritten {
            let known = try knownVersion(entry.contentVersion, of: entry, catalog) ?? inherited
            if Fingerprint(status) == known.map(Fingerprint.init)
                || entry.isBackingCurrent && Fingerprint(status) == Fingerprint(entry)
            {
                return false
            }
            if let known, known.size == Int64(status.st_size), try isContent(of: known, entry, in: folder) {
                try noteOtherTime(of: &entry, status, known, occasion, in: folder, catalog)
                return false
            }
        }
        entry.notePending(.content)
        try finishSave(&entry, catalog)
        try catalog.update(entry)
        return true
    }

    /// The row says that the content is not here, and a file is in its place: the content that was on its way, or an edit.
    ///
    /// - Returns: whether it is an edit.
    private func takeFound(_ entry: inout Entry, _ status: stat, _ catalog: CatalogTransaction) throws -> Bool {
        let folder = try backing.folder(entry.parent, catalog)
        let known = try knownVersion(entry.currentVersion, of: entry, catalog)
        let isCurrent =
            try known.map { try $0.size == Int64(status.st_size) && isContent(of: $0, entry, in: folder) } ?? false
        entry.isHere = true
        entry.contentVersion = entry.currentVersion
        entry.error = nil
        if isCurrent {
            try folder.setTimes(entry.filename, [entry.modified.timespec, entry.modified.timespec])
        } else {
            entry.notePending(.content)
            try finishSave(&entry, catalog)
        }
        try catalog.update(entry)
        return !isCurrent
    }

    /// The document is on its way out of the cloud, and a file is in its place: the content that was on its way, an older version
    /// that is of no use, or an edit, which is kept as a document of its own.
    private func takeFoundOfDeparting(_ entry: inout Entry, _ status: stat, _ catalog: CatalogTransaction) throws {
        let folder = try backing.folder(entry.parent, catalog)
        let versions = try entry.id.flatMap { try CatalogReplica(catalog).entry($0)?.versions?.all } ?? []
        let found = try versions.first { try $0.size == Int64(status.st_size) && isContent(of: $0, entry, in: folder) }
        if let found {
            guard found.id == entry.currentVersion else { return }
            try withdrawDeparting(&entry, catalog)
            entry.isHere = true
            entry.contentVersion = found.id
            entry.error = nil
            return try catalog.update(entry)
        }
        let name = try newFilename(entry.name?.pathExtension ?? "", in: entry.parent, catalog)
        try folder.rename(entry.filename, to: folder, name, flags: RENAME_NOREPLACE)
        if let displayName = entry.name?.displayName { backing.mirror(displayName: displayName, of: name, in: folder) }
        _ = try adopt(.init(folder: entry.parent, name: name, found: try folder.identify(name)), folder, catalog)
    }

    /// The content is what it was; only its time is another.
    private func noteOtherTime(
        of entry: inout Entry, _ status: stat, _ version: DocumentVersion, _ occasion: Reconciliation.Occasion,
        in folder: BackingFolder, _ catalog: CatalogTransaction
    ) throws {
        // Another version is shown: nobody sees the time of this one.
        if !entry.isBackingCurrent { return }
        if occasion == .copy {
            // The backup did not keep it.
            return try folder.setTimes(entry.filename, [version.modified.timespec, version.modified.timespec])
        }
        entry.modified = Timestamp(status.st_mtim)
        entry.notePending(.modified)
        try catalog.update(entry)
    }

    private func knownVersion(_ id: VersionID?, of entry: Entry, _ catalog: CatalogTransaction) throws
        -> DocumentVersion?
    {
        guard let id, let document = entry.id else { return nil }
        return try CatalogReplica(catalog).entry(document)?.versions?.all.first { $0.id == id }
    }

    private func isContent(of version: DocumentVersion, _ entry: Entry, in folder: BackingFolder) throws -> Bool {
        let file = try folder.openUnnoticed(entry.filename)
        return try withExtendedLifetime(file) { try version.isContent(of: FileDescriptor(rawValue: file.number)) }
    }

    /// Somebody who had a document open when docfs ended may go on writing to it: it counts as changed, and is sent when nobody
    /// writes to it any more (`isMapped`), if it is another content.
    private func isStillWritten(_ entry: Entry, in folder: BackingFolder) throws -> Bool {
        guard surroundings.asksForLeases, entry.isBackingCurrent, !openFiles.isOpen(entry.inode) else { return false }
        return unseenWrites.isHeldSinceBefore(try folder.openUnnoticed(entry.filename))
    }

    // MARK: Files that are gone

    /// A local document without its file has gone; a cloud document is a placeholder again.
    func dropMissing(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        if entry.isReplicated, entry.kind == .document, entry.currentVersion != nil {
            var placeholder = entry
            placeholder.isHere = false
            placeholder.contentVersion = nil
            placeholder.backing = nil
            placeholder.pending.remove(.content)
            try catalog.update(placeholder)
        } else {
            logger.warning("a file of the store is gone", metadata: ["filename": "\(entry.filename)"])
            try catalog.delete(entry.inode)
        }
    }

    /// A person removed it from the store: it is removed. But nobody has chosen among versions in conflict.
    func dropRemoved(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        if entry.conflicts > 0 { return try dropMissing(entry, catalog) }
        try withdraw(entry, step: nil, catalog)
        try catalog.delete(entry.inode)
        logger.notice("a file was removed from the store", metadata: ["filename": "\(entry.filename)"])
    }

    // MARK: Files that nobody knows

    /// Makes a row for a file that has none. The display name is that which the file carries; the filename stays, unless a
    /// document elsewhere on this device has it.
    ///
    /// - Returns: nil for what cannot be an entry.
    func adopt(_ stray: Reconciliation.Stray, _ directory: BackingFolder, _ catalog: CatalogTransaction) throws
        -> Entry?
    {
        guard let folder = try catalog.entry(stray.folder), let name = try? EntryName(stray.name) else { return nil }
        let status = stray.found.status
        let isScratch = stray.isFolder ? folder.place.folder(name).isScratch : folder.place.isScratch(name)
        let nature: EntryNature
        switch stray.found.type {
        case S_IFDIR: nature = .folder(folder.place.folder(name))
        case S_IFLNK: nature = .symbolicLink(target: try directory.readSymbolicLink(stray.name))
        case S_IFREG:
            nature = isScratch ? .scratch : .document(DocumentIdentity(name: DocumentName(splitting: name)))
        default: return nil
        }
        var entry = Entry(
            parent: stray.folder, container: folder.container, nature: nature, filename: stray.name,
            created: Timestamp(status.st_mtim), position: try catalog.nextPosition(in: stray.folder),
            mode: UInt16(status.st_mode & 0o7777))
        if entry.kind == .document { try nameAdopted(&entry, name, folder, directory, catalog) }
        if !isScratch {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            entry.notePending(entry.kind == .document ? [.creation, .content] : .creation)
        }
        entry.size = Int64(status.st_size)
        entry.backing = stray.found.evidence
        entry.inode = try catalog.insert(entry)
        return entry
    }

    private func nameAdopted(
        _ entry: inout Entry, _ name: EntryName, _ folder: Entry, _ directory: BackingFolder,
        _ catalog: CatalogTransaction
    ) throws {
        let split = DocumentName(splitting: name)
        if folder.place.keepsName(name) { return }
        entry.hasGeneratedFilename = true
        let twin = try catalog.entries(generatedFilename: name.text).first
        let displayName = directory.displayName(of: name.text) ?? twin?.name?.displayName
        if let displayName, let named = try? DocumentName(displayName: displayName, pathExtension: split.pathExtension)
        {
            entry.document?.name = named
        }
        guard twin != nil else { return }
        entry.filename = try newFilename(split.pathExtension, in: folder.inode, catalog)
        try directory.rename(name.text, to: directory, entry.filename, flags: RENAME_NOREPLACE)
        if let displayName { backing.mirror(displayName: displayName, of: entry.filename, in: directory) }
    }
}
