import Documents
import ObjectStore

/// How long the container keeps contents that it does not need (PRODUCT 6: 30 days).
public enum Retention {
    private static let day: Int64 = 24 * 3_600_000_000_000
    /// Nanoseconds.
    public static let period = 30 * day
    /// A content must be named by a commit within this time of being uploaded, or is uploaded anew: so
    /// that no content which somebody may still name is ever old enough to be removed. Nanoseconds.
    public static let uploadLifetime = day
    /// How often each device looks for what can go. Nanoseconds.
    public static let cleaningInterval = day

    /// Whether more than `period` lies between two moments.
    static func isOver(_ period: Int64, since start: Timestamp, now: Timestamp) -> Bool {
        now.nanoseconds.subtractingReportingOverflow(start.nanoseconds).partialValue > period
    }

    /// Whether an upload that began at `start` may still be named.
    public static func isFresh(_ start: Timestamp, now: Timestamp) -> Bool { !isOver(uploadLifetime, since: start, now: now) }

    public static func isCleaningDue(last: Timestamp, now: Timestamp) -> Bool { isOver(cleaningInterval, since: last, now: now) }

    /// Whether an object of the container may be removed because nothing needs it any more.
    ///
    /// - Parameters:
    ///   - entry: the document that it is a content of, as of the end of the log; nil if there is none.
    ///   - written: when the object was made.
    public static func canRemove(_ version: VersionID, of entry: ReplicaEntry?, written: Timestamp, now: Timestamp) -> Bool {
        isOver(period, since: written, now: now) && !needs(version, entry, now)
    }

    private static func needs(_ version: VersionID, _ entry: ReplicaEntry?, _ now: Timestamp) -> Bool {
        guard let entry, let versions = entry.versions, versions.contains(version) else { return false }
        // What was deleted can be brought back as it was; not all that it had been before.
        if let deleted = entry.deleted, isOver(period, since: deleted, now: now) { return false }
        if versions.heads.contains(where: { $0.id == version }) { return true }
        return versions.superseded.contains { $0.version.id == version && !isOver(period, since: $0.time, now: now) }
    }
}

/// `documents/ID/VERSION/FILENAME`, taken apart.
public struct ContentKey: Sendable {
    public static let folder = ObjectKey("documents")!

    public let document: EntryID
    public let version: VersionID

    /// - Returns: nil for what is no content.
    public init?(_ key: ObjectKey) {
        guard key.components.count == 4, key.components[0] == Self.folder.description,
            let document = EntryID(key.components[1]), let version = VersionID(key.components[2])
        else { return nil }
        self.document = document
        self.version = version
    }
}
