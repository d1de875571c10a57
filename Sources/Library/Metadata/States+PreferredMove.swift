import Catalog
import Documents

extension States {
    /// How far the move to the preferred location is.
    func preferredMove(_ rows: Rows) throws -> PreferredMoveState {
        let left = try rows.preferredMovesLeft()
        let count = max(try rows.setting(.preferredMoveCount).flatMap { Int($0) } ?? left, left)
        return PreferredMoveState(
            moving: left > 0 ? (count - left, count) : nil,
            stayed: try rows.stayedEntries(in: namespace.preferredLocation.other.folder).map {
                (try place(of: $0.entry, rows), $0.reason)
            })
    }

    /// The name of an entry, after those of the folders that it is in below `local` or `cloud`.
    private func place(of entry: Entry, _ rows: Rows) throws -> String {
        let name = entry.name?.full ?? entry.filename
        guard entry.parent > .documents, entry.parent != .local, entry.parent != .cloud,
            let folder = try rows.entry(entry.parent)
        else { return name }
        let place = try StorePath.text(of: folder, rows)
        return place.drop { $0 != "/" }.dropFirst() + "/" + name
    }
}
