/// Which filename an entry gets by a rename.
public enum FilenameChoice: Sendable, Equatable {
    /// The filename stays.
    case keep
    /// The entry gets this filename, because such names are not generated: of folders, links, scratch files and dotfiles.
    case exactly(String)
    /// The caller generates a filename by the convention of the mount.
    case generate
    /// This filename if nothing has it; else as `generate`. A document that is restored from a backup gets its old filename back, so that a
    /// program that restores it once more finds it.
    case restored(String)
}

/// What a rename means for the identity of an entry.
public enum IdentityChange: Sendable, Equatable {
    /// It stays.
    case none
    /// It stays for now. The document has become a program's backup of itself: a file that gets its former name within 15 seconds takes the
    /// identity, and the backup begins another.
    case backsUp
    /// The entry takes the identity of the document that had the new name until a moment ago: that one was deleted, or renamed to a backup.
    /// `zip` saves so: it removes the archive and renames a temporary file. A document that does so ends its own.
    case continues
    /// A scratch file becomes a document, or a link that was scratch is one no longer.
    case begins
    /// A document becomes a scratch file, or a link becomes scratch.
    case ends
}

/// The kind and the names of an entry after a rename.
public struct Renaming: Sendable, Equatable {
    /// The kind after the rename.
    public var kind: EntryKind
    /// Whether the caller must begin, end or continue a document. One that continues has that one's names, and not those below.
    public var identity: IdentityChange
    /// The filename after the rename.
    public var filename: FilenameChoice
    /// The new name; nil if the name and who chose it both stay.
    public var name: DocumentName?
    /// Who chose the new name; nil if there is none.
    public var naming: Naming?

    public init(
        kind: EntryKind, identity: IdentityChange = .none, filename: FilenameChoice, name: DocumentName? = nil,
        naming: Naming? = nil
    ) {
        self.kind = kind
        self.identity = identity
        self.filename = filename
        self.name = name
        self.naming = naming
    }
}

/// The effect of a rename.
public enum RenamePlan: Equatable, Sendable {
    /// Both names mean the same entry.
    case nothing
    /// The source moves to an unused name.
    case relocate(Renaming)
    /// The source's content becomes the content of the target document, whose identity stays.
    ///
    /// - Parameter backsUp: whether the target is an older backup of the source, a document: the source ends as `IdentityChange.backsUp`.
    case replaceContent(backsUp: Bool = false)
    /// The target document goes back to a version of it, which the source holds. The content that it has is kept in the trash.
    case restoreVersion
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
    /// A name that only docfs gives, such as `.order`.
    case reservedName
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
