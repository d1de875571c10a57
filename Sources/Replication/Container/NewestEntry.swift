import Documents

/// The last entry of the log that a device is shown, as two people compare it whose devices may be shown different logs.
public struct NewestEntry: Sendable, Equatable {
    public let position: LogPosition
    /// When it was written, by its device's clock.
    public let time: Timestamp
    public let deviceName: String
    public let code: LogCode

    public init(_ entry: LogEntry, at position: LogPosition) {
        self.position = position
        time = entry.commit.time
        deviceName = entry.commit.deviceName
        code = LogCode(of: entry.link.container, at: position, entry.hash)
    }
}
