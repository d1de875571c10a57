import Documents

/// One row of the catalog: a file, folder or symbolic link of the tree.
///
/// To add a field, add it to one of the parts, add a line to the table of columns (`visitColumns`), and write a migration.
public struct Entry: Sendable {
    /// Zero until the entry is inserted.
    public var inode: InodeNumber
    /// Its folder, filename and place in the order.
    public var placement: Placement
    /// Its kind, with the properties that only this kind has.
    public var nature: EntryNature
    /// Nil for scratch files, for everything in a trash folder, and for entries in no location.
    public var id: EntryID?
    /// When it was created, on the device that did so. Of two documents with one display name, the path means the older.
    public var created: Timestamp
    /// Extended attributes as JSON; nil for none.
    public var attributes: [UInt8]?
    /// The facts about its file in the store.
    public var file: BackingState
    /// How far it and the container agree.
    public var synchronization = SynchronizationState()

    /// An entry that is not in the catalog yet, with its file here and nothing pending. The caller gives it an id where it needs one.
    public init(
        parent: InodeNumber, location: Location?, nature: EntryNature, filename: String, created: Timestamp,
        position: OrderKey, mode: UInt16
    ) {
        inode = InodeNumber(0)
        placement = Placement(parent: parent, location: location, filename: filename, position: position)
        self.nature = nature
        self.created = created
        file = BackingState(created: created, mode: mode)
    }

    /// Whether a cloud document's backing file holds an older version than the container.
    public var isOutdated: Bool {
        isHere && !pending.contains(.content) && currentVersion != contentVersion
    }

    /// Whether size, times and content can be read from the backing file.
    public var isBackingCurrent: Bool {
        guard isHere else { return false }
        return location != .cloud || kind != .document || !isOutdated
    }

    /// The time of change that a program is shown, where the backing file has `fileTime`.
    public func timeOfChange(_ fileTime: Timestamp) -> Timestamp { fileTime == file.arrived ? changed : fileTime }

    /// Whether the entry belongs into the container.
    public var isReplicated: Bool { location == .cloud && id != nil }
}

/// Where an entry lies in the tree.
public struct Placement: Sendable {
    /// The inode number of the folder that holds it. The mountpoint holds itself.
    public var parent: InodeNumber
    /// Nil for the mountpoint and `Documents`.
    public var location: Location?
    /// The last component of the backing file's path; unique in its folder.
    public var filename: String
    /// Whether docfs generated the filename. By such a name the file is known again anywhere in the store (`Crashes`).
    public var hasGeneratedFilename = false
    /// Its sort key in the folder's order.
    public var position: OrderKey

    public init(parent: InodeNumber, location: Location?, filename: String, position: OrderKey) {
        self.parent = parent
        self.location = location
        self.filename = filename
        self.position = position
    }
}
