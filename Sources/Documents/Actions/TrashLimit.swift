/// How long deleted documents are kept, and how many (Semantics, "Undo and redo"). The oldest go first.
public struct TrashLimit: Sendable {
    /// Nanoseconds.
    public var age: Int64 = 30 * 24 * 3_600_000_000_000
    /// Bytes of the contents in the trash.
    public var bytes: Int64 = 10 << 30

    public init() {}

    /// Whether an action can no longer be undone.
    ///
    /// - Parameter time: of its last change. A time in the future is no reason.
    public func isOver(_ time: Timestamp, now: Timestamp) -> Bool {
        let (difference, isTooLarge) = now.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
        return !isTooLarge && difference > age
    }
}
