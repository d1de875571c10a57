import Documents
import FoundationEssentials

/// New values for fields of a description. A field that is nil stays as it is.
public struct DescriptionChange: Codable, Sendable, Equatable {
    /// Folder and filename, which are set together.
    public struct Place: Codable, Sendable, Equatable {
        public var parent: EntryID
        public var filename: String
        public var hasGeneratedFilename: Bool

        public init(parent: EntryID, filename: String, hasGeneratedFilename: Bool) {
            self.parent = parent
            self.filename = filename
            self.hasGeneratedFilename = hasGeneratedFilename
        }
    }

    public struct Name: Codable, Sendable, Equatable {
        public var displayName: String
        public var pathExtension: String
        public var naming: Naming

        public init(displayName: String, pathExtension: String, naming: Naming) {
            self.displayName = displayName
            self.pathExtension = pathExtension
            self.naming = naming
        }
    }

    public struct Attributes: Codable, Sendable, Equatable {
        /// Nil takes all attributes away.
        public var json: Data?

        public init(json: Data?) { self.json = json }
    }

    public var place: Place?
    public var name: Name?
    public var position: CommittedPlace?
    public var mode: UInt16?
    public var modified: Timestamp?
    public var attributes: Attributes?

    public init() {}

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
    public static let currentFormat = 1

    public var format = Commit.currentFormat
    /// New for each commit.
    public var id: CommitID
    public var device: DeviceID
    /// As people know the device. It becomes part of names that must be told apart.
    public var deviceName: String
    /// By the clock of the device.
    public var time: Timestamp
    public var changes: [Change]

    public init(id: CommitID, device: DeviceID, deviceName: String, time: Timestamp, changes: [Change]) {
        self.id = id
        self.device = device
        self.deviceName = deviceName
        self.time = time
        self.changes = changes
    }
}
