import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import Replica
import Replication
import Synchronization
import SystemPackage

/// Updates rows from files of the store that changed without docfs: an edit by another program, content that had just arrived before a
/// crash, a file without a row.
final class FoundFiles: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let transfers: Transfers
    let namespace: Namespace
    let contents: Contents
    let withdrawals: Withdrawals

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, unseenWrites: UnseenWrites,
        transfers: Transfers, namespace: Namespace, contents: Contents, withdrawals: Withdrawals
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.transfers = transfers
        self.namespace = namespace
        self.contents = contents
        self.withdrawals = withdrawals
    }

    /// Finds out whether another program than this mount changed a document's file, and records the change as a save. So no version from
    /// another device replaces the edit.
    ///
    /// - Parameter status: of the file.
    /// - Returns: whether there is a save that the container must be told of.
    func recordChangeInStore(
        of entry: inout Entry, _ status: stat, _ occasion: Reconciliation.Occasion,
        inherited: DocumentVersion? = nil, _ transaction: Transaction
    ) throws -> Bool {
        if !entry.isHere, entry.awaited != nil {
            // The content had just arrived, or somebody put another one there.
            try withdrawals.withdrawIfLeavingCloud(&entry, transaction)
            transfers.forget(entry.inode)
            entry.isHere = true
            entry.error = nil
            try contents.finishSave(&entry, transaction)
            try transaction.update(entry)
            return entry.isReplicated
        }
        if entry.location == .local {
            if !entry.isHere {
                try adoptFoundContentOfLeaving(&entry, status, transaction)
            } else if entry.naming != .given, Fingerprint(entry) != Fingerprint(status) {
                try contents.finishSave(&entry, transaction)
                try transaction.update(entry)
            }
            return false
        }
        guard entry.isReplicated else { return false }
        if !entry.isHere { return try adoptFoundContent(&entry, status, transaction) }
        let folder = try backing.folder(entry.parent, transaction)
        let isStillWritten = try isStillWritten(entry, in: folder)
        // A pending edit is sent anyway. Without a content version the file holds an edit that was given up for another version.
        if entry.pending.contains(.content) || entry.contentVersion == nil { return false }
        if !isStillWritten {
            let known = try knownVersion(entry.contentVersion, of: entry, transaction) ?? inherited
            if Self.looks(Fingerprint(status), as: known, of: entry) { return false }
            if let known, known.size == Int64(status.st_size), try isContent(of: known, entry, in: folder) {
                try recordOtherTime(of: &entry, status, known, occasion, in: folder, transaction)
                return false
            }
        }
        entry.markPending(.content)
        try contents.finishSave(&entry, transaction)
        try transaction.update(entry)
        return true
    }

    /// Whether a document's file looks other than the version that its row says. It may have the same content all the same.
    func looksChanged(_ entry: Entry, _ file: Fingerprint, _ rows: Rows) throws -> Bool {
        if entry.contentVersion == nil { return false }
        return try !Self.looks(file, as: knownVersion(entry.contentVersion, of: entry, rows), of: entry)
    }

    private static func looks(_ file: Fingerprint, as known: DocumentVersion?, of entry: Entry) -> Bool {
        file == known.map { Fingerprint(size: $0.size, modified: $0.modified) }
            || entry.isBackingCurrent && file == Fingerprint(entry)
    }

    /// The row is a placeholder, and there is a file at its path: content that had just arrived, or an edit.
    ///
    /// - Returns: whether it is an edit.
    private func adoptFoundContent(_ entry: inout Entry, _ status: stat, _ transaction: Transaction) throws -> Bool {
        let folder = try backing.folder(entry.parent, transaction)
        let known = try knownVersion(entry.currentVersion, of: entry, transaction)
        let isCurrent =
            try known.map { try $0.size == Int64(status.st_size) && isContent(of: $0, entry, in: folder) } ?? false
        entry.isHere = true
        entry.contentVersion = entry.currentVersion
        entry.error = nil
        if isCurrent {
            try folder.setModified(entry.filename, entry.modified.timespec)
        } else {
            entry.markPending(.content)
            try contents.finishSave(&entry, transaction)
        }
        try transaction.update(entry)
        return !isCurrent
    }

    /// The document was moved out of the cloud before its content was here, and there is a file at its path: content that had just arrived,
    /// an older version, which is ignored, or an edit, which is kept as a document of its own.
    private func adoptFoundContentOfLeaving(_ entry: inout Entry, _ status: stat, _ transaction: Transaction) throws {
        let folder = try backing.folder(entry.parent, transaction)
        let versions = try entry.id.flatMap { try CatalogReplica(transaction).entry($0)?.versions?.all } ?? []
        let found = try versions.first { try $0.size == Int64(status.st_size) && isContent(of: $0, entry, in: folder) }
        if let found {
            guard found.id == entry.currentVersion else { return }
            try withdrawals.withdrawIfLeavingCloud(&entry, transaction)
            entry.isHere = true
            entry.contentVersion = found.id
            entry.error = nil
            return try transaction.update(entry)
        }
        let name = try namespace.newFilename(entry.name?.pathExtension ?? "", in: entry.parent, transaction)
        try folder.move(entry.filename, to: folder, name, transaction)
        if let displayName = entry.name?.displayName {
            backing.writeDisplayName(displayName, of: name, in: folder, transaction)
        }
        _ = try adopt(.init(folder: entry.parent, name: name, found: try folder.identify(name)), folder, transaction)
    }

    /// A file has another time of modification but the same content.
    private func recordOtherTime(
        of entry: inout Entry, _ status: stat, _ version: DocumentVersion, _ occasion: Reconciliation.Occasion,
        in folder: BackingFolder, _ transaction: Transaction
    ) throws {
        // Another version is shown, with its own time.
        if !entry.isBackingCurrent { return }
        if occasion == .copy {
            // The copy did not keep the time.
            return try folder.setModified(entry.filename, version.modified.timespec)
        }
        entry.modified = Timestamp(status.st_mtim)
        entry.markPending(.modified)
        try transaction.update(entry)
    }

    private func knownVersion(_ id: VersionID?, of entry: Entry, _ rows: Rows) throws
        -> DocumentVersion?
    {
        guard let id, let document = entry.id else { return nil }
        return try CatalogReplica(rows).entry(document)?.versions?.all.first { $0.id == id }
    }

    private func isContent(of version: DocumentVersion, _ entry: Entry, in folder: BackingFolder) throws -> Bool {
        let file = try folder.openUnnoticed(entry.filename)
        return try withExtendedLifetime(file) { try version.isContent(of: FileDescriptor(rawValue: file.number)) }
    }

    /// Whether the file of a document holds a content that the container has already, although its content counts as pending: while it was
    /// sent, something else of the document changed, such as its name.
    func holdsSentContent(_ entry: Entry, _ rows: Rows) throws -> Bool {
        guard !openFiles.isOpen(entry.inode), let version = try knownVersion(entry.contentVersion, of: entry, rows),
            let folder = try backing.folderIfPresent(entry.parent, rows),
            try folder.statusIfPresent(entry.filename) != nil
        else { return false }
        return try isContent(of: version, entry, in: folder)
    }

    /// A program that had a document open when docfs ended may go on writing to the file. The document then counts as changed. It is sent
    /// when no program writes to it any more (`isMapped`), if its content differs.
    private func isStillWritten(_ entry: Entry, in folder: BackingFolder) throws -> Bool {
        guard surroundings.asksForLeases, entry.isBackingCurrent, !openFiles.isOpen(entry.inode) else { return false }
        return unseenWrites.isHeldSinceBefore(try folder.openUnnoticed(entry.filename))
    }

    /// Records an edit of a document's file that no mount saw. To be called before the file is replaced, or removed because another device
    /// removed the document.
    ///
    /// - Parameter inherited: the version that the file holds, if that version has just passed to another document.
    /// - Returns: whether the file was edited.
    func recordEditInStore(
        of entry: inout Entry, inherited: DocumentVersion? = nil, _ transaction: Transaction
    ) throws -> Bool {
        // Writes to an open file are recorded already (`UnseenWrites`).
        if let file = openFiles.file(entry.inode), file.arrival?.stage != .underWay { return false }
        // A file that is gone was not edited. One that cannot be looked at may have been, and stays.
        guard entry.kind == .document, let folder = try backing.folderIfPresent(entry.parent, transaction),
            let status = try folder.statusIfPresent(entry.filename)
        else { return false }
        if entry.isBackingCurrent, Fingerprint(status) == Fingerprint(entry) { return false }
        guard try recordChangeInStore(of: &entry, status, .edits, inherited: inherited, transaction) else {
            return false
        }
        transfers.markClosed(entry.inode)
        return true
    }
}
