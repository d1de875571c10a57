import Backing
import Catalog
import Documents
import Glibc
import Replication
import SystemPackage

/// Begins a document's identity, moves it from one file to another, and gives back the identity of a document that was removed a moment
/// ago.
final class Identities: LibraryPart {
    let transactions: Transactions
    let namespace: Namespace
    let contents: Contents
    let withdrawals: Withdrawals
    let actions: Actions
    let recentlyRemoved = RecentlyRemoved()

    init(
        _ transactions: Transactions, namespace: Namespace, contents: Contents, withdrawals: Withdrawals,
        actions: Actions
    ) {
        self.transactions = transactions
        self.namespace = namespace
        self.contents = contents
        self.withdrawals = withdrawals
        self.actions = actions
    }

    /// Gives a new file the identity of a document that was deleted, or renamed to a backup, a moment ago.
    ///
    /// - Parameter entry: the file's row, in its location already: its folder may have moved since the document was removed.
    /// - Returns: false when another entry has the identity or its filename by now.
    func giveIdentity(
        of removed: RecentlyRemoved.Document, to entry: inout Entry, by caller: Caller, _ transaction: Transaction
    ) throws -> Bool {
        guard let id = removed.entry.id else { return false }
        // A newer version may have given the backup another inode number since.
        let backup = try transaction.entry(id)
        guard (backup != nil) == removed.isBackup else { return false }
        // A file that waits for its content can only be the placeholder again that it was.
        let awaited = try entry.isHere ? nil : entry.awaitedContent()
        if !entry.isHere, awaited?.document != id { return false }
        var document = removed.entry
        try namespace.adoptAttributes(of: entry, to: &document)
        if let backup {
            try makeDocument(ofBackup: backup, transaction)
        } else if try transaction.entry(in: removed.entry.parent, filename: removed.entry.filename) != nil {
            return false
        }
        entry.adoptIdentity(of: document)
        entry.parent = removed.entry.parent
        entry.continueSynchronization(of: backup ?? removed.entry)
        if entry.isReplicated {
            try withdrawals.adoptVersionSentMeanwhile(&entry, id, transaction)
            try transaction.deleteWithdrawal(id)
        }
        if let step = removed.step { try actions.forget(step, transaction) }
        if awaited != nil {
            entry.awaited = nil
            return true
        }
        contents.setBaseVersion(of: &entry, savedBy: caller, transaction)
        entry.markPending([.creation, .content])
        return true
    }

    /// Gives the source of a rename the identity of the document that was removed from its new name a moment ago. If the source was a
    /// document itself, it ends, as if it had been renamed over that document.
    ///
    /// - Returns: false where there is no such document, or the source is its backup.
    func continueRecentlyRemoved(
        _ entry: inout Entry, _ move: Move, by caller: Caller, _ transaction: Transaction
    ) throws -> Bool {
        let source = move.source
        guard
            let removed = recentlyRemoved.remove(move.name, in: move.folder.inode, now: surroundings.now()),
            removed.entry.id != source.id, try giveIdentity(of: removed, to: &entry, by: caller, transaction)
        else { return false }
        if source.kind == .document {
            try withdrawals.requireKeptConflicts(of: source, transaction)
            try withdrawals.withdraw(source, heir: entry.id, transaction)
        }
        return true
    }

    /// Makes a program's backup of a document a document of its own. The file that is being written in its former place then gets the
    /// identity. A content that is not here is fetched and sent again as the backup's own.
    private func makeDocument(ofBackup kept: Entry, _ transaction: Transaction) throws {
        var backup = kept
        guard let folder = try transaction.entry(kept.parent), let name = kept.name else { return }
        let directory = try backing.folder(kept.parent, transaction)
        let content = try withdrawals.contentToFetch(of: kept, transaction)
        if content != nil { try withdrawals.setOlderFileAside(of: kept, transaction) }
        try giveNewIdentity(to: &backup, called: try EntryName(name.full), in: folder, transaction)
        backup.currentVersion = nil
        backup.contentVersion = nil
        backup.conflicts = 0
        if let content {
            // The document was on its way out of the cloud: now the backup is, which has its content.
            if kept.location == .local, kept.awaited == nil {
                try withdrawals.withdraw(kept.inCloud, togetherWith: kept.step, transaction)
            }
            transfers.forget(kept.inode)
            try backup.wait(for: content)
        }
        if backup.filename != kept.filename {
            if backup.isHere { try directory.rename(kept.filename, to: directory, backup.filename) }
            transaction.announce(.nameChanged(kept.filename, in: kept.parent))
        }
        try transaction.update(backup)
    }

    /// Makes an entry a new document called `name`.
    func giveNewIdentity(
        to entry: inout Entry, called name: EntryName, in folder: Entry, _ transaction: Transaction
    ) throws {
        let documentName = DocumentName(splitting: name)
        var random = surroundings.random()
        entry.document = DocumentIdentity(name: documentName, naming: Naming(createdAs: documentName))
        entry.id = .random(using: &random)
        if folder.namingContext.keepsName(name) {
            entry.filename = name.text
            entry.hasGeneratedFilename = false
        } else {
            entry.filename = try namespace.newFilename(for: documentName, in: folder.inode, transaction)
            entry.hasGeneratedFilename = true
        }
        if entry.hasGeneratedFilename { try namespace.applyRestoredName(to: &entry) }
        if entry.naming == .untitled {
            let name = namespace.automaticName(of: entry, content: [])
            entry.document?.name = name
        }
        entry.markPending([.creation, .content])
    }
}

extension Entry {
    /// Makes the entry the document that `other` was. The file and its mode stay.
    mutating func adoptIdentity(of other: Entry) {
        nature = other.nature
        id = other.id
        filename = other.filename
        hasGeneratedFilename = other.hasGeneratedFilename
        created = other.created
        position = other.position
        attributes = other.attributes
        currentVersion = other.currentVersion
        contentVersion = other.shownVersion
        conflicts = other.conflicts
        pending = other.pending
        revision = max(revision, other.revision) + 1
        step = other.step
    }

    /// Goes on telling the container of the document where `last` stopped, the row that had its identity last: the document gets names, a
    /// place and attributes back that it had before, while what it had in between was sent, or is on its way.
    fileprivate mutating func continueSynchronization(of last: Entry) {
        currentVersion = last.currentVersion
        contentVersion = last.shownVersion
        conflicts = last.conflicts
        pending = last.pending
        revision = max(revision, last.revision)
        step = last.step
        markPending(differences(from: last))
    }

    /// The version that the device shows. A save in place of the document replaces that one, also where an older version is here.
    private var shownVersion: VersionID? { isBackingCurrent ? contentVersion : currentVersion }

    /// The properties of the description in which it differs from another row of the same document.
    private func differences(from other: Entry) -> PendingChanges {
        var changes: PendingChanges = []
        if document != other.document { changes.insert(.name) }
        if parent != other.parent || filename != other.filename { changes.insert(.place) }
        if position != other.position { changes.insert(.position) }
        if attributes != other.attributes { changes.insert(.attributes) }
        if mode != other.mode { changes.insert(.mode) }
        return changes
    }

    /// The entry as it was before it left the cloud.
    var inCloud: Entry {
        var entry = self
        entry.location = .cloud
        return entry
    }

    /// Makes a document a scratch file, and any entry one that the container does not know.
    mutating func dropIdentity() {
        if kind == .document { nature = .scratch }
        id = nil
        hasGeneratedFilename = false
        currentVersion = nil
        contentVersion = nil
        conflicts = 0
        pending = []
        step = nil
        error = nil
    }
}
