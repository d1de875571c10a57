/// How far the move to the preferred location is, as `Documents/.state` shows it.
public struct PreferredMoveState: Sendable, Equatable {
    /// How many of how many have moved or stayed; nil when no move is under way.
    public var done: Int?
    public var total: Int
    /// The entries that could not move, each with the reason.
    public var stayed: [Stayed]

    public struct Stayed: Sendable, Equatable {
        public let name: String
        public let reason: String
    }

    public init(moving: (done: Int, total: Int)? = nil, stayed: [(name: String, reason: String)] = []) {
        done = moving?.done
        total = moving?.total ?? 0
        self.stayed = stayed.map { Stayed(name: $0.name, reason: $0.reason) }
    }
}
