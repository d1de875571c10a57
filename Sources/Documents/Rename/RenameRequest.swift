/// The properties of an entry on which the rules of renaming depend.
public struct RenamedEntry: Sendable, Equatable {
    /// The kind before the rename.
    public var kind: EntryKind
    /// Its filename before the rename.
    public var filename: String
    /// Whether the filename was generated (and is kept for life) rather than given.
    public var hasGeneratedFilename: Bool
    /// Whether the filename was generated so lately that no program relies on it yet (`SavingInterval`).
    public var isFilenameFresh: Bool
    /// Documents only.
    public var name: DocumentName?
    /// How the document got its name; `given` for everything that is not a document.
    public var naming: Naming
    /// Whether the call names it `Untitled.EXT`, which is none of its own names.
    public var isCalledByAlias = false
    /// Whether its newest content is on this device.
    public var isContentHere: Bool
    /// Whether it is `Documents`, `local` or `cloud`.
    public var isOfTheTree: Bool
    /// Whether it stays on this device and takes part in no undo: a scratch file, or a symbolic link with such a name or in such a folder.
    public var isScratch: Bool

    public init(
        kind: EntryKind, filename: String, hasGeneratedFilename: Bool, isFilenameFresh: Bool = false,
        name: DocumentName?, naming: Naming, isContentHere: Bool = true, isOfTheTree: Bool = false,
        isScratch: Bool = false
    ) {
        self.kind = kind
        self.filename = filename
        self.hasGeneratedFilename = hasGeneratedFilename
        self.isFilenameFresh = isFilenameFresh
        self.name = name
        self.naming = naming
        self.isContentHere = isContentHere
        self.isOfTheTree = isOfTheTree
        self.isScratch = isScratch
    }
}

/// The flags of renameat2(2), with Linux's values.
public struct RenameOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// RENAME_NOREPLACE
    public static let noReplace = RenameOptions(rawValue: 1)
    /// RENAME_EXCHANGE
    public static let exchange = RenameOptions(rawValue: 2)
}

/// The facts from which `RenameRule` decides.
public struct RenameRequest: Sendable {
    /// The entry that is renamed.
    public var source: RenamedEntry
    /// The entry that has the new name in the destination; nil if there is none.
    public var target: RenamedEntry?
    /// Whether source and target are one entry.
    public var isSame: Bool
    /// Whether the target is found as `Untitled.EXT` only, which is no name of it: any entry may get that name, and a file that a program renames
    /// to it is a save.
    public var isTargetAlias: Bool
    /// The new name, as the system call has it: a filename, or a display name with its extension.
    public var name: EntryName
    /// How the folder of the new name treats names.
    public var destination: NamingContext
    /// Whether the destination is `Documents` itself.
    public var isIntoDocuments: Bool
    /// Whether the destination is the source or lies within it.
    public var isIntoItself: Bool
    /// Whether the destination is the folder that the source lies in.
    public var staysInFolder: Bool
    /// Whether source and destination are in different locations.
    public var migrates: Bool
    /// Whether there is a document that had the new name until a moment ago, and the source can take its identity.
    public var canContinue: Bool
    /// The source as it was before a program made it a backup of itself, if it had the new name then and nothing has taken its identity.
    public var former: RenamedEntry?
    /// Whether the new name could be a filename that docfs generated: that of a document out of a backup.
    public var couldBeGenerated: Bool
    /// Why the source cannot leave its location, where the rename crosses locations or may make it scratch.
    public var obstacle: MigrationObstacle?
    /// Linux refuses both together (EINVAL) before docfs is asked.
    public var options: RenameOptions

    public init(
        source: RenamedEntry, target: RenamedEntry?, isSame: Bool, isTargetAlias: Bool = false, name: EntryName,
        destination: NamingContext, isIntoDocuments: Bool = false, isIntoItself: Bool = false,
        staysInFolder: Bool = true, migrates: Bool, canContinue: Bool = false, former: RenamedEntry? = nil,
        couldBeGenerated: Bool = false, obstacle: MigrationObstacle? = nil,
        options: RenameOptions
    ) {
        self.source = source
        self.target = target
        self.isSame = isSame
        self.isTargetAlias = isTargetAlias
        self.name = name
        self.destination = destination
        self.isIntoDocuments = isIntoDocuments
        self.isIntoItself = isIntoItself
        self.staysInFolder = staysInFolder
        self.migrates = migrates
        self.canContinue = canContinue
        self.former = former
        self.couldBeGenerated = couldBeGenerated
        self.obstacle = obstacle
        self.options = options
    }
}
