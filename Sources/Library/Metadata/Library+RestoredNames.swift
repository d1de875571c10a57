import Catalog
import Documents
import SystemPackage

/// `user.document.name`: the display name of a document, as a backup of a listing of filenames carries it (PRODUCT 2).
///
/// It is listed, so every program that copies attributes sets it. It counts only for a document that was created under a name such as the
/// filename conventions make: a backup is being restored. As long as nobody else names that document, it counts again: the same
/// backup, restored once more. A program that writes a temporary file first and renames it (rsync) sets it on that one: there it is kept
/// until the file is a document.
extension Library {
    static let restoredName = "user.document.name"

    /// - Returns: whether the document has another name now.
    /// - Throws: as for a display name that cannot serve.
    func restoreName(_ value: [UInt8], of entry: inout Entry, _ catalog: CatalogTransaction) throws -> Bool {
        var stored = try entry.storedAttributes()
        let isWaiting = !entry.hasGeneratedFilename
        guard try isWaiting || takesRestoredName(entry) else { return false }
        let name: DocumentName
        do { name = try Self.documentName(value, for: entry) } catch {
            if isWaiting { return false } else { throw error }
        }
        if stored[Self.restoredName] != value {
            stored[Self.restoredName] = value
            try entry.setStoredAttributes(stored)
            entry.notePending(.attributes)
            try catalog.update(entry)
        }
        if isWaiting || entry.name == name { return false }
        try setDisplayName(name, .given, of: &entry, catalog)
        return true
    }

    private func takesRestoredName(_ entry: Entry) throws -> Bool {
        guard let name = entry.name, entry.naming == .given else { return false }
        if configuration.filenames.couldHaveMade(name) { return true }
        return try entry.storedAttributes()[Self.restoredName].map { name.displayName.utf8.elementsEqual($0) } ?? false
    }

    /// A file that kept its own name until now becomes a document with a generated filename, called `entry.name`: if that is a filename out
    /// of a backup, it gets the name that was kept with the file.
    func takeRestoredName(for entry: inout Entry) throws {
        var stored = try entry.storedAttributes()
        guard let value = stored[Self.restoredName], let name = entry.name else { return }
        if configuration.filenames.couldHaveMade(name), let restored = try? Self.documentName(value, for: entry) {
            entry.document?.name = restored
        } else {
            stored[Self.restoredName] = nil
            try entry.setStoredAttributes(stored)
        }
        entry.notePending([.name, .attributes])
    }
}
