import Catalog
import Documents

extension States {
    /// How far the move to the preferred location is.
    func preferredMove(_ catalog: CatalogTransaction) throws -> PreferredMoveState {
        let left = try catalog.preferredMovesLeft()
        let count = max(try catalog.setting(.preferredMoveCount).flatMap { Int($0) } ?? left, left)
        return PreferredMoveState(
            moving: left > 0 ? (count - left, count) : nil,
            stayed: try catalog.stayedEntries(in: namespace.preferredLocation.other.folder).map {
                ($0.entry.name?.full ?? $0.entry.filename, $0.reason)
            })
    }
}
