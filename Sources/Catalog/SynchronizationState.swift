import Documents

/// How far an entry and the container agree.
public struct SynchronizationState: Sendable {
    /// The container's current version as far as this device has read the log. Documents only, as the next two.
    public var currentVersion: VersionID?
    /// The version that the backing file holds or, when it was edited, started from.
    public var contentVersion: VersionID?
    /// Unresolved conflict versions.
    public var conflicts = 0
    /// What the container is to hear.
    public var pending: PendingChanges = []
    /// Counts local changes, so that a commit under way knows whether it is the latest.
    public var revision: Int64 = 0
    /// Entries of one step are committed together or not at all.
    public var step: Int64?
    /// The last failure in one line.
    public var error: String?

    public init() {}
}
