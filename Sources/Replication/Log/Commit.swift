import Documents
import FoundationEssentials

/// Which fields of a description a change sets; nil leaves one as it is.
public struct DescriptionChange: Codable, Sendable, Equatable {
    /// Folder and filename go together: both are the entry's place.
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
        public var json: Data?

        public init(json: Data?) { self.json = json }
    }

    public var place: Place?
    public var name: Name?
    public var position: Double?
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

/// A batch of changes at one position of the log: all of them happen, for every device, or none.
public struct Commit: Codable, Sendable, Equatable {
    public static let currentFormat = 1

    public var format = Commit.currentFormat
    public var id: CommitID
    public var device: DeviceID
    public var deviceName: String
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
