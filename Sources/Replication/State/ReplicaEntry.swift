import Documents
import FoundationEssentials

/// The kind of an entry, with the fields that only that kind has.
public enum ReplicaContent: Codable, Sendable, Equatable {
    case folder
    case symbolicLink(target: Data)
    case document(versions: VersionHistory)
}

/// All fields of an entry that can change without its content.
public struct EntryDescription: Codable, Sendable, Equatable {
    public var parent: EntryID
    /// A document's generated filename, or the name of a folder or link.
    public var filename: String
    /// Documents only, as are the next two.
    public var displayName: String?
    public var pathExtension: String?
    public var naming: Naming?
    /// Whether the filename was generated. Others were given by a person.
    public var hasGeneratedFilename: Bool
    /// Where the entry stands in the order of its folder: the smaller comes first.
    public var position: CommittedPosition
    /// Permission bits.
    public var mode: UInt16
    /// A document's is that of its current version.
    public var modified: Timestamp
    /// Extended attributes as JSON (`ExtendedAttributes`); nil for none.
    public var attributes: Data?

    public init(
        parent: EntryID, filename: String, displayName: String? = nil, pathExtension: String? = nil,
        naming: Naming? = nil, hasGeneratedFilename: Bool = false, position: CommittedPosition, mode: UInt16,
        modified: Timestamp, attributes: Data? = nil
    ) {
        self.parent = parent
        self.filename = filename
        self.displayName = displayName
        self.pathExtension = pathExtension
        self.naming = naming
        self.hasGeneratedFilename = hasGeneratedFilename
        self.position = position
        self.mode = mode
        self.modified = modified
        self.attributes = attributes
    }

    /// Display name and extension as one name; nil for folders and links.
    public var fullName: String? {
        displayName.map { DocumentName(storedDisplayName: $0, pathExtension: pathExtension ?? "").full }
    }
}

/// One document, folder or symbolic link of the container. All devices that have read the log to the same position have the same
/// entries.
public struct ReplicaEntry: Codable, Sendable, Equatable {
    public var id: EntryID
    public var description: EntryDescription
    public var content: ReplicaContent
    public var created: Timestamp
    public var creator: DeviceID
    /// When it was deleted, by the clock of the device that did it. A deleted entry stays in the state as a tombstone, so that an edit
    /// which did not know of the deletion can bring it back.
    public var deleted: Timestamp?

    public init(
        id: EntryID, description: EntryDescription, content: ReplicaContent, created: Timestamp,
        creator: DeviceID, deleted: Timestamp? = nil
    ) {
        self.id = id
        self.description = description
        self.content = content
        self.created = created
        self.creator = creator
        self.deleted = deleted
    }

    public var versions: VersionHistory? {
        if case .document(let versions) = content { versions } else { nil }
    }

    /// The entry after a choice among its versions. A deleted document lives again if the choice brings a version back.
    public func resolved(by resolution: Resolution, at time: Timestamp) -> ReplicaEntry {
        guard case .document(var versions) = content else { return self }
        var entry = self
        if let deleted, versions.revive(byUndoOf: resolution, deleted: deleted) {
            entry.deleted = nil
        } else {
            versions.resolve(resolution, at: time)
        }
        if versions.current.id != self.versions?.current.id { entry.description.modified = versions.current.modified }
        entry.content = .document(versions: versions)
        return entry
    }

    /// The entry with versions of another document as conflict versions of its own.
    ///
    /// - Parameter keeper: the document under whose id their contents lie, unless they have a keeper already.
    public func inheriting(_ versions: [DocumentVersion], from keeper: EntryID) -> ReplicaEntry {
        guard case .document(var history) = content else { return self }
        for var version in versions {
            version.keeper = version.keeper ?? keeper
            history.inherit(version)
        }
        var entry = self
        entry.content = .document(versions: history)
        return entry
    }

    public var isDeleted: Bool { deleted != nil }

    public var isFolder: Bool { content == .folder }
}
