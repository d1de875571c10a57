import Documents

/// How far an entry and the container agree.
public struct SynchronizationState: Sendable {
    /// The container's current version, as far as this device has read the log. Documents only, as the next two.
    public var currentVersion: VersionID?
    /// The version in the backing file or, if it was edited since, the version that was edited.
    public var contentVersion: VersionID?
    /// The number of unresolved conflict versions.
    public var conflicts = 0
    /// Changes that are not committed yet.
    public var pending: PendingChanges = []
    /// Counts local changes. When a commit was sent, the count tells whether there were newer changes meanwhile.
    public var revision: Int64 = 0
    /// Entries with the same bundle are committed together or not at all.
    public var bundle: Int64?
    /// The content that the entry is to get from a version which is not its own, as JSON (`AwaitedContent`); nil for none. Its file is not here
    /// until then.
    public var awaited: [UInt8]?
    /// The last failure in one line.
    public var error: String?

    /// The state of an entry of which the container knows nothing, with nothing to send.
    public init() {}
}
