import Backing
import Catalog
import Documents
import Replication
import SystemPackage

extension Namespace {
    /// The path of an entry as listings show it, with the names in `entry`, which its row may not have yet. Nil outside `local` and
    /// `cloud`.
    func listedPath(of entry: Entry, _ rows: Rows) throws -> ListedPath? {
        var folders: [ListedPath.Component] = []
        var parent = entry.parent
        while parent != .cloud, parent != .local {
            guard let folder = try rows.entry(parent), folder.inode > .cloud else { return nil }
            folders.append(
                .init(folder: folder.parent, name: folder.filename, inode: folder.inode, kind: .folder))
            parent = folder.parent
        }
        return ListedPath(
            in: parent == .local ? .local : .cloud, folders: folders.reversed(),
            entry: .init(
                folder: entry.parent, name: try listedName(of: entry, rows), inode: entry.inode, kind: entry.kind))
    }

    private func listedName(of entry: Entry, _ rows: Rows) throws -> String {
        guard configuration.showsDisplayNames, entry.kind == .document, let name = entry.name?.full else {
            return entry.filename
        }
        guard let other = try resolve(name, in: entry.parent, rows)?.entry, other.inode != entry.inode,
            other.id != entry.id
        else { return name }
        if other.kind != .document { return entry.filename }
        // Of two documents with one display name the older one is listed by it. A display name comes before a filename.
        let isNamesake = other.name?.full.isIdentical(to: name) == true
        return isNamesake && (other.created, other.inode) < (entry.created, entry.inode) ? entry.filename : name
    }

    /// A document gets another name without rename(2). Watchers are told if listings show the name. To be called before the row is updated.
    func announceListedName(of entry: Entry, formerly name: DocumentName?, _ transaction: Transaction) throws {
        guard configuration.showsDisplayNames, let name, entry.name != name else { return }
        var former = entry
        former.document?.name = name
        guard let from = try listedPath(of: former, transaction), let to = try listedPath(of: entry, transaction),
            !from.isSameName(as: to)
        else { return }
        transaction.announce(.remoteChanges([.moved(from: from, to: to)]))
    }

    /// The name that listings show unless another document in the folder has the same one.
    func listedName(of entry: EntryNames) -> String {
        (configuration.showsDisplayNames ? entry.fullName : nil) ?? entry.filename
    }

    /// Tells of each child whether it is listed by its display name. Of several documents with one name only the oldest is, and none
    /// whose name a folder, link or scratch file has.
    func areShownByDisplayName(_ children: [ListingRow]) -> [Bool] {
        var shows = [Bool](repeating: false, count: children.count)
        let onlyNames = Set(children.lazy.filter { $0.kind != .document }.map { ExactName($0.filename) })
        var holders: [ExactName: Int] = [:]
        holders.reserveCapacity(children.count)
        for (index, child) in children.enumerated() {
            guard let fullName = child.fullName.map(ExactName.init), !onlyNames.contains(fullName) else { continue }
            if let other = holders[fullName] {
                let first = children[other]
                if (first.created, first.inode) < (child.created, child.inode) { continue }
                shows[other] = false
            }
            holders[fullName] = index
            shows[index] = true
        }
        return shows
    }
}
