/// What of a cloud entry has changed here and is not yet committed to the container.
public struct PendingChanges: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The container does not know the entry, or must learn all of it anew.
    public static let creation = PendingChanges(rawValue: 1)
    /// Its content was written to.
    public static let content = PendingChanges(rawValue: 2)
    /// Display name, extension, or who chose them.
    public static let name = PendingChanges(rawValue: 4)
    /// Its folder or filename.
    public static let place = PendingChanges(rawValue: 8)
    public static let attributes = PendingChanges(rawValue: 16)
    public static let mode = PendingChanges(rawValue: 32)
    public static let modified = PendingChanges(rawValue: 64)
    public static let position = PendingChanges(rawValue: 128)
    /// A folder that was deleted elsewhere and is here still for the sake of scratch files. The container is to hear of it when
    /// something else comes to lie in it.
    public static let revival = PendingChanges(rawValue: 256)
}
