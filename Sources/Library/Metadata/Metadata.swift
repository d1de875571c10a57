import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Whether an attribute may, or must, exist already (setxattr(2)).
public enum AttributeCreation: Sendable {
    case either, mustCreate, mustReplace
    /// Both: it can only fail.
    case impossible
}

/// Extended attributes. `user.displayName` is the name of a document, `user.document.*` is computed, other `user.*` attributes are stored
/// with the entry and travel with it. All live in the catalog, so that reading them never needs the content.
///
/// Programs that copy a file copy the attributes that are listed. So `user.displayName` is not: a copy would get the name of its
/// original. `user.document.name` is listed, for backups (`Namespace.applyRestoredName`).
final class Metadata: LibraryPart {
    let transactions: Transactions
    let namespace: Namespace
    let contents: Contents
    let fileAttributes: Attributes
    let states: States
    let orphans: Orphans

    init(
        _ transactions: Transactions, namespace: Namespace, contents: Contents, fileAttributes: Attributes,
        states: States, orphans: Orphans
    ) {
        self.transactions = transactions
        self.namespace = namespace
        self.contents = contents
        self.fileAttributes = fileAttributes
        self.states = states
        self.orphans = orphans
    }
    private static let displayName = BackingStore.displayNameAttribute
    private static let computedPrefix = "user.document."
    private static let maximumValue = 64 * 1024
    /// Of all attributes of an entry together, as they are kept: what a commit can carry.
    private static let maximumTotal = 512 * 1024

    /// - Throws: ENODATA, EOPNOTSUPP outside `user.*`.
    func extendedAttribute(_ name: String, of node: Node) throws(Refusal) -> [UInt8] {
        try Self.requireUserAttribute(name)
        guard case .entry(let inode) = node else { throw .noSuchAttribute }
        return try inspect { catalog in
            let entry = try attributeHolder(inode, catalog)
            if entry.kind == .document {
                if name == Self.displayName || name == Namespace.restoredName {
                    return Array((entry.name?.displayName ?? "").utf8)
                }
                if let value = try computedAttribute(name, of: entry, catalog) { return Array(value.utf8) }
            }
            guard let value = try entry.storedAttributes()[name] else { throw Refusal.noSuchAttribute }
            return value
        }
    }

    /// The names of all attributes that can be copied; computed ones are not among them.
    func extendedAttributeNames(of node: Node) throws(Refusal) -> [String] {
        guard case .entry(let inode) = node else { return [] }
        return try inspect { catalog in
            let entry = try attributeHolder(inode, catalog)
            let stored = try entry.storedAttributes().names
            guard entry.kind == .document else { return stored }
            let isListedByFilename = entry.hasGeneratedFilename && !namespace.configuration.showsDisplayNames
            return (isListedByFilename ? [Namespace.restoredName] : []) + stored.filter { $0 != Namespace.restoredName }
        }
    }

    /// - Throws: EPERM for computed attributes, EOPNOTSUPP outside `user.*`, EINVAL, EILSEQ and
    ///   ENAMETOOLONG for display names that cannot serve, EEXIST and ENODATA as `creation` wants, E2BIG.
    func setExtendedAttribute(
        _ name: String, to value: [UInt8], of node: Node, _ creation: AttributeCreation
    ) throws(Refusal) {
        let inode = try changeable(name, of: node)
        let isRenamed = try mutate(makingNew: true) { catalog in
            var entry = try attributeHolder(inode, catalog)
            guard isName(name, of: entry) else {
                try store(name, value, in: &entry, creation)
                try keep(entry, catalog)
                return false
            }
            if creation == .mustCreate || creation == .impossible { throw Refusal.attributeExists }
            if name == Namespace.restoredName { return try restoreName(value, of: &entry, catalog) }
            try setDisplayName(Namespace.documentName(value, for: entry), .given, of: &entry, catalog)
            return true
        }
        if isRenamed { observer?.waitUntilNamesAreForgotten() }
    }

    /// Removing `user.displayName` makes the display name automatic again.
    func removeExtendedAttribute(_ name: String, of node: Node) throws(Refusal) {
        let inode = try changeable(name, of: node)
        openFiles.noteRenaming()
        defer { openFiles.noteRenaming() }
        let isRenamed = try mutate { catalog in
            var entry = try attributeHolder(inode, catalog)
            guard isName(name, of: entry) else {
                var stored = try entry.storedAttributes()
                guard stored[name] != nil else { throw Refusal.noSuchAttribute }
                stored[name] = nil
                try entry.setStoredAttributes(stored)
                entry.notePending(.attributes)
                try keep(entry, catalog)
                return false
            }
            // A copy of a file that bears no such attribute takes no name away.
            if name == Namespace.restoredName { return false }
            if entry.naming == .given { entry.document?.naming = .automatic }
            var automatic = entry.name
            if entry.isBackingCurrent {
                let folder = try backing.folder(entry.parent, catalog)
                let file = try folder.openUnnoticed(entry.filename)
                automatic = namespace.automaticName(
                    of: entry, content: try file.readPrefix(AutomaticName.examinedLength))
            }
            if let automatic { try setDisplayName(automatic, entry.naming, of: &entry, catalog) }
            return true
        }
        if isRenamed { observer?.waitUntilNamesAreForgotten() }
    }

    private static func requireUserAttribute(_ name: String) throws(Refusal) {
        guard name.utf8.starts(with: "user.".utf8) else { throw .attributeOutsideUser }
        if name.utf8.count == 5 { throw .attributeWithoutName }
    }

    /// The entry with the attributes, also when it has no name any more but is still held.
    private func attributeHolder(_ inode: InodeNumber, _ catalog: CatalogTransaction) throws -> Entry {
        if let entry = try catalog.entry(inode) { return entry }
        guard let departed = departedNode(inode) else { throw Refusal.staleInode }
        return departed.entry
    }

    /// What lost its name and is still held. Whoever has it open means it, whatever names the kernel
    /// remembers: a descriptor's call is not tried again after ESTALE, as a path's is.
    private func departedNode(_ inode: InodeNumber) -> Orphans.Node? {
        if let file = openFiles.file(inode), file.isUnlinked { return orphans.evenIfNamed(inode) }
        return orphans[inode]
    }

    /// Keeps changed attributes where the entry is.
    private func keep(_ entry: Entry, _ catalog: CatalogTransaction) throws {
        if var departed = departedNode(entry.inode) {
            departed.entry = entry
            orphans[entry.inode] = departed
        } else {
            var entry = entry
            try fileAttributes.noteChange(of: &entry, catalog)
            try catalog.update(entry)
        }
    }

    private func changeable(_ name: String, of node: Node) throws(Refusal) -> InodeNumber {
        try Self.requireUserAttribute(name)
        let isComputed = name.utf8.starts(with: Self.computedPrefix.utf8) && name != Namespace.restoredName
        guard case .entry(let inode) = node, !isComputed else { throw .computedAttribute }
        return inode
    }

    /// Whether an attribute is the name of a document, which is kept in a way of its own.
    private func isName(_ attribute: String, of entry: Entry) -> Bool {
        entry.kind == .document && departedNode(entry.inode) == nil
            && (attribute == Self.displayName || attribute == Namespace.restoredName)
    }

    func setDisplayName(
        _ name: DocumentName, _ naming: Naming, of entry: inout Entry, _ catalog: CatalogTransaction
    ) throws {
        catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
        let formerName = entry.name
        entry.document = DocumentIdentity(name: name, naming: naming)
        try namespace.announceListedName(of: entry, formerly: formerName, catalog)
        entry.notePending(.name)
        try fileAttributes.noteChange(of: &entry, catalog)
        try catalog.update(entry)
        catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
        backing.mirror(
            displayName: name.displayName, of: entry.filename, in: try backing.folder(entry.parent, catalog))
    }

    private func store(
        _ name: String, _ value: [UInt8], in entry: inout Entry, _ creation: AttributeCreation
    ) throws {
        if value.count > Self.maximumValue { throw Refusal.attributeTooLarge }
        var stored = try entry.storedAttributes()
        switch creation {
        case .mustCreate where stored[name] != nil: throw Refusal.attributeExists
        case .mustReplace where stored[name] == nil: throw Refusal.noSuchAttribute
        case .impossible: throw stored[name] == nil ? Refusal.noSuchAttribute : Refusal.attributeExists
        default: stored[name] = value
        }
        try entry.setStoredAttributes(stored)
        if let attributes = entry.attributes, attributes.count > Self.maximumTotal { throw Refusal.attributesTooLarge }
        entry.notePending(.attributes)
    }

    private func computedAttribute(
        _ name: String, of entry: Entry, _ catalog: CatalogTransaction
    ) throws -> String? {
        switch name {
        case "user.document.id": return entry.id?.description
        case "user.document.filename": return entry.filename
        case "user.document.state": return try states.documentState(of: entry, catalog).flagText(separator: " ")
        case "user.document.progress":
            guard let progress = try states.documentState(of: entry, catalog).progress else {
                throw Refusal.noSuchAttribute
            }
            return String(progress)
        default: return nil
        }
    }

    /// - Returns: whether the document has another name now.
    /// - Throws: as for a display name that cannot serve.
    func restoreName(_ value: [UInt8], of entry: inout Entry, _ catalog: CatalogTransaction) throws -> Bool {
        var stored = try entry.storedAttributes()
        let isWaiting = !entry.hasGeneratedFilename
        guard try isWaiting || namespace.acceptsRestoredName(entry) else { return false }
        let name: DocumentName
        do { name = try Namespace.documentName(value, for: entry) } catch {
            if isWaiting { return false } else { throw error }
        }
        if stored[Namespace.restoredName] != value {
            stored[Namespace.restoredName] = value
            try entry.setStoredAttributes(stored)
            entry.notePending(.attributes)
            try catalog.update(entry)
        }
        if isWaiting || entry.name == name { return false }
        try setDisplayName(name, .given, of: &entry, catalog)
        return true
    }
}

extension Entry {
    /// The attributes that are kept with the entry.
    func storedAttributes() throws -> ExtendedAttributes {
        try attributes.map { try ExtendedAttributes(json: $0) } ?? ExtendedAttributes()
    }

    mutating func setStoredAttributes(_ stored: ExtendedAttributes) throws { attributes = try stored.json() }
}
