import Documents
import ObjectStore
import Replication

/// The last change that a container shows: a device that was never here before cannot tell whether there was a later one, but a person can.
public struct NewestChange: Sendable {
    /// By the clock of the device that made it.
    public let time: Timestamp
    public let deviceName: String

    /// - Returns: nil for a container without changes.
    /// - Throws: `LogError` where it does not answer, or cannot be read.
    public static func read(from store: any ObjectStore) async throws -> NewestChange? {
        let log = ReplicatedLog(store: store)
        guard let last = try await log.positions(after: .start, atMost: .max).last, let entry = try await log.read(last)
        else { return nil }
        return NewestChange(time: entry.commit.time, deviceName: entry.commit.deviceName)
    }
}
