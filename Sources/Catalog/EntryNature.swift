import Documents

/// The kind of an entry, with the properties that only this kind has.
public enum EntryNature: Sendable, Equatable {
    /// A folder, and how names in it are treated.
    case folder(NamingContext)
    /// A file with an identity of its own.
    case document(DocumentIdentity)
    /// A file that some program leaves while it works (`ScratchName`). Never sent.
    case scratch
    /// The target in bytes, as symlink(2) got it.
    case symbolicLink(target: [UInt8])

    /// The kind alone.
    public var kind: EntryKind {
        switch self {
        case .folder: .folder
        case .document: .document
        case .scratch: .scratch
        case .symbolicLink: .symbolicLink
        }
    }
}

/// The name of a document. When a program saves by renaming, the identity passes from the old file to the new one: this value,
/// and the entry's id, which folders and links have as well.
public struct DocumentIdentity: Sendable, Equatable {
    /// Display name and extension.
    public var name: DocumentName
    /// How the document got its name.
    public var naming: Naming

    public init(name: DocumentName, naming: Naming = .given) {
        self.name = name
        self.naming = naming
    }
}
