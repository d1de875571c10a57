import Documents

/// What of a cloud entry has changed here and is not yet committed to the container.
public struct PendingChanges: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The container does not know the entry, or must learn all of it anew.
    public static let creation = PendingChanges(rawValue: 1)
    /// Its content was written to.
    public static let content = PendingChanges(rawValue: 2)
    /// Display name, extension, or who chose them.
    public static let name = PendingChanges(rawValue: 4)
    /// Its folder or filename.
    public static let place = PendingChanges(rawValue: 8)
    public static let attributes = PendingChanges(rawValue: 16)
    public static let mode = PendingChanges(rawValue: 32)
    public static let modified = PendingChanges(rawValue: 64)
    public static let position = PendingChanges(rawValue: 128)
    /// A folder that was deleted elsewhere and is here still for the sake of scratch files. The container is to hear of it when
    /// something else comes to lie in it.
    public static let revival = PendingChanges(rawValue: 256)
}

/// What a document is, whichever file holds its content at the moment. It passes from file to file
/// when a program saves by renaming (PRODUCT 2).
public struct DocumentIdentity: Sendable, Equatable {
    public var id: EntryID
    public var name: DocumentName
    public var naming: Naming

    public init(id: EntryID, name: DocumentName, naming: Naming) {
        self.id = id
        self.name = name
        self.naming = naming
    }
}

/// The inode number and birth time of a file. Together they tell it from every other file that its file system ever had; a number
/// alone is given anew within milliseconds of a removal.
public struct FileEvidence: Hashable, Sendable {
    /// st_ino
    public let inode: UInt64
    /// stx_btime in nanoseconds; 0 where the file system does not know it.
    public let birth: Int64

    /// - Returns: nil for an inode number of 0, which no file has.
    public init?(inode: UInt64, birth: Int64) {
        if inode == 0 { return nil }
        self.inode = inode
        self.birth = birth
    }
}

/// One row of the catalog: a file, folder or symbolic link of the tree.
public struct Entry: Sendable {
    /// Zero until the entry is inserted.
    public var inode: InodeNumber
    public var parent: InodeNumber
    /// Nil for the mountpoint and `Documents`.
    public var container: Container?
    public var kind: EntryKind
    /// The last component of the backing file's path; unique in its folder.
    public var filename: String
    public var hasGeneratedFilename = false
    /// Nil for scratch files and what is in no container.
    public var id: EntryID?
    /// Documents only.
    public var name: DocumentName?
    public var naming = Naming.given
    public var created: Timestamp
    /// The place in the folder's order.
    public var position: Double
    /// Extended attributes as JSON; nil for none.
    public var attributes: [UInt8]?
    /// Symbolic links only.
    public var target: [UInt8]?
    /// Folders only: what the names in it mean.
    public var place = NamingPlace(keepsNames: false, isScratch: false)

    /// Whether the backing file holds the content. False for placeholders.
    public var isHere = true
    /// By which the backing file is found again where it was moved and nothing says so; nil while there is none.
    public var backing: FileEvidence?
    /// Bytes, while it is a placeholder; the backing file says it otherwise.
    public var size: Int64 = 0
    public var modified: Timestamp
    /// When anything of it changed here (st_ctime), while it is a placeholder; the backing file says it otherwise.
    public var changed: Timestamp
    /// Permission bits, while it is a placeholder.
    public var mode: UInt16

    /// The container's current version as far as this device has read the log.
    public var currentVersion: VersionID?
    /// The version that the backing file holds or, when it was edited, started from.
    public var contentVersion: VersionID?
    public var pending: PendingChanges = []
    /// Counts local changes, so that a commit under way knows whether it is the latest.
    public var revision: Int64 = 0
    /// Entries of one step are committed together or not at all.
    public var step: Int64?
    /// Unresolved conflict versions.
    public var conflicts = 0
    /// The last failure in one line.
    public var error: String?

    public init(
        parent: InodeNumber, container: Container?, kind: EntryKind, filename: String, created: Timestamp,
        position: Double, mode: UInt16
    ) {
        inode = InodeNumber(0)
        self.parent = parent
        self.container = container
        self.kind = kind
        self.filename = filename
        self.created = created
        self.position = position
        modified = created
        changed = created
        self.mode = mode
    }

    /// A cloud document whose backing file, if any, holds an older version than the container's.
    public var isOutdated: Bool {
        isHere && !pending.contains(.content) && currentVersion != contentVersion
    }

    /// Whether size, times and content are those of the backing file.
    public var isBackingCurrent: Bool {
        guard isHere else { return false }
        return container != .cloud || kind != .document || !isOutdated
    }

    /// Whether the container has, or soon has, something to know about it.
    public var isReplicated: Bool { container == .cloud && id != nil }
}
