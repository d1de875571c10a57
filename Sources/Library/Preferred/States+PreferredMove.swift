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
                (try place(of: $0.entry, catalog), $0.reason)
            })
    }

    /// The name of an entry, after those of the folders that it is in below `local` or `cloud`.
    private func place(of entry: Entry, _ catalog: CatalogTransaction) throws -> String {
        let name = entry.name?.full ?? entry.filename
        guard entry.parent > .documents, entry.parent != .local, entry.parent != .cloud,
            let folder = try catalog.entry(entry.parent)
        else { return name }
        let place = try StorePath.text(of: folder, catalog)
        return place.drop { $0 != "/" }.dropFirst() + "/" + name
    }
}
