/// A sum of sizes of files. Two sparse files can be larger together than `Int64` holds, and SQLite refuses such a sum.
struct SizeSum: Equatable, Sendable {
    private var exact: Int128

    static let zero = SizeSum(exact: 0)

    private init(exact: Int128) { self.exact = exact }

    /// The sum that two columns of a query have, those of `columns(_:)`.
    init(high: Int64, low: Int64) { exact = Int128(high) << 32 + Int128(low) }

    /// - Parameter size: an SQL expression; NULL does not count.
    static func columns(_ size: String) -> String {
        "coalesce(sum((\(size)) >> 32), 0), coalesce(sum((\(size)) & 0xffffffff), 0)"
    }

    mutating func add(_ size: Int64, times: Int) { exact += Int128(times) * Int128(size) }

    /// The greatest number for a sum that is greater.
    var bytes: Int64 { Int64(clamping: exact) }
}
