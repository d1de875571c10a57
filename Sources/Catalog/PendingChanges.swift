/// The changes to a cloud entry that were made here and are not yet committed to the container.
public struct PendingChanges: OptionSet, Sendable {
    /// The catalog stores it: the bits must keep their meaning.
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The container does not have the entry, or must be sent all of it again.
    public static let creation = PendingChanges(rawValue: 1)
    /// Its content was changed.
    public static let content = PendingChanges(rawValue: 2)
    /// Display name, extension, or who chose them.
    public static let name = PendingChanges(rawValue: 4)
    /// Its folder or filename.
    public static let place = PendingChanges(rawValue: 8)
    /// Its extended attributes.
    public static let attributes = PendingChanges(rawValue: 16)
    /// Its permission bits.
    public static let mode = PendingChanges(rawValue: 32)
    /// Its time of modification.
    public static let modified = PendingChanges(rawValue: 64)
    /// Its place in the folder's order.
    public static let position = PendingChanges(rawValue: 128)
    /// A folder that another device deleted and that stays here because of its scratch files. It is committed again when
    /// anything else is put into it.
    public static let revival = PendingChanges(rawValue: 256)

    /// All that the description of a document in the container consists of, without the time of modification, which its content brings
    /// along.
    public static let description: PendingChanges = [.name, .place, .attributes, .mode, .position]
    /// All that the description of a folder or link consists of: no content brings its time along.
    public static let descriptionWithTime = description.union(.modified)
}
