import Documents

/// Checks, page by page, that the log has an entry at every position, before the device's own position and after it. Reading on does not
/// show that an earlier entry went missing. A pure value.
public struct ContainerAudit: Sendable, Equatable {
    /// Positions that `check` expects in each page but the last.
    public static let pageLength = 1000

    /// The last position that was checked.
    public private(set) var last: LogPosition
    private let readFrom: LogPosition
    /// The device's position when the audit began: the log must reach at least this far.
    private let known: LogPosition

    /// Begins with the first entry that the device vouches for.
    ///
    /// - Parameter head: the device's own place in the log.
    public init(_ head: LogHead) {
        // A device that began with a checkpoint, or with a chain that was begun anew, vouches for no entry before that.
        last = head.readFrom.previous
        readFrom = head.readFrom
        known = head.position
    }

    /// Checks the next page of positions, those after `last`. A page with fewer than `pageLength` positions is the last one.
    ///
    /// - Returns: whether this was the last page.
    /// - Throws: the fault, if an entry is missing.
    public mutating func check(_ page: [LogPosition]) throws(ContainerFault) -> Bool {
        for position in page {
            guard position == last.next else { throw .hole(last.next) }
            last = position
        }
        if page.count == Self.pageLength { return false }
        guard last >= known else { throw last < readFrom ? .emptied : .rolledBack(to: last, from: known) }
        return true
    }
}
