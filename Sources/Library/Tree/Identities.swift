import Backing
import Catalog
import Documents
import Glibc
import Replication
import SystemPackage

/// How a document's identity begins, passes from one file to another, and comes back.
final class Identities: LibraryPart {
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

    /// Documents that were deleted or set aside a moment ago.
    let departed = DepartedIdentities()
    /// Gives a new file the identity of a document that was deleted or set aside a moment ago.
    ///
    /// - Returns: false when it cannot be had any more.
    func takeIdentity(
        of departed: DepartedIdentities.Departed, for entry: inout Entry, by caller: Caller,
        _ catalog: CatalogTransaction
    ) throws -> Bool {
        guard let id = departed.entry.id else { return false }
        if let holder = departed.holder {
            guard let held = try catalog.entry(holder), held.id == id else { return false }
            try makeIndependent(held, catalog)
        } else if try catalog.entry(id) != nil
            || catalog.entry(in: departed.entry.parent, filename: departed.entry.filename) != nil
        {
            return false
        }
        entry.adoptIdentity(of: departed.entry)
        entry.parent = departed.entry.parent
        entry.container = departed.entry.container
        contents.noteBase(of: &entry, savedBy: caller, catalog)
        entry.notePending([.creation, .content])
        try catalog.deleteWithdrawal(id)
        return true
    }

    /// Makes what is being renamed the document that was deleted from its new name, or set aside, a moment ago. What it was itself
    /// ends, as if it had been renamed over that document.
    ///
    /// - Returns: false where there is no such document, or it is what is being renamed.
    func takeDepartedIdentity(
        _ entry: inout Entry, _ move: Move, by caller: Caller, _ catalog: CatalogTransaction
    ) throws -> Bool {
        let source = move.source
        guard
            let departed = departed.claim(move.name, in: move.folder.inode, now: surroundings.now()),
            departed.holder != source.inode, try takeIdentity(of: departed, for: &entry, by: caller, catalog)
        else { return false }
        if source.kind == .document { try withdrawals.withdraw(source, step: nil, heir: entry.id, catalog) }
        return true
    }

    /// Makes the backup that a program kept of a document a document of its own, so that the file
    /// that is now written in its place can be the one it was.
    private func makeIndependent(_ held: Entry, _ catalog: CatalogTransaction) throws {
        var backup = held
        guard let folder = try catalog.entry(held.parent), let name = held.name else { return }
        let directory = try backing.folder(held.parent, catalog)
        try giveIdentity(to: &backup, called: try EntryName(name.full), in: folder, catalog)
        backup.currentVersion = nil
        backup.contentVersion = nil
        if backup.filename != held.filename {
            try directory.rename(held.filename, to: directory, backup.filename)
            catalog.announce(.nameChanged(held.filename, in: held.parent))
        }
        try catalog.update(backup)
    }

    /// Makes an entry a document of its own, called `name`.
    func giveIdentity(
        to entry: inout Entry, called name: EntryName, in folder: Entry, _ catalog: CatalogTransaction
    ) throws {
        let documentName = DocumentName(splitting: name)
        var random = surroundings.random()
        entry.document = DocumentIdentity(name: documentName, naming: Naming(createdAs: documentName))
        entry.id = .random(using: &random)
        if folder.place.keepsName(name) {
            entry.filename = name.text
            entry.hasGeneratedFilename = false
        } else {
            entry.filename = try namespace.newFilename(for: documentName, in: folder.inode, catalog)
            entry.hasGeneratedFilename = true
        }
        if entry.hasGeneratedFilename { try namespace.takeRestoredName(for: &entry) }
        if entry.naming == .untitled {
            let name = namespace.automaticName(of: entry, content: [])
            entry.document?.name = name
        }
        entry.notePending([.creation, .content])
    }
}

extension Entry {
    /// Becomes the document that `other` was: all but the file and its mode.
    mutating func adoptIdentity(of other: Entry) {
        nature = other.nature
        id = other.id
        filename = other.filename
        hasGeneratedFilename = other.hasGeneratedFilename
        created = other.created
        position = other.position
        attributes = other.attributes
        currentVersion = other.currentVersion
        contentVersion = other.isHere ? other.contentVersion : other.currentVersion
        conflicts = other.conflicts
        pending = other.pending
        revision = max(revision, other.revision) + 1
        step = other.step
    }

    /// The entry as it was before it left the cloud.
    var inCloud: Entry {
        var entry = self
        entry.container = .cloud
        return entry
    }

    /// Stops being anything that the container knows: what is left of a document is a file with a name.
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
