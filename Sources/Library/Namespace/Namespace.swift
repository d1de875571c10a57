import Backing
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Names and their meaning: which entry a name in a folder is, which names are given out, and which the kernel may remember.
final class Namespace: LibraryPart {
    let transactions: Transactions
    let configuration: LibraryConfiguration
    let departedNodes: DepartedNodes

    init(
        _ transactions: Transactions, configuration: LibraryConfiguration, departedNodes: DepartedNodes
    ) {
        self.transactions = transactions
        self.configuration = configuration
        self.departedNodes = departedNodes
    }

    let givenNames = GivenNames()
    /// What a name means in a folder, and how it came to mean it.
    struct Meaning {
        var entry: Entry
        var isListedName: Bool
        /// Reached as `Untitled.EXT`, which is not its name.
        var isUntitledAlias = false
    }

    /// Whether the kernel may remember the name by which an entry was reached.
    func isMemorable(_ meaning: Meaning, as name: String, in parent: InodeNumber) -> Bool {
        if !meaning.isListedName { return !meaning.isUntitledAlias && givenNames.noteTyped(name, in: parent) }
        if meaning.entry.hasGeneratedFilename { givenNames.noteListed(CollectionOfOne(meaning.entry.inode)) }
        return true
    }

    /// Either name of a document resolves; which one comes first depends on `--show` (PRODUCT 2).
    /// What has but one name, like a folder, always comes first: nothing else could reach it.
    func resolve(_ name: String, in parent: InodeNumber, _ catalog: CatalogTransaction) throws -> Meaning? {
        if parent == .documents { return try resolveInDocuments(name, catalog) }
        let byFilename = try catalog.entry(in: parent, filename: name)
        if let byFilename, !configuration.showsDisplayNames || byFilename.kind != .document {
            return Meaning(entry: byFilename, isListedName: true)
        }
        if let byFullName = try catalog.document(in: parent, fullName: name) {
            return Meaning(entry: byFullName, isListedName: configuration.showsDisplayNames)
        }
        if let byFilename { return Meaning(entry: byFilename, isListedName: false) }
        return try resolveUntitled(name, in: parent, catalog)
    }

    /// `Untitled.EXT` means the newest document that was created so and has no name yet.
    private func resolveUntitled(
        _ name: String, in parent: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> Meaning? {
        guard name.utf8.starts(with: Naming.untitledName.utf8), let asked = try? EntryName(name) else { return nil }
        let split = DocumentName(splitting: asked)
        guard Naming(createdAs: split) == .untitled else { return nil }
        return try catalog.newestUntitled(in: parent, pathExtension: split.pathExtension).map {
            Meaning(entry: $0, isListedName: false, isUntitledAlias: true)
        }
    }

    /// `Documents` holds the two containers; a document of the preferred one resolves there too, and what a
    /// program leaves beside it while it saves.
    private func resolveInDocuments(_ name: String, _ catalog: CatalogTransaction) throws -> Meaning? {
        if let container = try catalog.entry(in: .documents, filename: name) {
            return Meaning(entry: container, isListedName: true)
        }
        guard let found = try resolve(name, in: preferredFolder, catalog),
            found.entry.kind == .document || found.entry.kind == .scratch
        else { return nil }
        return Meaning(entry: found.entry, isListedName: false, isUntitledAlias: found.isUntitledAlias)
    }

    /// Where a document goes that is created directly in `Documents` (PRODUCT 4).
    var preferredLocation: Container { .local }

    var preferredFolder: InodeNumber { preferredLocation == .local ? .local : .cloud }

    /// The folder that really receives what is created in `parent`.
    func receivingFolder(_ parent: InodeNumber, _ catalog: CatalogTransaction) throws -> Entry {
        let inode = parent == .documents ? preferredFolder : parent
        guard inode != .root else { throw Refusal.noPlaceForIt }
        guard let folder = try catalog.entry(inode) else {
            throw departedNodes[inode] == nil ? Refusal.staleInode : Refusal.folderRemoved
        }
        guard folder.kind == .folder else { throw Refusal.notFolder }
        return folder
    }

    /// The entry that a name means in a call that changes it. Virtual files cannot be changed so.
    func existing(
        _ name: some Collection<UInt8>, in parent: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> Entry {
        guard let text = String(validating: name, as: UTF8.self) else { throw Refusal.name(.notUTF8) }
        guard let found = try resolve(text, in: parent, catalog) else {
            throw VirtualName(text) == nil ? Refusal.noSuchName : Refusal.virtualName
        }
        return found.entry
    }

    static func entryName(_ bytes: some Collection<UInt8>) throws(Refusal) -> EntryName {
        do throws(NameError) { return try EntryName(bytes: bytes) } catch { throw .name(error) }
    }
}
