import Replica
import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

/// What a file of the store says that its row does not: an edit by another hand, content that had just arrived, a file without a row.
final class FoundFiles: LibraryPart {
    let transactions: Transactions
    let namespace: Namespace
    let contents: Contents
    let withdrawals: Withdrawals

    init(
        _ transactions: Transactions, namespace: Namespace, contents: Contents, withdrawals: Withdrawals
    ) {
        self.transactions = transactions
        self.namespace = namespace
        self.contents = contents
        self.withdrawals = withdrawals
    }
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
                try contents.finishSave(&entry, catalog)
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
            if Fingerprint(status) == known.map({ Fingerprint(size: $0.size, modified: $0.modified) })
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
        try contents.finishSave(&entry, catalog)
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
            try contents.finishSave(&entry, catalog)
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
            try withdrawals.withdrawDeparting(&entry, catalog)
            entry.isHere = true
            entry.contentVersion = found.id
            entry.error = nil
            return try catalog.update(entry)
        }
        let name = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, catalog)
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

    /// Must be asked before something takes the place of a file, or the file is removed because another device says so.
    ///
    /// - Returns: whether somebody edited it unseen. It is noted.
    ///
    /// - Parameter inherited: the version that the file holds, if it has just gone to another document.
    func noteEditInStore(
        of entry: inout Entry, inherited: DocumentVersion? = nil, _ catalog: CatalogTransaction
    ) throws -> Bool {
        // Of a file that is open it is known (`UnseenWrites`).
        if let file = openFiles.file(entry.inode), file.arrival?.stage != .underWay { return false }
        guard entry.kind == .document, let folder = try? backing.folder(entry.parent, catalog),
            let status = try? folder.status(entry.filename)
        else { return false }
        if entry.isBackingCurrent, Fingerprint(status) == Fingerprint(entry) { return false }
        guard try noteChangeInStore(of: &entry, status, .edits, inherited: inherited, catalog) else { return false }
        transfers.noteClosed(entry.inode)
        return true
    }
}
