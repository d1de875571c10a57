import Backing
import CLinux
import Catalog
import Documents
import SystemPackage

/// RENAME_EXCHANGE, a rename after which two entries have each other's content. Identities stay with the names.
extension Tree {
    func exchange(_ first: Entry, _ second: Entry, by caller: Caller, _ transaction: Transaction) throws {
        var (newFirst, newSecond) = (first, second)
        newFirst.takeOverNames(of: second)
        newSecond.takeOverNames(of: first)
        // Names are unique in the catalog: one of the two gets another name meanwhile.
        var parked = first
        parked.filename = "exchange/\(first.inode)"
        parked.id = nil
        try transaction.update(parked)
        for entry in [newSecond, newFirst] { try transaction.update(entry) }
        for (entry, source, other) in [(newFirst, first, second), (newSecond, second, first)] {
            guard entry.kind == .folder, let folder = try transaction.entry(other.parent) else { continue }
            let context = folder.namingContext.folder(try EntryName(other.filename))
            try migration.updateDescendants(of: entry, from: source, to: context, transaction)
        }
        let firstFolder = try backing.folder(first.parent, transaction)
        let secondFolder = try backing.folder(second.parent, transaction)
        for entry in [first, second] { try synchronizeContent(of: entry, transaction) }
        try firstFolder.exchange(first.filename, with: secondFolder, second.filename, transaction)
        // The names stay with the paths, also on the files.
        backing.writeDisplayName(first.name?.displayName, of: first.filename, in: firstFolder, transaction)
        backing.writeDisplayName(second.name?.displayName, of: second.filename, in: secondFolder, transaction)
        for entry in [newSecond, newFirst] where entry.kind == .document {
            try finishExchange(of: entry, by: caller, transaction)
        }
    }

    /// The document has another content now, which is a save.
    private func finishExchange(of exchanged: Entry, by caller: Caller, _ transaction: Transaction) throws {
        var entry = exchanged
        contents.setBaseVersion(of: &entry, savedBy: caller, transaction)
        entry.markPending(.content)
        try contents.finishSave(&entry, transaction)
        try transaction.update(entry)
        if entry.isReplicated { transfers.markClosed(entry.inode) }
    }
}

extension Entry {
    /// Gets the names and folder of `other` and, if it is a document, its identity.
    fileprivate mutating func takeOverNames(of other: Entry) {
        if kind == .document || kind == .scratch {
            adoptIdentity(of: other)
            markModePending(inPlaceOf: other)
        } else {
            filename = other.filename
            position = other.position
            markPending([.place, .position])
        }
        parent = other.parent
    }
}
