import Documents

/// The kind of an entry, with the properties that only this kind has.
public enum EntryNature: Sendable, Equatable {
    /// A folder, and how names in it are treated.
    case folder(NamingContext)
    case document(DocumentIdentity)
    case scratch
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
