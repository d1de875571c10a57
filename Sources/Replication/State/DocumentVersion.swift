import Documents
import ObjectStore

/// One saved content of a document. It never changes, and is an object of its own in the container.
public struct DocumentVersion: Codable, Sendable, Equatable {
    public var id: VersionID
    /// The version that it was made from; nil for a document's first.
    public var base: VersionID?
    public var device: DeviceID
    /// The device's name for people. Conflict versions are listed under it.
    public var deviceName: String
    /// The document's filename when it was saved; the last component of the object's key.
    public var filename: String
    /// Bytes.
    public var size: Int64
    /// 64 lower-case hexadecimal digits.
    public var sha256: String
    public var modified: Timestamp
    /// The document under whose id the content lies; nil if that is the document itself. Set when a version is bequeathed.
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

    /// The key of the content: `documents/ID/VERSION/FILENAME`, where ID is the keeper's, if there is one.
    ///
    /// - Throws: `CommitError` for a filename that cannot end a key.
    public func key(of document: EntryID) throws(CommitError) -> ObjectKey {
        guard let key = ObjectKey(["documents", (keeper ?? document).description, id.description, filename]) else {
            throw .invalid("the filename '\(filename)' of a version cannot be part of a key")
        }
        return key
    }

    /// Whether both have the same content.
    func hasSameContent(as other: DocumentVersion) -> Bool { size == other.size && sha256 == other.sha256 }

    /// Whether a version is later than another one. Of two that did not see each other the later one is current, and every device
    /// decides so without asking. Versions of the same time are ordered by id.
    static func isLater(_ left: DocumentVersion, _ right: DocumentVersion) -> Bool {
        (left.modified, left.id) > (right.modified, right.id)
    }
}
