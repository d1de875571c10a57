import Documents

/// What an entry is, with what only entries of its kind have.
public enum EntryNature: Sendable, Equatable {
    /// What the names in the folder mean.
    case folder(NamingPlace)
    case document(DocumentIdentity)
    case scratch
    case symbolicLink(target: [UInt8])

    public var kind: EntryKind {
        switch self {
        case .folder: .folder
        case .document: .document
        case .scratch: .scratch
        case .symbolicLink: .symbolicLink
        }
    }
}

/// What makes a file a document to its owner, whichever file holds the content at the moment. Passes from file to file when a program
/// saves by renaming, together with the entry's id, which folders and links have as well.
public struct DocumentIdentity: Sendable, Equatable {
    public var name: DocumentName
    /// Who chose the name.
    public var naming: Naming

    public init(name: DocumentName, naming: Naming = .given) {
        self.name = name
        self.naming = naming
    }
}
