/// A change of a folder's listing that the kernel does not report to inotify by itself: another device made it, or a document
/// got another name without rename(2).
public enum RemoteChange: Sendable, Equatable {
    /// A folder lists another entry than before.
    case created(ListedPath)
    /// A document's content changed.
    case modified(ListedPath)
    /// An entry has another name or another folder.
    case moved(from: ListedPath, to: ListedPath)
    /// A folder lists the entry no more.
    case removed(ListedPath)

    /// All paths that the change names, the older first.
    public var paths: [ListedPath] {
        switch self {
        case .created(let path), .modified(let path), .removed(let path): [path]
        case .moved(let from, let to): [from, to]
        }
    }
}

/// The path of an entry as listings showed it at some moment. The names may have changed since.
public struct ListedPath: Sendable, Equatable {
    /// An entry, and the name under which its folder listed it.
    public struct Component: Sendable, Equatable {
        /// The folder that listed the entry.
        public let folder: InodeNumber
        /// The name under which it was listed: a filename, or a display name with its extension.
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

    /// The path of the folder in which it begins, from the mountpoint on: `Documents/local`.
    public let top: String
    /// The folders from the one in `top` down to the entry's own.
    public let folders: [Component]
    /// The entry itself, at the end of the path.
    public let entry: Component

    public init(in location: Location = .cloud, folders: [Component], entry: Component) {
        self.init(below: "Documents/\(location.rawValue)", folders: folders, entry: entry)
    }

    public init(below top: String, folders: [Component], entry: Component) {
        self.top = top
        self.folders = folders
        self.entry = entry
    }

    /// Whether both are the same name in the same folder.
    public func isSameName(as other: ListedPath) -> Bool {
        entry.folder == other.entry.folder && entry.name.isIdentical(to: other.entry.name)
    }
}
