import Backing
import Catalog
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

/// Names: resolves them to entries, generates filenames, and tells which names the kernel may cache.
final class Namespace: Transacting {
    let transactions: Transactions
    let device: Device
    let backing: BackingStore
    let openFiles: OpenFiles
    let configuration: LibraryConfiguration
    let orphans: Orphans
    let givenNames = GivenNames()
    let firstNames = FirstNames()
    /// As the catalog has it.
    private let preferred = Mutex(Location.local)

    init(
        _ transactions: Transactions, device: Device, backing: BackingStore, openFiles: OpenFiles,
        configuration: LibraryConfiguration, orphans: Orphans
    ) {
        self.transactions = transactions
        self.device = device
        self.backing = backing
        self.openFiles = openFiles
        self.configuration = configuration
        self.orphans = orphans
    }

    /// The entry that a name in a folder means, and by which of its names.
    struct Meaning {
        var entry: Entry
        var isListedName: Bool
        /// Whether the name is `Untitled.EXT`, by which a document without a name is reached.
        var isUntitledAlias = false
        /// Whether it is the name under which a restored document was created.
        var isFirstName = false
    }

    /// Whether the kernel may cache the name by which an entry was reached.
    func isCacheable(_ meaning: Meaning, as name: String, in parent: InodeNumber) -> Bool {
        if meaning.isFirstName { return false }
        if !meaning.isListedName { return !meaning.isUntitledAlias && givenNames.recordTyped(name, in: parent) }
        if meaning.entry.hasGeneratedFilename { givenNames.recordListed(CollectionOfOne(meaning.entry.inode)) }
        return true
    }

    /// Finds the entry that a name means. Both names of a document resolve; which one comes first depends on `--show` (`Semantics`,
    /// "Names in paths"). An entry with one name only, such as a folder, always comes first: no other name reaches it.
    func resolve(_ name: String, in parent: InodeNumber, _ rows: Rows) throws -> Meaning? {
        if parent == .documents { return try resolveInDocuments(name, rows) }
        let byFilename = try rows.entry(in: parent, filename: name)
        if let byFilename, !configuration.showsDisplayNames || byFilename.kind != .document {
            return Meaning(entry: byFilename, isListedName: true)
        }
        if let byFullName = try rows.document(in: parent, fullName: name) {
            return Meaning(entry: byFullName, isListedName: configuration.showsDisplayNames)
        }
        if let byFilename { return Meaning(entry: byFilename, isListedName: false) }
        return try resolveUntitled(name, in: parent, rows) ?? resolveFirstName(name, in: parent, rows)
    }

    /// A restored document answers to its first name while a program may be at work under it. Every other name comes first.
    private func resolveFirstName(
        _ name: String, in parent: InodeNumber, _ rows: Rows
    ) throws -> Meaning? {
        guard let first = firstNames.find(name, in: parent), let entry = try rows.entry(first.document),
            entry.parent == parent, try hasRestoredName(entry), try isAtWork(on: entry, since: first.time, rows)
        else { return nil }
        return Meaning(entry: entry, isListedName: false, isFirstName: true)
    }

    private func isAtWork(on entry: Entry, since time: Timestamp, _ rows: Rows) throws -> Bool {
        let now = surroundings.now()
        if SavingInterval.contains(now, from: time) || openFiles.isOpen(entry.inode) { return true }
        // Each write and change of an attribute moves the file's time of change, also those of the kernel's own.
        guard let status = try backing.folder(entry.parent, rows).statusIfPresent(entry.filename) else {
            return false
        }
        return SavingInterval.contains(now, from: Timestamp(status.st_ctim))
    }

    /// `Untitled.EXT` means the newest document that was created under that name and has no name of its own yet.
    private func resolveUntitled(
        _ name: String, in parent: InodeNumber, _ rows: Rows
    ) throws -> Meaning? {
        // A text that is no valid name is no document's.
        guard name.utf8.starts(with: Naming.untitledName.utf8), let asked = try? EntryName(name) else { return nil }
        let split = DocumentName(splitting: asked)
        guard Naming(createdAs: split) == .untitled else { return nil }
        return try rows.newestUntitled(in: parent, pathExtension: split.pathExtension).map {
            Meaning(entry: $0, isListedName: false, isUntitledAlias: true)
        }
    }

    /// `Documents` holds `local` and `cloud`. Documents and scratch files of the preferred one resolve there as well.
    private func resolveInDocuments(_ name: String, _ rows: Rows) throws -> Meaning? {
        if let location = try rows.entry(in: .documents, filename: name) {
            return Meaning(entry: location, isListedName: true)
        }
        guard let found = try resolve(name, in: preferredFolder, rows),
            found.entry.kind == .document || found.entry.kind == .scratch
        else { return nil }
        return Meaning(
            entry: found.entry, isListedName: false, isUntitledAlias: found.isUntitledAlias,
            isFirstName: found.isFirstName)
    }

    /// The location of a document that is created directly in `Documents` (`Semantics`, "The tree").
    var preferredLocation: Location { preferred.withLock { $0 } }

    func setPreferredLocation(_ location: Location) { preferred.withLock { $0 = location } }

    var preferredFolder: InodeNumber { preferredLocation.folder }

    /// The folder that receives an entry created in `parent`.
    func receivingFolder(_ parent: InodeNumber, _ rows: Rows) throws -> Entry {
        let inode = parent == .documents ? preferredFolder : parent
        guard inode != .root else { throw Refusal.notCreatableThere }
        guard let folder = try rows.entry(inode) else {
            throw orphans.contains(inode) ? Refusal.folderRemoved : Refusal.staleInode
        }
        guard folder.kind == .folder else { throw Refusal.notFolder }
        return folder
    }

    /// The entry that a name means in a call that removes or renames it. Virtual files can be neither.
    func existing(
        _ name: some Collection<UInt8>, in parent: InodeNumber, _ rows: Rows
    ) throws -> Entry {
        guard let text = String(validating: name, as: UTF8.self) else { throw Refusal.name(.notUTF8) }
        guard let found = try resolve(text, in: parent, rows) else {
            throw VirtualName(text) == nil ? Refusal.noSuchName : Refusal.virtualName
        }
        return found.entry
    }

    static func entryName(_ bytes: some Collection<UInt8>) throws(Refusal) -> EntryName {
        do throws(NameError) { return try EntryName(bytes: bytes) } catch { throw .name(error) }
    }

    /// Refuses to give an entry a name that is docfs's own: it would hide what docfs shows there, on all devices.
    ///
    /// - Throws: EACCES.
    static func requireUnreserved(_ name: EntryName) throws(Refusal) {
        if VirtualName.isReserved(name.text) { throw .reservedName }
    }
}
