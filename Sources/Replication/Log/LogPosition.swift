import ObjectStore

/// A position in the log. The first entry has position 1.
public struct LogPosition: Hashable, Sendable, Comparable, Codable {
    /// 0 for `start`, else from 1 on.
    public let number: Int64

    public init(_ number: Int64) { self.number = number }

    /// No log gets as long. Whoever does harm, or a damaged object, may have a name beyond it: nothing is counted on from there.
    private static let last: Int64 = 1_000_000_000_000_000
    /// From here, too, positions can be counted on.
    private static let greatest: Int64 = 1 << 62

    /// A position that the name of an object tells, which anybody may have written.
    ///
    /// - Returns: nil for one that no log has.
    public init?(named number: Int64) {
        guard number >= 0, number < Self.last else { return nil }
        self.number = number
    }

    /// The position before the first entry.
    public static let start = LogPosition(0)

    /// The position after it.
    public var next: LogPosition { LogPosition(number + 1) }

    /// The position before it. Not for `start`.
    public var previous: LogPosition { LogPosition(number - 1) }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The key of the entry, such as `log/0000000000000042`.
    public var key: ObjectKey {
        let digits = String(number)
        return ObjectKey(valid: ["log", String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits])
    }

    /// - Returns: nil for a key that is not that of an entry.
    public init?(_ key: ObjectKey) {
        guard key.components.count == 2, key.components[0] == "log",
            let position = Int64(key.last).flatMap(Self.init(named:)), position > .start, position.key == key
        else { return nil }
        self = position
    }

    /// Reads a whole number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        number = try container.decode(Int64.self)
        guard number >= 0, number <= Self.greatest else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a position of a log")
        }
    }

    /// Writes a whole number (`ContainerFormat`).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
