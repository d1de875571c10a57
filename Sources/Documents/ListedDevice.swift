/// A device that writes to an encrypted container, as `docfs devices` lists it.
public struct ListedDevice: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    /// When it wrote first, by its clock, in ISO 8601 (UTC).
    public var joined: String
    /// When it wrote last, by its clock, in ISO 8601 (UTC).
    public var wrote: String
    public var isThisDevice: Bool

    public init(id: String, name: String, joined: String, wrote: String, isThisDevice: Bool) {
        self.id = id
        self.name = name
        self.joined = joined
        self.wrote = wrote
        self.isThisDevice = isThisDevice
    }
}
