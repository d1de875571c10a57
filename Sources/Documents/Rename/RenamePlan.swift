/// Where an entry's filename comes from after a rename.
public enum FilenameChoice: Sendable, Equatable {
    case keep
    case exactly(String)
    case generate
}

/// What a rename does to the identity of a document.
public enum IdentityChange: Sendable, Equatable {
    /// What is renamed stays the document, scratch file, folder or link that it is.
    case none
    /// A scratch file becomes a document.
    case begins
    /// A document becomes a scratch file.
    case ends
}

/// What an entry is called, and is, after a rename.
public struct Renaming: Sendable, Equatable {
    public var kind: EntryKind
    public var identity: IdentityChange
    public var filename: FilenameChoice
    /// The new name and who chose it; nil where both stay.
    public var name: DocumentName?
    public var naming: Naming?
    /// Whether it becomes the document that was deleted from the new name, or set aside, a moment ago, if there is one. So `zip` saves,
    /// which removes the archive and renames a temporary file.
    public var continuesRemoved: Bool

    public init(
        kind: EntryKind, identity: IdentityChange = .none, filename: FilenameChoice, name: DocumentName? = nil,
        naming: Naming? = nil, continuesRemoved: Bool = false
    ) {
        self.kind = kind
        self.identity = identity
        self.filename = filename
        self.name = name
        self.naming = naming
        self.continuesRemoved = continuesRemoved
    }
}

/// What a rename does.
public enum RenamePlan: Equatable, Sendable {
    /// Both names mean the same entry.
    case nothing
    /// The source goes to a name that nothing had.
    case relocate(Renaming)
    /// The source's content becomes the content of the target document, whose identity stays.
    case replaceContent
    /// The target goes; the source takes its name.
    case replaceEntry(Renaming)
    /// Both swap their contents; names and identities stay.
    case exchange
}

/// Why a rename is refused.
public enum RenameRefusal: Error, Equatable, Sendable {
    /// RENAME_NOREPLACE, or another document across containers.
    case exists
    /// A file over a folder.
    case isFolder
    /// A folder over a file.
    case notFolder
    /// RENAME_EXCHANGE across containers, or with what has no content to swap.
    case cannotExchange
    /// `Documents`, `local` or `cloud`.
    case isOfTheTree
    /// A folder into `Documents` itself, where only documents resolve.
    case folderIntoDocuments
    /// A folder into itself or into a folder within it.
    case intoItself
    /// RENAME_EXCHANGE with content that is not here.
    case contentNotHere
    case migration(MigrationObstacle)
}

/// Why an entry cannot leave its container with all it holds.
public enum MigrationObstacle: Error, Equatable, Sendable {
    /// Content of it is still on its way out of the cloud, and would go back.
    case stillArriving
    /// Documents in conflict stay in the cloud.
    case inConflict
    /// Content of it is not here, and the cloud cannot be reached.
    case notHere
}
