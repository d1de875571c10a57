/// Which filename an entry gets by a rename.
public enum FilenameChoice: Sendable, Equatable {
    /// The filename stays.
    case keep
    /// The entry gets this filename, because such names are not generated: of folders, links, scratch files and dotfiles.
    case exactly(String)
    /// The caller generates a filename by the convention of the mount.
    case generate
}

/// Whether a rename makes a file a document, or a document a scratch file.
public enum IdentityChange: Sendable, Equatable {
    /// The kind stays.
    case none
    /// A scratch file becomes a document, or a link that was scratch is one no longer.
    case begins
    /// A document becomes a scratch file, or a link becomes scratch.
    case ends
}

/// The kind and the names of an entry after a rename.
public struct Renaming: Sendable, Equatable {
    /// The kind after the rename.
    public var kind: EntryKind
    /// Whether the caller must begin or end a document.
    public var identity: IdentityChange
    /// The filename after the rename.
    public var filename: FilenameChoice
    /// The new name; nil if the name and who chose it both stay.
    public var name: DocumentName?
    /// Who chose the new name; nil if there is none.
    public var naming: Naming?
    /// Whether the file continues the document that had the new name until a moment ago, if there is one: it was deleted or renamed to a
    /// backup. `zip` saves so: it removes the archive and renames a temporary file.
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

/// The effect of a rename.
public enum RenamePlan: Equatable, Sendable {
    /// Both names mean the same entry.
    case nothing
    /// The source moves to an unused name.
    case relocate(Renaming)
    /// The source's content becomes the content of the target document, whose identity stays.
    case replaceContent
    /// The target is removed, and the source gets its name.
    case replaceEntry(Renaming)
    /// Both swap their contents; names and identities stay.
    case exchange
}

/// Why a rename is refused.
public enum RenameRefusal: Error, Equatable, Sendable {
    /// RENAME_NOREPLACE and the name is in use, or a move between locations onto an existing document.
    case exists
    /// A file over a folder.
    case isFolder
    /// A folder over a file.
    case notFolder
    /// RENAME_EXCHANGE between locations, or of entries that cannot be exchanged, such as a file and a folder.
    case cannotExchange
    /// RENAME_EXCHANGE with a name that nothing has.
    case nothingToExchange
    /// `Documents`, `local` or `cloud`.
    case isOfTheTree
    /// A folder into `Documents` itself, where only documents resolve.
    case folderIntoDocuments
    /// A folder into itself or into a folder within it.
    case intoItself
    /// RENAME_EXCHANGE with content that is not here.
    case contentNotHere
    /// A move between locations that is not possible now.
    case migration(MigrationObstacle)
}

/// Why an entry cannot be moved to the other location with everything in it.
public enum MigrationObstacle: Error, Equatable, Sendable {
    /// Some of its content is still being downloaded out of the cloud, and would have to go back.
    case stillArriving
    /// It has conflict versions, which exist in the cloud only.
    case inConflict
    /// Some of its content is not here, and the cloud cannot be reached.
    case notHere
}
