/// The time that a program may need for a save of several system calls (Semantics, "Saving"). Within it a new file may
/// continue a document that was removed, and a new document may still be a temporary file that is about to be renamed.
public enum SavingInterval {
    public static let length = Duration.seconds(15)

    /// Whether a save that began at `start` may still be under way.
    ///
    /// - Parameter start: may come from another device's clock. For a time in the future the answer is no.
    public static func contains(_ now: Timestamp, from start: Timestamp) -> Bool {
        (.zero..<length).contains(now - start)
    }
}
