/// A point in time: nanoseconds since 1970-01-01T00:00:00Z, negative before it.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Since 1970-01-01T00:00:00Z, without leap seconds.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Saturates outside the years 1678 to 2262, the range of 64-bit nanoseconds.
    public init(seconds: Int, nanoseconds: Int) {
        let (product, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = product.addingReportingOverflow(Int64(nanoseconds))
        self.nanoseconds = overflow || carried ? (seconds < 0 ? .min : .max) : sum
    }

    /// Reads a whole number of nanoseconds.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a whole number of nanoseconds (`ContainerFormat`).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    /// Whole seconds, rounded down; `nanosecondsPart` is the rest, 0 to 999,999,999.
    public var seconds: Int {
        let quotient = Int(nanoseconds / 1_000_000_000)
        return nanoseconds % 1_000_000_000 < 0 ? quotient - 1 : quotient
    }

    /// 0 to 999,999,999, also for times before 1970.
    public var nanosecondsPart: Int {
        let remainder = Int(nanoseconds % 1_000_000_000)
        return remainder < 0 ? remainder + 1_000_000_000 : remainder
    }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time from `right` to `left`. Exact: it may not fit into 64 bits of nanoseconds.
    public static func - (left: Self, right: Self) -> Duration {
        .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }

    /// Saturates at the times that 64 bits of nanoseconds can tell.
    public static func + (left: Self, right: Duration) -> Self {
        let (seconds, attoseconds) = right.components
        let (length, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = left.nanoseconds.addingReportingOverflow(length)
        if overflow || carried { return Timestamp(nanoseconds: seconds < 0 ? .min : .max) }
        let (time, passed) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
        return Timestamp(nanoseconds: passed ? (attoseconds < 0 ? .min : .max) : time)
    }

    /// Two times that lie further apart (292 years) are not both of a clock, and tell no age.
    public static let longestAge = Duration.nanoseconds(Int64.max)
}
