import Backing
import Catalog
import Documents
import Glibc
import Replica
import Replication

/// Extended attributes. `user.displayName` is the name of a document, `user.document.*` are computed, other `user.*` attributes are stored
/// with the entry and sent to other devices with it. All are in the catalog, so that reading them never needs the content.
///
/// `user.displayName` is not listed, since programs that copy a file copy the listed attributes: a copy would get the name of its
/// original. `user.document.name` is listed, for backups (`Namespace.applyRestoredName`).
final class Metadata: Transacting {
    let transactions: Transactions
    let device: Device
    let backing: BackingStore
    let openFiles: OpenFiles
    let notices: ChangeNotices
    let namespace: Namespace
    let contents: Contents
    let fileAttributes: Attributes
    let states: States
    let order: FolderOrder
    let orphans: Orphans
    let actions: Actions
    let keeping: Keeping
    let evictions: Evictions
    let arrivals: Arrivals

    init(
        _ transactions: Transactions, device: Device, backing: BackingStore, openFiles: OpenFiles,
        notices: ChangeNotices, namespace: Namespace, contents: Contents, fileAttributes: Attributes,
        states: States, order: FolderOrder, orphans: Orphans, actions: Actions, keeping: Keeping, evictions: Evictions,
        arrivals: Arrivals
    ) {
        self.transactions = transactions
        self.device = device
        self.backing = backing
        self.openFiles = openFiles
        self.notices = notices
        self.namespace = namespace
        self.contents = contents
        self.fileAttributes = fileAttributes
        self.states = states
        self.order = order
        self.orphans = orphans
        self.actions = actions
        self.keeping = keeping
        self.evictions = evictions
        self.arrivals = arrivals
    }

    private static let displayName = BackingStore.displayNameAttribute
    private static let computedPrefix = "user.document."
    private static let id = "user.document.id"
    private static let maximumValue = 64 * 1024

    /// - Throws: ENODATA, EOPNOTSUPP outside `user.*`, EINVAL for `user.` alone, ESTALE.
    func extendedAttribute(_ name: String, of node: Node) throws(Refusal) -> [UInt8] {
        try Self.requireUserAttribute(name)
        guard case .entry(let inode) = node else { throw .noSuchAttribute }
        if name == Self.id { writeBeforeShowingID(of: inode) }
        return try inspect { rows in
            let entry = try entryOrOrphan(inode, rows)
            if let value = try requestAttribute(name, of: entry, rows) { return Array(value.utf8) }
            if entry.kind == .document {
                if name == Self.displayName || name == Namespace.restoredName {
                    return Array((entry.name?.displayName ?? "").utf8)
                }
                if let value = try computedAttribute(name, of: entry, rows) { return Array(value.utf8) }
            }
            if entry.kind == .folder, name == OrderAttribute.sort {
                return Array(try FolderOrder.sortMode(of: entry).rawValue.utf8)
            }
            guard let value = try entry.storedAttributes()[name] else { throw Refusal.noSuchAttribute }
            return value
        }
    }

    /// An id that a program has seen must survive the end of the process. No file tells the id, so its row may not wait any longer.
    private func writeBeforeShowingID(of inode: InodeNumber) {
        // On a failure, which the catalog reports, the row goes on waiting; the id can be read on a full disk as well.
        try? transactions.writeIfWaiting(inode)
    }

    /// The names of all attributes that can be copied; computed ones are not among them.
    ///
    /// - Throws: ESTALE.
    func extendedAttributeNames(of node: Node) throws(Refusal) -> [String] {
        guard case .entry(let inode) = node else { return [] }
        return try inspect { rows in
            let entry = try entryOrOrphan(inode, rows)
            let stored = try entry.storedAttributes().names.filter { $0 != OrderAttribute.sort }
            guard entry.kind == .document else { return stored }
            let isListedByFilename = entry.hasGeneratedFilename && !namespace.configuration.showsDisplayNames
            return (isListedByFilename ? [Namespace.restoredName] : []) + stored.filter { $0 != Namespace.restoredName }
        }
    }

    /// - Throws: EPERM for computed attributes, EOPNOTSUPP outside `user.*`, EINVAL, EILSEQ and
    ///   ENAMETOOLONG for display names that are no names, EEXIST and ENODATA as `creation` wants, E2BIG for a value above 64 KiB, ENOSPC
    ///   for more than an entry can have in all and on a full disk, ESTALE.
    func setExtendedAttribute(
        _ name: String, to value: [UInt8], of node: Node, _ creation: AttributeCreation, by caller: Caller = .unknown
    ) throws(Refusal) {
        if try order.setAttribute(name, to: value, of: node, by: caller) { return }
        if try request(name, value, of: node, creation) { return }
        let inode = try changeable(name, of: node)
        try mutate(makingNew: true, concerning: .only([inode])) { transaction in
            var entry = try entryOrOrphan(inode, transaction)
            guard isName(name, of: entry) else {
                try store(name, value, in: &entry, creation)
                return try update(entry, transaction)
            }
            if creation == .mustCreate || creation == .impossible { throw Refusal.attributeExists }
            if name == Namespace.restoredName {
                if try restoreName(value, of: &entry, transaction) { transaction.announce(.callAwaitsNames) }
                return
            }
            let before = entry
            try setDisplayName(Namespace.documentName(value, for: entry), .given, of: &entry, transaction)
            _ = try actions.recordPlacement(of: entry, from: before, by: caller, transaction)
            transaction.announce(.callAwaitsNames)
        }
    }

    /// Removing `user.displayName` makes the display name automatic again.
    ///
    /// - Throws: ENODATA, EPERM for computed attributes, EOPNOTSUPP outside `user.*`, ESTALE.
    func removeExtendedAttribute(
        _ name: String, of node: Node, by caller: Caller = .unknown
    ) throws(Refusal) {
        if name == Keeping.attribute, case .entry(let inode) = node { return try keeping.unmark(inode) }
        let inode = try changeable(name, of: node)
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        try mutate(concerning: .only([inode])) { transaction in
            var entry = try entryOrOrphan(inode, transaction)
            guard isName(name, of: entry) else {
                var stored = try entry.storedAttributes()
                guard stored[name] != nil else { throw Refusal.noSuchAttribute }
                stored[name] = nil
                try entry.setStoredAttributes(stored)
                entry.markPending(.attributes)
                return try update(entry, transaction)
            }
            // A program that copies a file over a document may remove the attributes that its source lacks. The document keeps its name.
            if name == Namespace.restoredName { return }
            if entry.naming == .given { entry.document?.naming = .automatic }
            var automatic = entry.name
            if entry.isBackingCurrent {
                let folder = try backing.folder(entry.parent, transaction)
                let file = try folder.openUnnoticed(entry.filename)
                automatic = namespace.automaticName(
                    of: entry, content: try file.readPrefix(AutomaticName.examinedLength))
            }
            if let automatic {
                let before = try transaction.entry(inode) ?? entry
                try setDisplayName(automatic, entry.naming, of: &entry, transaction)
                _ = try actions.recordPlacement(of: entry, from: before, by: caller, transaction)
            }
            transaction.announce(.callAwaitsNames)
        }
    }

    private static func requireUserAttribute(_ name: String) throws(Refusal) {
        guard name.utf8.starts(with: "user.".utf8) else { throw .attributeOutsideUser }
        if name.utf8.count == 5 { throw .attributeWithoutName }
    }

    /// The entry whose attributes are meant: of a row, or an orphan.
    private func entryOrOrphan(_ inode: InodeNumber, _ rows: Rows) throws -> Entry {
        if let entry = try rows.entry(inode) { return entry }
        guard let orphan = orphan(inode) else { throw Refusal.staleInode }
        return orphan
    }

    /// An orphan that is open is meant even if the kernel still has a name for it: the kernel does not repeat a call on a descriptor after
    /// ESTALE, as it does with a path.
    private func orphan(_ inode: InodeNumber) -> Entry? {
        orphans.entry(of: inode, evenIfNamed: openFiles.file(inode)?.isUnlinked == true)
    }

    private func update(_ entry: Entry, _ transaction: Transaction) throws {
        if orphan(entry.inode) != nil {
            orphans.update(entry)
        } else {
            var entry = entry
            try fileAttributes.updateChangeTime(of: &entry, transaction)
            try transaction.update(entry)
        }
    }

    private func changeable(_ name: String, of node: Node) throws(Refusal) -> InodeNumber {
        try Self.requireUserAttribute(name)
        let isComputed = name.utf8.starts(with: Self.computedPrefix.utf8) && name != Namespace.restoredName
        guard case .entry(let inode) = node, !isComputed else { throw .computedAttribute }
        return inode
    }

    /// Whether an attribute is the name of a document, which is stored in columns of its own. Orphans have no names.
    private func isName(_ attribute: String, of entry: Entry) -> Bool {
        entry.kind == .document && orphan(entry.inode) == nil
            && (attribute == Self.displayName || attribute == Namespace.restoredName)
    }

    func setDisplayName(
        _ name: DocumentName, _ naming: Naming, of entry: inout Entry, _ transaction: Transaction
    ) throws {
        transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
        let formerName = entry.name
        entry.document = DocumentIdentity(name: name, naming: naming)
        try namespace.announceListedName(of: entry, formerly: formerName, transaction)
        entry.markPending(.name)
        try fileAttributes.updateChangeTime(of: &entry, transaction)
        try transaction.update(entry)
        transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
        backing.writeDisplayName(
            name.displayName, of: entry.filename, in: try backing.folder(entry.parent, transaction), transaction)
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
        try entry.requireSmallAttributes()
        entry.markPending(.attributes)
    }

    private func computedAttribute(
        _ name: String, of entry: Entry, _ rows: Rows
    ) throws -> String? {
        switch name {
        case Self.id: return entry.id?.description
        case "user.document.filename": return entry.filename
        case "user.document.extension": return entry.name?.pathExtension ?? ""
        case "user.document.created": return entry.created.iso8601
        case "user.document.device": return try device(thatMade: entry, rows)
        case "user.document.state": return try states.documentState(of: entry, rows).flagText(separator: " ")
        case "user.document.uploading":
            guard let uploading = try states.documentState(of: entry, rows).uploading else {
                throw Refusal.noSuchAttribute
            }
            return uploading.rawValue
        case "user.document.progress":
            guard let progress = try states.documentState(of: entry, rows).progress else {
                throw Refusal.noSuchAttribute
            }
            return String(progress)
        case "user.document.transferred":
            guard let bytes = states.transferredBytes(of: entry) else { throw Refusal.noSuchAttribute }
            return String(bytes)
        default: return nil
        }
    }

    /// The name of the device that made the content, which this device may have changed since.
    private func device(thatMade entry: Entry, _ rows: Rows) throws -> String {
        guard let id = entry.id, entry.location == .cloud, !entry.pending.contains(.content),
            let versions = try CatalogReplica(rows).visibleEntry(id, at: surroundings.now())?.versions
        else { return device.name }
        return versions.current.deviceName
    }

    /// Sets `user.document.name`, which a backup restores.
    ///
    /// - Returns: whether the document has another name now.
    /// - Throws: EINVAL, EILSEQ and ENAMETOOLONG for display names that are no names.
    func restoreName(_ value: [UInt8], of entry: inout Entry, _ transaction: Transaction) throws -> Bool {
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
            entry.markPending(.attributes)
            try transaction.update(entry)
        }
        if isWaiting || entry.name == name { return false }
        namespace.keepFirstName(of: entry)
        try setDisplayName(name, .given, of: &entry, transaction)
        return true
    }
}
