/// Where rows go that are dragged and dropped.
package enum DropTarget: Sendable, Equatable {
    /// The part of a row over which they are dropped.
    package enum Edge: String, Sendable, Decodable { case before, on, after }

    package enum Side: Sendable { case before, after }

    /// The id of a section or folder.
    case into(String)
    /// The id of a document.
    case beside(String, Side)
    /// They stay where they are.
    case nowhere
    case refused(String)

    /// Retargets a drop to where rows can be: a row of a section or folder takes them in, and beyond the ends of what is in one means its end.
    ///
    /// - Parameters:
    ///   - ids: of the dragged rows.
    ///   - id: of the row under them.
    package init(of ids: [String], over id: String, _ edge: Edge, in rows: [TableRow]) {
        guard let index = rows.firstIndex(where: { $0.id == id }) else {
            self = .refused("that is no longer in the table")
            return
        }
        let row = rows[index]
        let folder = Self.folder(for: row, edge, above: index > 0 ? rows[index - 1] : nil)
        let place = folder.map { $0 + "/" } ?? id
        if ids.contains(where: { $0 == "local" || $0 == "cloud" }) {
            self = .refused("a section keeps its place")
        } else if ids.contains(where: { place.hasPrefix($0 + "/") }) {
            self = .refused("a folder does not go into itself")
        } else if let folder {
            self = .into(folder)
        } else if ids.contains(id) {
            self = .nowhere
        } else {
            self = .beside(id, edge == .after ? .after : .before)
        }
    }

    /// The folder that takes the rows in; nil where they go beside a document.
    private static func folder(for row: TableRow, _ edge: Edge, above: TableRow?) -> String? {
        switch row.kind {
        case .document: return nil
        case .newDocument: return parent(of: row)
        case .section where edge == .before:
            // Above the head of a section is the end of the one before.
            return above.map { section(of: $0) } ?? row.id
        case .section, .folder: return row.id
        }
    }

    private static func parent(of row: TableRow) -> String { String(row.id.dropLast(TableRow.newSuffix.count)) }

    private static func section(of row: TableRow) -> String {
        row.id.split(separator: "/").first.map(String.init) ?? row.id
    }
}
