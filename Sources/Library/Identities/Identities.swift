import Backing
import Catalog
import Documents
import Glibc

/// A document that was removed a moment ago, and whose identity another file can take.
struct Continuation {
    let removed: RecentlyRemoved.Document
    let id: EntryID
    /// The backup that has the identity; nil if the document was deleted.
    let backup: Entry?
}

/// Begins a document's identity, moves it from one file to another, and gives back the identity of a document that was removed a moment
/// ago.
final class Identities: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let transfers: Transfers
    let namespace: Namespace
    let contents: Contents
    let withdrawals: Withdrawals
    let actions: Actions
    let recentlyRemoved = RecentlyRemoved()

    init(
        _ transactions: Transactions, backing: BackingStore, transfers: Transfers, namespace: Namespace,
        contents: Contents, withdrawals: Withdrawals,
        actions: Actions
    ) {
        self.transactions = transactions
        self.backing = backing
        self.transfers = transfers
        self.namespace = namespace
        self.contents = contents
        self.withdrawals = withdrawals
        self.actions = actions
    }

    /// The document that had a name until a moment ago, if a file that gets the name can take its identity.
    ///
    /// - Parameters:
    ///   - source: the file, if it is renamed; nil if it is created.
    ///   - target: the entry that has the name, and loses it.
    ///   - isExclusive: whether it is created with O_EXCL, which makes a fresh document of `Untitled.EXT`.
    /// - Returns: nil also where another entry has the identity or its filename by now.
    func continuation(
        called name: EntryName, in folder: InodeNumber, by source: Entry? = nil, over target: Entry? = nil,
        isExclusive: Bool = false, _ rows: Rows
    ) throws -> Continuation? {
        guard let removed = recentlyRemoved.document(called: name, in: folder, now: surroundings.now()),
            let id = removed.entry.id, id != source?.id
        else { return nil }
        if isExclusive, removed.alias?.isIdentical(to: name.text) == true { return nil }
        // A newer version may have given the backup another inode number since.
        let backup = try rows.entry(id)
        guard (backup != nil) == removed.isBackup else { return nil }
        // A file that waits for its content can only be the placeholder again that it was.
        if let source, !source.isHere, try source.awaitedContent()?.document != id { return nil }
        if backup == nil, let other = try rows.entry(in: removed.entry.parent, filename: removed.entry.filename),
            other.inode != target?.inode
        {
            return nil
        }
        return Continuation(removed: removed, id: id, backup: backup)
    }

    /// A document as it was before it became a backup of itself, if it had this name then and no other file has taken its identity since.
    func former(of source: Entry, called name: EntryName, in folder: InodeNumber) -> Entry? {
        guard let removed = recentlyRemoved.document(called: name, in: folder, now: surroundings.now()),
            removed.isBackup, removed.entry.id == source.id
        else { return nil }
        return removed.entry
    }

    /// Gives a file the identity of a document that was deleted, or renamed to a backup, a moment ago.
    ///
    /// - Parameter entry: the file's row, in its location already: its folder may have moved since the document was removed.
    func carryOut(
        _ continuation: Continuation, on entry: inout Entry, by caller: Caller, _ transaction: Transaction
    ) throws {
        let removed = continuation.removed
        let awaited = try entry.isHere ? nil : entry.awaitedContent()
        var document = removed.entry
        try namespace.adoptAttributes(of: entry, to: &document)
        if let backup = continuation.backup { try makeDocument(ofBackup: backup, transaction) }
        entry.adoptIdentity(of: document)
        entry.parent = removed.entry.parent
        entry.continueSynchronization(of: continuation.backup ?? removed.entry)
        if entry.isReplicated {
            try withdrawals.adoptVersionSentMeanwhile(&entry, continuation.id, transaction)
            try transaction.deleteWithdrawal(continuation.id)
        }
        if let step = removed.step { try actions.forget(step, transaction) }
        if awaited != nil {
            entry.awaited = nil
            return
        }
        contents.setBaseVersion(of: &entry, savedBy: caller, transaction)
        entry.markPending([.creation, .content])
    }

    /// Ends a document whose file has taken the identity of another one, as if it had been renamed over that.
    func end(_ source: Entry, continuedAs entry: Entry, _ transaction: Transaction) throws {
        try withdrawals.requireKeptConflicts(of: source, transaction)
        try withdrawals.withdraw(source, heir: entry.id, transaction)
        try actions.forgetCreation(of: source, transaction)
    }

    /// Makes a program's backup of a document a document of its own. The file that is being written in its former place then gets the
    /// identity. A content that is not here is fetched and sent again as the backup's own.
    private func makeDocument(ofBackup kept: Entry, _ transaction: Transaction) throws {
        var backup = kept
        guard let folder = try transaction.entry(kept.parent), let name = kept.name else { return }
        let directory = try backing.folder(kept.parent, transaction)
        let content = try withdrawals.contentToFetch(of: kept, transaction)
        if content != nil { try withdrawals.setOlderFileAside(of: kept, transaction) }
        let birth = RenameRule.newDocument(
            called: try EntryName(name.full), in: folder.namingContext,
            couldBeGenerated: namespace.couldHaveGenerated(name))
        try begin(&backup, as: birth, transaction)
        backup.position = positionBeside(backup)
        backup.currentVersion = nil
        backup.contentVersion = nil
        backup.conflicts = 0
        if let content {
            // The document was on its way out of the cloud: now the backup is, which has its content.
            if kept.location == .local, kept.awaited == nil {
                try withdrawals.withdraw(kept.inCloud, togetherWith: kept.bundle, transaction)
            }
            transfers.forget(kept.inode)
            try backup.wait(for: content)
        }
        if backup.filename != kept.filename {
            if backup.isHere { try directory.move(kept.filename, to: directory, backup.filename, transaction) }
            transaction.announce(.nameChanged(kept.filename, in: kept.parent))
        }
        try transaction.update(backup)
    }

    /// Makes an entry a new document, as the rule chose.
    ///
    /// - Parameter entry: in its folder already.
    func begin(_ entry: inout Entry, as birth: Renaming, _ transaction: Transaction) throws {
        guard let name = birth.name else { return }
        var random = surroundings.random()
        entry.document = DocumentIdentity(name: name, naming: birth.naming ?? .given)
        entry.id = .random(using: &random)
        try entry.dropStoredDisplayName()
        try namespace.setFilename(of: &entry, birth.filename, transaction)
        if entry.hasGeneratedFilename { try namespace.applyRestoredName(to: &entry) }
        if entry.naming == .untitled {
            let name = namespace.automaticName(of: entry, content: [])
            entry.document?.name = name
        }
        entry.markPending([.creation, .content])
    }
}

extension Entry {
    /// On a scratch file `user.displayName` is an attribute like others. A document's is its name.
    fileprivate mutating func dropStoredDisplayName() throws {
        if attributes == nil { return }
        var stored = try storedAttributes()
        stored[BackingStore.displayNameAttribute] = nil
        try setStoredAttributes(stored)
    }

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
        bundle = other.bundle
    }

    /// Goes on telling the container of the document where `last` stopped, the row that had its identity last: the document gets names, a
    /// place and attributes back that it had before, while what it had in between was sent, or is on its way.
    fileprivate mutating func continueSynchronization(of last: Entry) {
        currentVersion = last.currentVersion
        contentVersion = last.shownVersion
        conflicts = last.conflicts
        pending = last.pending
        revision = max(revision, last.revision)
        bundle = last.bundle
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
}
