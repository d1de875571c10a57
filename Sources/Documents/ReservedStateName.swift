/// The name under which the docfs command reads a state. `F.state` would not do: a document may have that name (Semantics, "State").
/// This one is not UTF-8, so no document can have it. It resolves and is not listed.
public enum ReservedStateName {
    /// Follows a document's name. Alone it means the folder in which it is looked up.
    public static let suffix: [UInt8] = [0xff] + Array(VirtualName.stateSuffix.utf8)

    /// - Returns: the document's name, empty for the folder; nil if `name` does not end with the suffix.
    public static func stem(of name: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        let length = name.count - suffix.count
        guard length >= 0, name.dropFirst(length).elementsEqual(suffix) else { return nil }
        return Array(name.prefix(length))
    }
}

/// What the docfs command reads of a mount as one JSON object a line. The names resolve in `Documents` and are not listed.
public enum ReservedReport: String, CaseIterable, Sendable {
    /// What is in the trash: `TrashedDocument`.
    case trash = ".trash"
    /// What can be undone: `ListedAction`.
    case undo = ".undo"
    /// What can be done again: `ListedAction`.
    case redo = ".redo"
    /// The devices of an encrypted container: `ListedDevice`.
    case devices = ".devices"

    public init(_ direction: ActionDirection) {
        self = direction == .undo ? .undo : .redo
    }

    /// - Returns: nil for any other name.
    public init?(name: some Collection<UInt8>) {
        guard let report = Self.allCases.first(where: { $0.name.elementsEqual(name) }) else { return nil }
        self = report
    }

    /// Bytes that are not UTF-8, so that no document can have the name.
    public var name: [UInt8] { [0xff] + Array(rawValue.utf8) }
}
