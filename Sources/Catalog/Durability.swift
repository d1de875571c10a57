/// From when on a change of rows survives the end of the process.
public enum Durability: Sendable {
    /// When the write returns.
    case now
    /// Shortly after, in a group commit: for rows that `Reconciliation` can rebuild from files if the process ends before. The
    /// rows may be written in any order.
    case soon

    /// How long a row waits at most.
    public static let longestWait = Duration.milliseconds(100)
    /// How many rows wait at most; the write that adds one more writes them all.
    static let mostWaiting = 4000
}
