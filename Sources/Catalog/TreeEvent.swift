import Documents

/// A change of the tree, announced after the write that made it has succeeded.
public enum TreeEvent: Sendable {
    /// A name in a folder may mean something else from now on, or nothing; a listing of the folder may show others.
    case nameChanged(String, in: InodeNumber)
    /// The listed name of an entry means something else from now on.
    ///
    /// `besides`: the name in the call that did it, which the kernel forgets by itself.
    case entryChanged(EntryNames, besides: UsedName?)
    /// The listing of a folder changed.
    case listingChanged(of: InodeNumber)
    /// The attributes of an inode changed.
    case attributesChanged(of: InodeNumber)
    /// A document is listed under another name, and no rename(2) did it.
    case renamed(RemoteChange)
}

/// The names of an entry, as it was or as it has become.
public struct EntryNames: Sendable {
    public let inode: InodeNumber
    public let parent: InodeNumber
    public let filename: String
    private let name: DocumentName?

    /// Documents only.
    public var fullName: String? { name?.full }

    public init(_ entry: Entry) {
        inode = entry.inode
        parent = entry.parent
        filename = entry.filename
        name = entry.name
    }
}

/// A name as a call says it, in the folder where the kernel knows it: a document in `Documents` has its
/// own folder besides.
public struct UsedName: Sendable {
    public let name: String
    public let folder: InodeNumber

    public init(_ name: some Collection<UInt8>, in folder: InodeNumber) {
        self.name = String(decoding: name, as: UTF8.self)
        self.folder = folder
    }
}
