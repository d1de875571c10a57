import Backing
import Catalog
import Documents
import SystemPackage

/// What a path component resolves to.
public enum Node: Hashable, Sendable {
    case entry(InodeNumber)
    /// The virtual `.state` of a document, of a folder, or (of `Documents`) of the whole tree.
    case state(of: InodeNumber)
    /// `F.conflicts` or `F.versions` of a document.
    case versions(VersionFolder, of: InodeNumber)
    /// A file in one of these (`VersionNodes`).
    case version(InodeNumber)
}

/// A node with what the kernel wants to know of it.
public struct Resolved: Sendable {
    public var node: Node
    public var attributes: FileAttributes
    /// Whether the kernel may remember the name: one that a listing shows, or one that is noted (`GivenNames`).
    public var isMemorable: Bool

    public init(node: Node, attributes: FileAttributes, isMemorable: Bool) {
        self.node = node
        self.attributes = attributes
        self.isMemorable = isMemorable
    }
}

/// What the system call behind a lookup is about to do. The kernel does not say it with the lookup,
/// but two names depend on it: `Untitled` with O_EXCL, and a virtual name that is to become a document.
public enum LookupPurpose: Sendable, Equatable {
    case existing
    /// It creates the name unless it exists.
    case creation
    /// It creates the name, and fails when it exists.
    case exclusiveCreation
}

extension Library {
    /// - Parameter purpose: asked for only where it matters, since it is costly to find out.
    /// - Throws: ENOENT, ENOTDIR, ESTALE, or what the bytes of the name deserve.
    public func lookup(
        _ name: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose
    ) throws(Errno) -> Resolved {
        let text = try Self.text(name)
        if VirtualName(text) != nil { try settleCloses(virtualName: text, in: parent) }
        return try inspect { catalog in
            if let found = try resolve(text, in: parent, catalog) {
                if found.isUntitledAlias, purpose() == .exclusiveCreation { throw Errno.noSuchFileOrDirectory }
                return Resolved(
                    node: .entry(found.entry.inode), attributes: try attributes(of: found.entry, catalog),
                    isMemorable: isMemorable(found, as: text, in: parent))
            }
            guard let node = try virtualNode(text, in: parent, catalog), purpose() == .existing else {
                // Perhaps another device has just made it.
                transfers.noteUse()
                throw text.utf8.count > EntryName.maximumLength
                    ? Errno.fileNameTooLong : Errno.noSuchFileOrDirectory
            }
            return Resolved(node: node, attributes: try virtualAttributes(of: node, catalog), isMemorable: false)
        }
    }

    /// A state that is about to be looked at says `closed` of what has just been closed.
    private func settleCloses(virtualName name: String, in parent: InodeNumber) throws(Errno) {
        guard openFiles.areAnyOpen, case .state(let inode) = try inspect({ try virtualNode(name, in: parent, $0) })
        else { return }
        try settleCloses(inState: inode)
    }

    func virtualAttributes(of node: Node, _ catalog: CatalogTransaction) throws -> FileAttributes {
        switch node {
        case .state, .entry: try stateAttributes(of: node, catalog)
        case .versions(let folder, let inode): try versionFolderAttributes(folder, of: inode, catalog)
        case .version(let inode): try versionAttributes(inode, catalog)
        }
    }

    private static func text(_ name: some Collection<UInt8>) throws(Errno) -> String {
        guard let text = String(validating: name, as: UTF8.self) else { throw .illegalByteSequence }
        return text
    }

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

    private func virtualNode(
        _ name: String, in parent: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> Node? {
        guard parent != .root else { return nil }
        switch VirtualName(name) {
        case nil: return nil
        case .folderState: return .state(of: parent)
        case .documentState(let document):
            guard let found = try resolve(document, in: parent, catalog), found.entry.kind == .document
            else { return nil }
            return .state(of: found.entry.inode)
        case .versions(let folder, let document):
            guard let found = try resolve(document, in: parent, catalog), try hasFolder(folder, found.entry, catalog)
            else { return nil }
            return .versions(folder, of: found.entry.inode)
        }
    }

    /// Where a document goes that is created directly in `Documents` (PRODUCT 4).
    var preferredLocation: Container { .local }

    var preferredFolder: InodeNumber { preferredLocation == .local ? .local : .cloud }

    /// The folder that really receives what is created in `parent`.
    func receivingFolder(_ parent: InodeNumber, _ catalog: CatalogTransaction) throws -> Entry {
        let inode = parent == .documents ? preferredFolder : parent
        guard inode != .root else { throw Errno.notPermitted }
        guard let folder = try catalog.entry(inode) else {
            throw departedNodes[inode] == nil ? Errno.staleNFSFileHandle : Errno.noSuchFileOrDirectory
        }
        guard folder.kind == .folder else { throw Errno.notDirectory }
        return folder
    }
}
