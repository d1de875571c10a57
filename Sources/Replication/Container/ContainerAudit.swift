import Documents

/// Looks page by page through the positions of a log for what a device that only reads on would not notice: entries that are
/// missing, before its own position or after it. A pure value.
public struct ContainerAudit: Sendable, Equatable {
    public static let pageLength = 1000

    /// The last position that was looked at.
    public private(set) var last: LogPosition
    private let readFrom: LogPosition
    /// Where the device was when the audit began: nothing up to here may be missing.
    private let known: LogPosition

    public init(_ head: LogHead) {
        // A chain that begins anew above 1, or a checkpoint, has no entry before its first.
        last = head.readFrom.previous
        readFrom = head.readFrom
        known = head.position
    }

    /// Takes the next page of positions, those after `last`.
    ///
    /// - Returns: whether that was all.
    /// - Throws: what is missing.
    public mutating func take(_ page: [LogPosition]) throws(ContainerFault) -> Bool {
        for position in page {
            guard position == last.next else { throw .hole(last.next) }
            last = position
        }
        if page.count == Self.pageLength { return false }
        guard last >= known else { throw last < readFrom ? .emptied : .rolledBack(to: last, from: known) }
        return true
    }
}
