import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Replica
import Replication
import SystemPackage

extension FoundFiles {
    /// A file is gone: a local document is removed with it, a cloud document becomes a placeholder.
    func dropMissing(_ entry: Entry, _ transaction: Transaction) throws {
        if entry.isReplicated, entry.kind == .document, entry.currentVersion != nil {
            var placeholder = entry
            placeholder.isHere = false
            placeholder.contentVersion = nil
            placeholder.evidence = nil
            placeholder.pending.remove(.content)
            // The row has the size and the time of an edit that is lost.
            if let id = entry.id,
                let committed = try CatalogReplica(transaction).visibleEntry(id, at: surroundings.now()),
                let versions = committed.versions
            {
                placeholder.setVersions(versions)
                if !placeholder.pending.contains(.modified) { placeholder.modified = committed.description.modified }
            }
            try transaction.update(placeholder)
        } else {
            logger.warning("a file of the store is gone", metadata: ["filename": "\(entry.filename)"])
            // Those that were renamed over it have no heir then.
            try withdrawals.withdraw(entry, transaction)
            try transaction.delete(entry.inode)
        }
    }

    /// A person removed a file from the store: the entry is removed. A document in conflict is an exception: a person must choose among its
    /// versions first.
    func dropRemoved(_ entry: Entry, _ transaction: Transaction) throws {
        if entry.conflicts > 0 { return try dropMissing(entry, transaction) }
        try withdrawals.withdraw(entry, transaction)
        try transaction.delete(entry.inode)
        logger.notice("a file was removed from the store", metadata: ["filename": "\(entry.filename)"])
    }

    /// Adopts a file: makes a row for it. The display name is the one that the file carries. The filename stays, unless another document
    /// on this device has it.
    ///
    /// - Returns: nil for a file that cannot be an entry: of another type, or with a name that no entry can have.
    func adopt(_ stray: Reconciliation.Stray, _ directory: BackingFolder, _ transaction: Transaction) throws
        -> Entry?
    {
        // A file whose name no entry can have stays in the store, and is not adopted.
        guard let folder = try transaction.entry(stray.folder), let name = try? EntryName(stray.name) else {
            return nil
        }
        let status = stray.found.status
        let isScratch =
            stray.isFolder ? folder.namingContext.folder(name).isScratch : folder.namingContext.isScratch(name)
        let nature: EntryNature
        switch stray.found.type {
        case S_IFDIR: nature = .folder(folder.namingContext.folder(name))
        case S_IFLNK: nature = .symbolicLink(target: try directory.readSymbolicLink(stray.name))
        case S_IFREG:
            nature = isScratch ? .scratch : .document(DocumentIdentity(name: DocumentName(splitting: name)))
        default: return nil
        }
        var entry = Entry(
            parent: stray.folder, location: folder.location, nature: nature, filename: stray.name,
            created: Timestamp(status.st_mtim), position: try nextPosition(in: stray.folder, transaction),
            mode: UInt16(status.st_mode & 0o7777))
        if entry.kind == .document { try nameAdopted(&entry, name, folder, directory, transaction) }
        if !isScratch {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            entry.markPending(entry.kind == .document ? [.creation, .content] : .creation)
        }
        entry.size = Int64(status.st_size)
        entry.evidence = stray.found.evidence
        entry.inode = try transaction.insert(entry)
        return entry
    }

    private func nameAdopted(
        _ entry: inout Entry, _ name: EntryName, _ folder: Entry, _ directory: BackingFolder,
        _ transaction: Transaction
    ) throws {
        let split = DocumentName(splitting: name)
        if folder.namingContext.keepsName(name) { return }
        entry.hasGeneratedFilename = true
        let twin = try transaction.entries(generatedFilename: name.text).first
        let displayName = directory.displayName(of: name.text) ?? twin?.name?.displayName
        // A name that no document can have was not set by docfs.
        if let displayName, let named = try? DocumentName(displayName: displayName, pathExtension: split.pathExtension)
        {
            entry.document?.name = named
        }
        guard twin != nil else { return }
        entry.filename = try namespace.newFilename(split.pathExtension, in: folder.inode, transaction)
        try directory.move(name.text, to: directory, entry.filename, transaction)
        if let displayName { backing.writeDisplayName(displayName, of: entry.filename, in: directory, transaction) }
    }
}
