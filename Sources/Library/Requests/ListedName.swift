import Documents

/// One line of a listing.
public struct ListedName: Sendable {
    /// A filename, a display name with its extension, or the name of a folder of conflict versions.
    public let name: String
    /// The entry or virtual node, as of the listing. `Tree.listed` finds out whether the name still means it.
    public let node: Node
    /// The type of the directory entry (`d_type`). A folder of versions counts as a folder.
    public let kind: EntryKind
    /// The filename by which the entry is found when its inode number has changed; nil for a virtual node.
    let filename: String?
    /// Whether the kernel may cache the name. It may not cache the filename of a document that is listed so only because another document
    /// has the same display name.
    public let isCacheable: Bool
    /// `Catalog.writeCount` when it was listed; used for entries only.
    var asOf = 0
}

/// The present meaning of a name that was listed before.
public enum Listed: Sendable {
    case entry(Resolved)
    /// Only the name is given to the kernel: the attributes take long to find out, or the entry has another name by now. A process that
    /// wants more looks it up.
    case name
    /// The entry was removed after the listing began.
    case gone
}
