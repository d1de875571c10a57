/// How far the move to the preferred location is, as `Documents/.state` shows it.
public struct PreferredMoveState: Sendable, Equatable {
    /// The number of entries that have moved or stayed; nil when no move is under way.
    public var done: Int?
    /// 0 when no move is under way.
    public var total: Int
    /// The entries that could not move, each with the reason.
    public var stayed: [Stayed]

    /// An entry that could not move.
    public struct Stayed: Sendable, Equatable {
        /// A display name with its extension, or the filename of a folder or link.
        public let name: String
        /// One line for a person.
        public let reason: String
    }

    /// - Parameters:
    ///   - moving: nil when no move is under way.
    ///   - stayed: in the order in which they were to move.
    public init(moving: (done: Int, total: Int)? = nil, stayed: [(name: String, reason: String)] = []) {
        done = moving?.done
        total = moving?.total ?? 0
        self.stayed = stayed.map { Stayed(name: $0.name, reason: $0.reason) }
    }
}
