import Documents

/// What happened to the tree, announced once it has.
public enum TreeEvent: Sendable {
    /// A name in a folder may mean something else from now on, or nothing; a listing of the folder may show others.
    case nameChanged(String, in: InodeNumber)
    /// The listed name of an entry, as the entry was or as it became, means something else from now on.
    ///
    /// `besides`: the name in the call that did it, which the kernel forgets by itself.
    case entryChanged(Entry, besides: UsedName?)
    /// What a folder lists changed.
    case listingChanged(of: InodeNumber)
    /// The attributes of an inode changed.
    case attributesChanged(of: InodeNumber)
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
