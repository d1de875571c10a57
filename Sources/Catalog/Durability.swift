/// When a change of rows survives the end of the process.
public enum Durability: Sendable {
    /// When the write returns.
    case now
    /// A moment later, with others in one commit: for rows that can be told from files, if the process dies before
    /// (`Reconciliation`). There is no order among them.
    case soon

    /// How long a row waits.
    public static let longestWait = Duration.milliseconds(100)
    /// How many rows wait; then whoever adds one writes them.
    static let mostWaiting = 4000
}
