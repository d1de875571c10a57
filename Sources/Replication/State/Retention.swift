import Documents
import ObjectStore

/// How long the container keeps contents that nothing needs any more: 30 days (ContainerFormat, Cleaning).
public enum Retention {
    public static let period = Duration.seconds(30 * 86_400)
    /// How often each device looks for contents to remove, by its own clock.
    public static let cleaningInterval = Duration.seconds(86_400)

    /// Whether a content may be removed that nothing has needed since some commit.
    ///
    /// - Parameters:
    ///   - departed: when that commit was written, by the store's clock.
    ///   - now: by the store's clock. No device's clock counts here.
    public static func isOver(departed: Timestamp, now: Timestamp) -> Bool { isOver(period, since: departed, now: now) }

    /// Whether it is time to look for contents to remove. If the clock was set back since the last time, it is.
    public static func isCleaningDue(last: Timestamp, now: Timestamp) -> Bool {
        isOver(cleaningInterval, since: last, now: now) || now < last
    }

    /// Whether more than `period` lies between two times, which may be any numbers.
    private static func isOver(_ period: Duration, since start: Timestamp, now: Timestamp) -> Bool {
        let passed = now - start
        return passed > period && passed <= Timestamp.longestAge
    }
}

/// The parts of a content's key, `documents/ID/VERSION/FILENAME`.
public struct ContentKey: Sendable {
    public static let folder = ObjectKey(valid: ["documents"])

    public let document: EntryID
    public let version: VersionID

    /// - Returns: nil for a key that is not that of a content.
    public init?(_ key: ObjectKey) {
        guard key.components.count == 4, key.components[0] == Self.folder.description,
            let document = EntryID(key.components[1]), let version = VersionID(key.components[2])
        else { return nil }
        self.document = document
        self.version = version
    }
}
