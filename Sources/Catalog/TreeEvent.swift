import Documents

/// A change of the tree, announced after the write that made it has succeeded.
public enum TreeEvent: Sendable {
    /// A name in a folder may now mean another entry or none, and the folder's listing may have changed.
    case nameChanged(String, in: InodeNumber)
    /// The listed name of an entry now means something else.
    ///
    /// `besides`: the name in the system call that caused it. The kernel updates that one by itself.
    case entryChanged(EntryNames, besides: UsedName?)
    /// The listing of a folder changed.
    case listingChanged(of: InodeNumber)
    /// The attributes of an inode changed.
    case attributesChanged(of: InodeNumber)
    /// Changes of listings of which inotify does not tell by itself, in this order.
    case remoteChanges([RemoteChange])
    /// The call returns only when the kernel has forgotten all names that changed. Not for a request for which the kernel has locked the
    /// directory of these names.
    case callAwaitsNames
    /// The trash holds another document or folder than before, or one less.
    case trashChanged
}

/// The names of an entry, before or after a change.
public struct EntryNames: Sendable {
    public let inode: InodeNumber
    /// Its own folder, also where a system call named it in `Documents`.
    public let parent: InodeNumber
    public let filename: String
    private let name: DocumentName?

    /// Documents only.
    public var fullName: String? { name?.full }

    /// Copies the names, so that a later change of the row leaves them as they are.
    public init(_ entry: Entry) {
        inode = entry.inode
        parent = entry.parent
        filename = entry.filename
        name = entry.name
    }
}

/// A name and a folder as a system call named them. The folder may be `Documents`, which is not the document's own folder.
public struct UsedName: Sendable {
    /// A name that is no entry's if the system call's bytes are no UTF-8.
    public let name: String
    public let folder: InodeNumber

    /// - Parameter name: bytes that the kernel gave. Those that are no UTF-8 are replaced: such a name is no entry's.
    public init(_ name: some Collection<UInt8>, in folder: InodeNumber) {
        self.name = String(decoding: name, as: UTF8.self)
        self.folder = folder
    }
}
