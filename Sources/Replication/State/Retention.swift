import Documents
import ObjectStore

/// How long the container keeps contents that nothing needs any more (PRODUCT 6: 30 days).
public enum Retention {
    private static let day: Int64 = 24 * 3_600_000_000_000
    /// Nanoseconds.
    public static let period = 30 * day
    /// How often each device looks for what can go, by its own clock. Nanoseconds.
    public static let cleaningInterval = day

    /// Whether a content may be removed that nothing has needed since a commit.
    ///
    /// - Parameters:
    ///   - departed: when that commit was written, by the store's clock.
    ///   - now: by the store's clock. What a device's clock says counts for nothing here.
    public static func isOver(departed: Timestamp, now: Timestamp) -> Bool { isOver(period, since: departed, now: now) }

    /// A clock that was set back is no reason to wait.
    public static func isCleaningDue(last: Timestamp, now: Timestamp) -> Bool {
        isOver(cleaningInterval, since: last, now: now) || now < last
    }

    /// Whether more than `period` lies between two moments, of which any may be absurd.
    private static func isOver(_ period: Int64, since start: Timestamp, now: Timestamp) -> Bool {
        let (difference, isTooLarge) = now.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return isTooLarge ? false : difference > period
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
