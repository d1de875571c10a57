import Catalog
import Documents
import SystemPackage

extension Tree {
    /// A folder is being read. If it is in the cloud, synchronization soon asks what other devices did.
    func lookForRemoteChanges(in folder: InodeNumber) throws(Refusal) {
        if try inspect({ try $0.entry(folder) })?.location == .cloud { cloud.changesAreOfInterest() }
    }

    /// The names in a folder, in listing order. A listing that has begun shows this snapshot to its end, whatever happens to the folder
    /// (`Semantics`, "Order").
    func list(_ folder: InodeNumber) throws(Refusal) -> [ListedName] {
        try inspect { rows in
            guard let entry = try rows.entry(folder) else {
                if !orphans.contains(folder) { throw Refusal.staleInode }
                return []
            }
            guard entry.kind == .folder else { throw Refusal.notFolder }
            let children = try order.listing(of: entry, rows)
            let showsDisplayName =
                namespace.configuration.showsDisplayNames
                ? namespace.areShownByDisplayName(children) : Array(repeating: false, count: children.count)
            let asOf = transactions.writeCount
            var names: [ListedName] = []
            names.reserveCapacity(children.count)
            for (child, showsDisplayName) in zip(children, showsDisplayName) {
                let displayName = showsDisplayName ? child.fullName : nil
                if child.conflicts > 0, let folder = try conflictsFolder(of: child, displayName, in: folder, rows) {
                    names.append(folder)
                }
                names.append(
                    ListedName(
                        name: displayName ?? child.filename, node: .entry(child.inode), kind: child.kind,
                        filename: child.filename,
                        isCacheable: displayName != nil || child.kind != .document
                            || !namespace.configuration.showsDisplayNames, asOf: asOf))
            }
            return names
        }
    }

    /// `F.conflicts` is listed as long as F has conflicts (`Semantics`, "Conflicts"). It stands before F, so that `rm -r` finds it while F
    /// exists.
    private func conflictsFolder(
        of child: ListingRow, _ displayName: String?, in folder: InodeNumber, _ rows: Rows
    ) throws -> ListedName? {
        let name = (displayName ?? child.filename) + VersionFolder.conflicts.suffix
        guard name.utf8.count <= EntryName.maximumLength, try namespace.resolve(name, in: folder, rows) == nil else {
            return nil
        }
        return ListedName(
            name: name, node: .versions(.conflicts, of: child.inode), kind: .folder, filename: nil, isCacheable: false)
    }

    func listed(_ names: some Sequence<ListedName>, in folder: InodeNumber) throws(Refusal) -> [Listed] {
        try inspect { rows in
            let found = try names.map { try listed($0, in: folder, rows) }
            namespace.givenNames.recordListed(
                zip(names, found).lazy.compactMap { name, listed in
                    guard name.isCacheable, name.kind == .document, case .entry(let resolved) = listed,
                        case .entry(let inode) = resolved.node
                    else { return nil }
                    return inode
                })
            return found
        }
    }

    private func listed(_ name: ListedName, in folder: InodeNumber, _ rows: Rows) throws -> Listed {
        guard case .entry(let inode) = name.node, let filename = name.filename else { return .name }
        // A document that another device saved meanwhile has a new inode number.
        guard let entry = try rows.entry(inode) ?? rows.entry(in: folder, filename: filename),
            entry.parent == folder
        else { return .gone }
        guard try name.asOf == transactions.writeCount || isListed(entry, as: name.name, in: folder, rows) else {
            return .name
        }
        do {
            return .entry(
                Resolved(
                    node: .entry(entry.inode), attributes: try fileAttributes.attributes(of: entry, rows),
                    isCacheable: name.isCacheable))
        } catch Errno.noSuchFileOrDirectory { return .gone }
    }

    private func isListed(
        _ entry: Entry, as name: String, in folder: InodeNumber, _ rows: Rows
    ) throws -> Bool {
        guard namespace.configuration.showsDisplayNames else { return entry.filename.isIdentical(to: name) }
        let found = try namespace.resolve(name, in: folder, rows)
        return found?.entry.inode == entry.inode && found?.isFirstName == false
    }

    /// The parent of a folder; the mountpoint's is itself.
    func parent(of folder: InodeNumber) throws(Refusal) -> InodeNumber {
        try inspect { rows in
            guard let entry = try rows.entry(folder) ?? orphans.entry(of: folder) else {
                throw Refusal.staleInode
            }
            return entry.parent
        }
    }
}
