/// A document in the trash, as `docfs trash` lists it.
public struct TrashedDocument: Codable, Sendable, Equatable {
    /// Names it for `docfs trash restore`: the action that removed it, and its step; of what another device deleted the id of the document.
    public var key: String
    /// Display name and extension.
    public var name: String
    /// The name that `ls` showed.
    public var filename: String
    /// The folder that it lay in, below `Documents`: `local/Trip`.
    public var place: String
    /// When it was deleted, in ISO 8601 (UTC).
    public var deleted: String
    /// The device on which it was deleted; nil if that was before this device met the container.
    public var device: String?
    /// Bytes.
    public var size: Int64

    public init(
        key: String, name: String, filename: String, place: String, deleted: String, device: String?, size: Int64
    ) {
        self.key = key
        self.name = name
        self.filename = filename
        self.place = place
        self.deleted = deleted
        self.device = device
        self.size = size
    }
}
