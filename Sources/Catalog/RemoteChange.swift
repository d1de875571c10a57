import Documents

/// A change of what a folder lists, as somebody who watches the folder wants to hear of it, and that the kernel tells nobody: another
/// device made it, or it gives a document another name without rename(2).
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

    public let container: Container
    /// From below `local` or `cloud` down to the entry's folder.
    public let folders: [Step]
    public let entry: Step

    public init(in container: Container = .cloud, folders: [Step], entry: Step) {
        self.container = container
        self.folders = folders
        self.entry = entry
    }

    /// Whether a listing shows the same name in the same folder.
    public func isSameName(as other: ListedPlace) -> Bool {
        entry.folder == other.entry.folder && entry.name.isIdentical(to: other.entry.name)
    }
}
