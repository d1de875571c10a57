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

/// The name under which the docfs command reads the list of the trash: one JSON object (`TrashedDocument`) a line.
public enum ReservedTrashName {
    /// Bytes that are not UTF-8, so that no document can have the name.
    public static let name: [UInt8] = [0xff] + Array(".trash".utf8)
}

/// The names under which the docfs command reads the undo list, because `.undo` may be a document.
public enum ReservedActionName {
    /// - Returns: bytes that are not UTF-8, so that no document can have the name.
    public static func name(of direction: ActionDirection) -> [UInt8] { [0xff] + Array(direction.virtualName.utf8) }

    /// - Returns: nil for any other name.
    public static func direction(_ name: some Collection<UInt8>) -> ActionDirection? {
        ActionDirection.allCases.first { self.name(of: $0).elementsEqual(name) }
    }
}
