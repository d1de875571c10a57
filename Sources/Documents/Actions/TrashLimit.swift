/// How long deleted documents are kept, and how many (Semantics, "Undo and redo"). The oldest go first.
public struct TrashLimit: Sendable {
    public var age = Duration.seconds(30 * 86_400)
    /// Bytes of the contents in the trash.
    public var bytes: Int64 = 10 << 30

    public init() {}

    /// Whether an action can no longer be undone.
    ///
    /// - Parameter time: of its last change. A time in the future is no reason.
    public func isOver(_ time: Timestamp, now: Timestamp) -> Bool {
        let passed = now - time
        return passed > age && passed <= Timestamp.longestAge
    }
}
