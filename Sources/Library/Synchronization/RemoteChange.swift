import Catalog
import Documents

/// What another device did to the tree in `cloud`, as somebody who watches a folder wants to hear of it.
public enum RemoteChange: Sendable, Equatable {
    case created(ListedPlace)
    /// A document's content is another one.
    case modified(ListedPlace)
    case moved(from: ListedPlace, to: ListedPlace)
    case removed(ListedPlace)

    public var places: [ListedPlace] {
        switch self {
        case .created(let place), .modified(let place), .removed(let place): [place]
        case .moved(let from, let to): [from, to]
        }
    }
}

/// Where a listing showed an entry at some moment; later the names may mean something else.
public struct ListedPlace: Sendable, Equatable {
    /// An entry and the name under which its folder listed it.
    public struct Step: Sendable, Equatable {
        public let folder: InodeNumber
        public let name: String
        public let inode: InodeNumber
        public let kind: EntryKind

        public init(folder: InodeNumber, name: String, inode: InodeNumber, kind: EntryKind) {
            self.folder = folder
            self.name = name
            self.inode = inode
            self.kind = kind
        }
    }

    /// From below `cloud` down to the entry's folder.
    public let folders: [Step]
    public let entry: Step

    public init(folders: [Step], entry: Step) {
        self.folders = folders
        self.entry = entry
    }
}

extension Library {
    /// Where an entry stands in the cloud's listings now; nil outside the cloud.
    func listedPlace(of entry: Entry, _ catalog: CatalogTransaction) throws -> ListedPlace? {
        var folders: [ListedPlace.Step] = []
        var parent = entry.parent
        while parent != .cloud {
            guard let folder = try catalog.entry(parent), folder.inode > .cloud else { return nil }
            folders.append(
                .init(folder: folder.parent, name: folder.filename, inode: folder.inode, kind: .folder))
            parent = folder.parent
        }
        return ListedPlace(
            folders: folders.reversed(),
            entry: .init(
                folder: entry.parent, name: try listedName(of: entry, catalog), inode: entry.inode, kind: entry.kind))
    }

    private func listedName(of entry: Entry, _ catalog: CatalogTransaction) throws -> String {
        guard configuration.showsDisplayNames, entry.kind == .document, let name = entry.name?.full,
            try resolve(name, in: entry.parent, catalog)?.entry.inode == entry.inode
        else { return entry.filename }
        return name
    }
}
