import Documents
import ObjectStore

/// One saved content of a document: immutable, and an object of its own in the container.
public struct DocumentVersion: Codable, Sendable, Equatable {
    public var id: VersionID
    /// The version it was made from; nil for a document's first.
    public var base: VersionID?
    public var device: DeviceID
    /// As people know the device, for the names of conflict versions.
    public var deviceName: String
    /// The last component of its object's key: the document's filename when it was saved.
    public var filename: String
    /// Bytes.
    public var size: Int64
    /// 64 lower-case hexadecimal digits.
    public var sha256: String
    public var modified: Timestamp
    /// The document under which the container keeps its content; nil for the one whose version it is.
    public var keeper: EntryID?

    public init(
        id: VersionID, base: VersionID?, device: DeviceID, deviceName: String, filename: String, size: Int64,
        sha256: String, modified: Timestamp
    ) {
        self.id = id
        self.base = base
        self.device = device
        self.deviceName = deviceName
        self.filename = filename
        self.size = size
        self.sha256 = sha256
        self.modified = modified
    }

    /// `documents/ID/VERSION/FILENAME`, where ID is the keeper's if there is one.
    ///
    /// - Throws: `CommitError` for a filename that cannot end a key.
    public func key(of document: EntryID) throws(CommitError) -> ObjectKey {
        guard let key = ObjectKey(["documents", (keeper ?? document).description, id.description, filename]) else {
            throw .invalid("the filename '\(filename)' of a version cannot be part of a key")
        }
        return key
    }

    /// Whether both are the same bytes.
    func hasContent(of other: DocumentVersion) -> Bool { size == other.size && sha256 == other.sha256 }

    /// Which of two versions that did not see each other is current: the later one; every device
    /// decides so without asking (PRODUCT 6).
    static func isLater(_ left: DocumentVersion, _ right: DocumentVersion) -> Bool {
        (left.modified, left.id) > (right.modified, right.id)
    }
}
