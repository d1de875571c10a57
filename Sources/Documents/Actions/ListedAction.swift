/// An action of the undo list, as the docfs command lists it.
public struct ListedAction: Codable, Sendable, Equatable {
    /// `Delete 12 documents`
    public var name: String
    /// When it was done, or undone, in ISO 8601 (UTC).
    public var time: String
    /// What was done: an `ActionKind`.
    public var kind: String
    /// The folder of the first document that it was about, below `Documents`: `local/Trip`; nil if it was about none.
    public var place: String?

    public init(name: String, time: String, kind: String, place: String?) {
        self.name = name
        self.time = time
        self.kind = kind
        self.place = place
    }
}
