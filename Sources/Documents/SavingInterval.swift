/// How long a program may take from the first step of a save to the last one (PRODUCT 2 "Saving as programs really do it"). Until
/// then a document that went is still expected back, and a generated filename may still be that of a temporary file.
public enum SavingInterval {
    /// Nanoseconds.
    public static let length: Int64 = 15_000_000_000

    /// Whether a save that began at `start` may still be under way.
    ///
    /// - Parameter start: perhaps by another device's clock. A time in the future says nothing.
    public static func contains(_ now: Timestamp, from start: Timestamp) -> Bool {
        (0..<length).contains(now.nanoseconds - start.nanoseconds)
    }
}
