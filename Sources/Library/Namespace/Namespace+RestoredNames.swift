import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

extension Namespace {
    /// The attribute in which backup programs keep a document's display name.
    static let restoredName = "user.document.name"

    /// Whether a display name that is set now is one out of a backup, for a document that has its filename as its name.
    func acceptsRestoredName(_ entry: Entry) throws -> Bool {
        guard let name = entry.name, entry.naming == .given else { return false }
        if configuration.filenames.couldHaveMade(name) { return true }
        return try entry.storedAttributes()[Self.restoredName].map { name.displayName.utf8.elementsEqual($0) } ?? false
    }

    /// A file becomes a document with a generated filename. If its name is a filename out of a backup, the document gets the display name
    /// that was kept with the file.
    func applyRestoredName(to entry: inout Entry) throws {
        var stored = try entry.storedAttributes()
        guard let value = stored[Self.restoredName], let name = entry.name else { return }
        // A value that is no valid name is not used.
        if configuration.filenames.couldHaveMade(name), let restored = try? Self.documentName(value, for: entry) {
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
