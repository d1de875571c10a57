/// The last entry of the cloud's log that a device is shown, as people compare it: of a device that was never here before, and of two that may be
/// shown different logs.
public struct NewestEntry: Sendable, Equatable {
    /// Its position in the log.
    public let number: Int64
    /// When it was written, by its device's clock.
    public let time: Timestamp
    public let deviceName: String
    /// Eight words (the page Secrecy).
    public let code: String

    public init(number: Int64, time: Timestamp, deviceName: String, code: String) {
        self.number = number
        self.time = time
        self.deviceName = deviceName
        self.code = code
    }
}
