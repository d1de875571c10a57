/// The keys of a container, one after the other. A new key counts for what comes after it in the log (the page Secrecy, "A new key").
public struct KeyRing: Sendable, Equatable {
    /// A key, and from where on it counts.
    public struct Period: Sendable, Equatable, Codable {
        public let key: ContainerKey
        /// The position of the log entry that began it; 0 for the key that the container was made with. The entries after it have this key.
        public let start: Int64

        public init(key: ContainerKey, start: Int64) {
            self.key = key
            self.start = start
        }
    }

    /// In their order. There is at least one, and each starts after the one before it.
    public let periods: [Period]

    /// Of a container whose key was never changed.
    public init(_ key: ContainerKey) { periods = [Period(key: key, start: 0)] }

    /// - Returns: nil where the periods are none, or not in their order.
    init?(_ periods: [Period]) {
        guard periods.first?.start == 0, zip(periods, periods.dropFirst()).allSatisfy({ $0.start < $1.start }) else {
            return nil
        }
        self.periods = periods
    }

    /// The key for all that is written now.
    // `!`: there is at least one.
    public var newest: Period { periods.last! }

    /// Whether the key was ever changed.
    public var hasFormer: Bool { periods.count > 1 }

    /// With a key that counts after an entry.
    ///
    /// - Returns: nil where a later entry has changed the key already.
    func adding(_ key: ContainerKey, after position: Int64) -> KeyRing? {
        KeyRing(periods + [Period(key: key, start: position)])
    }

    /// Whether the other one is this one, or has more keys after those.
    func isBeginning(of other: KeyRing) -> Bool { other.periods.starts(with: periods) }
}

extension KeyRing: CustomStringConvertible {
    /// Says nothing: a key must not come into a log.
    public var description: String { "the keys of a container" }
}
