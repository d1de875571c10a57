import Documents
import FoundationEssentials

/// New values for fields of a description. A field that is nil stays as it is.
public struct DescriptionChange: Codable, Sendable, Equatable {
    /// Folder and filename, which are set together.
    public struct Place: Codable, Sendable, Equatable {
        /// The id of the new folder; `EntryID.cloudRoot` is the top one.
        public var parent: EntryID
        /// The name in that folder. If another entry of the folder has it, `apply` adds the name of the device to it.
        public var filename: String
        /// Whether docfs generated the filename. Others were given by a person.
        public var hasGeneratedFilename: Bool

        public init(parent: EntryID, filename: String, hasGeneratedFilename: Bool) {
            self.parent = parent
            self.filename = filename
            self.hasGeneratedFilename = hasGeneratedFilename
        }
    }

    /// Display name, extension and who chose them, which are set together. Documents only.
    public struct Name: Codable, Sendable, Equatable {
        /// Without the extension.
        public var displayName: String
        /// Without the dot; empty for none.
        public var pathExtension: String
        /// How the document got its display name.
        public var naming: Naming

        public init(displayName: String, pathExtension: String, naming: Naming) {
            self.displayName = displayName
            self.pathExtension = pathExtension
            self.naming = naming
        }
    }

    /// The extended attributes of an entry, which are set together.
    public struct Attributes: Codable, Sendable, Equatable {
        /// Nil takes all attributes away.
        public var json: Data?

        public init(json: Data?) { self.json = json }
    }

    /// Moves or renames the entry.
    public var place: Place?
    /// Gives the document another display name.
    public var name: Name?
    /// Moves the entry in the order of its folder.
    public var position: CommittedPosition?
    /// Permission bits with set-id bits and sticky bit, at most 0o7777.
    public var mode: UInt16?
    /// The time of modification.
    public var modified: Timestamp?
    /// Replaces all extended attributes. Nil leaves them, `json` without a value removes them.
    public var attributes: Attributes?

    /// Changes nothing.
    public init() {}

    /// Whether nothing is set.
    public var isEmpty: Bool { self == DescriptionChange() }

    func applied(to description: EntryDescription) -> EntryDescription {
        var changed = description
        if let place {
            changed.parent = place.parent
            changed.filename = place.filename
            changed.hasGeneratedFilename = place.hasGeneratedFilename
        }
        if let name {
            changed.displayName = name.displayName
            changed.pathExtension = name.pathExtension
            changed.naming = name.naming
        }
        if let position { changed.position = position }
        if let mode { changed.mode = mode }
        if let modified { changed.modified = modified }
        if let attributes { changed.attributes = attributes.json }
        return changed
    }
}

/// The changes at one position of the log. For every device all of them happen, or none.
public struct Commit: Codable, Sendable, Equatable {
    /// Of all commits but those that announce a key.
    public static let usualFormat = 1
    /// Of a commit that announces a key: a release that knows of no such commits must not pass it over.
    static let keyFormat = 2
    /// What this release reads and writes. The next one is 4: 3 is that of signed entries (`LogEntry.signedFormat`).
    static let knownFormats = usualFormat...keyFormat

    /// A reader that finds a greater number than it knows stops there: only a later release can read the entry.
    public private(set) var format = Commit.usualFormat
    /// New for each commit.
    public var id: CommitID
    /// The device that made the commit.
    public var device: DeviceID
    /// As people know the device. It becomes part of names that must be told apart.
    public var deviceName: String
    /// By the clock of the device.
    public var time: Timestamp
    /// In the order in which they are applied. May be empty.
    public var changes: [Change]
    /// The key object of an encrypted container, whose key counts for what comes after this entry (the page Secrecy); nil in all others.
    public private(set) var newKey: Data?
    /// The devices that the new key is kept from: they are no members any more. Nil for none.
    public private(set) var removed: [DeviceID]?

    public init(id: CommitID, device: DeviceID, deviceName: String, time: Timestamp, changes: [Change]) {
        self.id = id
        self.device = device
        self.deviceName = deviceName
        self.time = time
        self.changes = changes
    }

    /// A commit that announces a key, and changes nothing.
    ///
    /// - Parameters:
    ///   - newKey: the key object.
    ///   - removed: the devices that it is kept from.
    public init(
        id: CommitID, device: DeviceID, deviceName: String, time: Timestamp, newKey: [UInt8],
        removing removed: [DeviceID]
    ) {
        self.init(id: id, device: device, deviceName: deviceName, time: time, changes: [])
        format = Self.keyFormat
        self.newKey = Data(newKey)
        self.removed = removed.isEmpty ? nil : removed
    }
}
