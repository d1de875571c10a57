/// The name under which the docfs command reads a state. It is not UTF-8, so no document can be given it, and `F.state` may be a
/// document (PRODUCT 2 and 3). It resolves and is not listed.
public enum ReservedStateName {
    /// Comes after a name of a document; by itself it means the folder that it is looked up in.
    public static let suffix: [UInt8] = [0xff] + Array(VirtualName.stateSuffix.utf8)

    /// - Returns: the name of the document, empty for the folder; nil where `name` is no such name.
    public static func stem(of name: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        let length = name.count - suffix.count
        guard length >= 0, name.dropFirst(length).elementsEqual(suffix) else { return nil }
        return Array(name.prefix(length))
    }
}
