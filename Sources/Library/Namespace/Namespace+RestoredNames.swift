import Backing
import Catalog
import Documents
import Glibc

extension Namespace {
    /// The attribute in which backup programs keep a document's display name.
    static let restoredName = "user.document.name"

    /// Whether a display name that is set now is one out of a backup, for a document that has its filename as its name.
    func acceptsRestoredName(_ entry: Entry) throws -> Bool {
        guard let name = entry.name, entry.naming == .given else { return false }
        return try configuration.filenames.couldHaveMade(name) || hasRestoredName(entry)
    }

    /// Whether a document still has the name that a backup gave it.
    func hasRestoredName(_ entry: Entry) throws -> Bool {
        guard let name = entry.name, entry.naming == .given else { return false }
        return try entry.storedAttributes()[Self.restoredName].map { name.displayName.utf8.elementsEqual($0) } ?? false
    }

    /// To be called before a restored name takes the place of the name under which the document was created: who made it goes on under
    /// that name.
    func keepFirstName(of entry: Entry) {
        guard let name = entry.name, let id = entry.id, configuration.filenames.couldHaveMade(name),
            !entry.filename.isIdentical(to: name.full)
        else { return }
        firstNames.add(name.full, in: entry.parent, of: id, now: surroundings.now())
    }

    /// A file is about to replace a document's. What was set on the file is the document's afterwards; the document's others stay. Its own
    /// names do not count, but for the one out of a backup, as if it were set on the document.
    ///
    /// - Throws: ENOSPC where they are too large together.
    func adoptAttributes(of file: Entry, to document: inout Entry) throws {
        guard file.attributes != nil else { return }
        let set = try file.storedAttributes()
        var stored = try document.storedAttributes()
        for name in set.names where name != Self.restoredName && name != BackingStore.displayNameAttribute {
            stored[name] = set[name]
        }
        let isWaiting = file.kind == .scratch || !file.hasGeneratedFilename
        if isWaiting, let value = set[Self.restoredName],
            try !document.hasGeneratedFilename || acceptsRestoredName(document),
            let name = try? Self.documentName(value, for: document)
        {
            stored[Self.restoredName] = value
            if document.hasGeneratedFilename, document.name != name {
                keepFirstName(of: document)
                document.document?.name = name
                document.markPending(.name)
            }
        }
        let before = document.attributes
        try document.setStoredAttributes(stored)
        if document.attributes == before { return }
        try document.requireSmallAttributes()
        document.markPending(.attributes)
    }

    /// A file becomes a document with a generated filename. If its name is a filename out of a backup, the document gets the display name
    /// that was kept with the file.
    func applyRestoredName(to entry: inout Entry) throws {
        var stored = try entry.storedAttributes()
        guard let value = stored[Self.restoredName], let name = entry.name else { return }
        // A value that is no valid name is not used.
        if configuration.filenames.couldHaveMade(name), let restored = try? Self.documentName(value, for: entry) {
            keepFirstName(of: entry)
            entry.document?.name = restored
        } else {
            stored[Self.restoredName] = nil
            try entry.setStoredAttributes(stored)
        }
        entry.markPending([.name, .attributes])
    }

    static func documentName(_ value: [UInt8], for entry: Entry) throws -> DocumentName {
        guard let text = String(validating: value, as: UTF8.self) else { throw NameError.notUTF8 }
        let name = try DocumentName(displayName: text, pathExtension: entry.name?.pathExtension ?? "")
        try requireUnreserved(EntryName(name.full))
        return name
    }
}
