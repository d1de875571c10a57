import Backing
import Catalog
import Documents
import SystemPackage

/// One line of a listing.
public struct ListedName: Sendable {
    public let name: String
    public let node: Node
    public let kind: EntryKind
    /// Under which it is found again when its inode number has changed; nil for what has no entry.
    let filename: String?
    /// Whether the kernel may remember the name: not one under which a document is listed only as long
    /// as another bears its display name.
    public let isMemorable: Bool
    /// `Catalog.writeCount` when it was listed; counts for entries only.
    var asOf = 0
}

/// What a listed name means now.
public enum Listed: Sendable {
    case entry(Resolved)
    /// There is nothing to remember: its attributes take long to find out, or it has another name by
    /// now. Whoever wants to know more looks it up.
    case name
    /// It went since the listing began.
    case gone
}

extension Tree {
    /// Somebody reads a folder: what other devices do in it is of interest.
    func noteReader(of folder: InodeNumber) throws(Refusal) {
        if try inspect({ try $0.entry(folder) })?.container == .cloud { cloud.changesAreOfInterest() }
    }

    /// A folder's names in listing order, as they are now: a listing under way goes on showing this
    /// snapshot whatever happens to the folder (PRODUCT 8).
    func list(_ folder: InodeNumber) throws(Refusal) -> [ListedName] {
        try inspect { catalog in
            guard let entry = try catalog.entry(folder) else {
                if departedNodes[folder] == nil { throw Refusal.staleInode }
                return []
            }
            guard entry.kind == .folder else { throw Refusal.notFolder }
            let children = try catalog.listing(of: folder)
            let showsDisplayName =
                namespace.configuration.showsDisplayNames
                ? namespace.whoShowDisplayNames(children) : Array(repeating: false, count: children.count)
            let asOf = self.catalog.writeCount
            var names: [ListedName] = []
            names.reserveCapacity(children.count + 1)
            // A document that really has the name is listed in its place.
            if Self.listsState(folder),
                try folder == .documents || namespace.resolve(VirtualName.stateSuffix, in: folder, catalog) == nil
            {
                names.append(
                    ListedName(
                        name: VirtualName.stateSuffix, node: .state(of: folder), kind: .document, filename: nil,
                        isMemorable: false))
            }
            for (child, showsDisplayName) in zip(children, showsDisplayName) {
                let displayName = showsDisplayName ? child.fullName : nil
                if child.conflicts > 0, let folder = try conflictsFolder(of: child, displayName, in: folder, catalog) {
                    names.append(folder)
                }
                names.append(
                    ListedName(
                        name: displayName ?? child.filename, node: .entry(child.inode), kind: child.kind,
                        filename: child.filename,
                        isMemorable: displayName != nil || child.kind != .document
                            || !namespace.configuration.showsDisplayNames, asOf: asOf))
            }
            return names
        }
    }

    /// `F.conflicts` is listed as long as F has conflicts (PRODUCT 1): before F, so that `rm -r` finds it
    /// while F is there.
    private func conflictsFolder(
        of child: ListingRow, _ displayName: String?, in folder: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> ListedName? {
        let name = (displayName ?? child.filename) + VersionFolder.conflicts.suffix
        guard name.utf8.count <= EntryName.maximumLength, try namespace.resolve(name, in: folder, catalog) == nil else {
            return nil
        }
        return ListedName(
            name: name, node: .versions(.conflicts, of: child.inode), kind: .folder, filename: nil, isMemorable: false)
    }

    func listed(_ names: some Sequence<ListedName>, in folder: InodeNumber) throws(Refusal) -> [Listed] {
        try inspect { catalog in
            let found = try names.map { try listed($0, in: folder, catalog) }
            namespace.givenNames.noteListed(
                zip(names, found).lazy.compactMap { name, listed in
                    guard name.isMemorable, name.kind == .document, case .entry(let resolved) = listed,
                        case .entry(let inode) = resolved.node
                    else { return nil }
                    return inode
                })
            return found
        }
    }

    private func listed(_ name: ListedName, in folder: InodeNumber, _ catalog: CatalogTransaction) throws -> Listed {
        guard case .entry(let inode) = name.node, let filename = name.filename else { return .name }
        // What another device saved meanwhile has a new inode number.
        guard let entry = try catalog.entry(inode) ?? catalog.entry(in: folder, filename: filename),
            entry.parent == folder
        else { return .gone }
        guard try name.asOf == self.catalog.writeCount || isListed(entry, as: name.name, in: folder, catalog) else {
            return .name
        }
        do {
            return .entry(
                Resolved(
                    node: .entry(entry.inode), attributes: try fileAttributes.attributes(of: entry, catalog),
                    isMemorable: name.isMemorable))
        } catch Errno.noSuchFileOrDirectory { return .gone }
    }

    private func isListed(
        _ entry: Entry, as name: String, in folder: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> Bool {
        guard namespace.configuration.showsDisplayNames else { return entry.filename.isIdentical(to: name) }
        return try namespace.resolve(name, in: folder, catalog)?.entry.inode == entry.inode
    }

    /// The parent of a folder; the mountpoint's is itself.
    func parent(of folder: InodeNumber) throws(Refusal) -> InodeNumber {
        try inspect { catalog in
            guard let entry = try catalog.entry(folder) ?? departedNodes[folder]?.entry else {
                throw Refusal.staleInode
            }
            return entry.parent
        }
    }

    /// Whether `.state` shows in the folder's listing (PRODUCT 1).
    private static func listsState(_ folder: InodeNumber) -> Bool {
        folder == .documents || folder == .local || folder == .cloud
    }
}
