/// A table of text. Each column is as wide as its widest cell.
struct TextTable {
    private(set) var rows: [[StyledText]]
    /// Columns of numbers, which end at the same place.
    var rightAligned: Set<Int> = []
    var hasColor = false

    init(_ rows: [[StyledText]]) { self.rows = rows }

    /// Makes the table no wider than a terminal, where that can be done: leaves out one column, and then cuts another one.
    mutating func fit(_ width: Int, dropping dropped: Int, cutting cut: Int) {
        if widths.reduce(0, +) + 2 * (widths.count - 1) > width { rows = rows.map { Array($0.prefix(dropped)) } }
        let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
        guard excess > 0, widths.indices.contains(cut) else { return }
        let limit = max(10, widths[cut] - excess)
        rows = rows.map { row in
            row.enumerated().map { $0 == cut ? $1.cut(toColumns: limit) : $1 }
        }
    }

    private var widths: [Int] {
        (0..<(rows.map(\.count).max() ?? 0)).map { column in
            rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
        }
    }

    var text: String {
        let widths = widths
        return rows.map { row in
            // The last cells of a row are not padded.
            let end = (row.lastIndex { !$0.text.isEmpty } ?? -1) + 1
            return row.prefix(end).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.columns)
                let text = cell.rendered(hasColor: hasColor)
                if rightAligned.contains(column) { return padding + text }
                return column == end - 1 ? text : text + padding
            }.joined(separator: "  ") + "\n"
        }.joined()
    }
}

/// Names in as many columns as fit, each read from top to bottom, as `ls` has them.
struct TextColumns {
    private static let gap = 2
    let cells: [[StyledText]]

    /// - Parameter cells: each of one or more pieces of text.
    init(_ cells: [[StyledText]]) { self.cells = cells }

    private static let leastWidth = 10

    /// A name that is wider than the terminal is cut, but something of it always stays.
    func text(width: Int, hasColor: Bool) -> String {
        guard !cells.isEmpty else { return "" }
        let cells = cells.map { $0.cut(toColumns: max(Self.leastWidth, width)) }
        let lengths = cells.map { $0.reduce(0) { $0 + $1.columns } }
        let most = min(cells.count, max(1, width / (1 + Self.gap)))
        let (rows, widths) =
            stride(from: most, through: 1, by: -1).lazy.map { Self.layout(lengths, columns: $0) }
            .first { $0.widths.reduce(0, +) + Self.gap * ($0.widths.count - 1) <= width }
            ?? Self.layout(lengths, columns: 1)
        return (0..<rows).map { row in
            let indices = stride(from: row, to: cells.count, by: rows)
            return indices.enumerated().map { column, index in
                let text = cells[index].map { $0.rendered(hasColor: hasColor) }.joined()
                let isLast = index + rows >= cells.count
                return isLast
                    ? text : text + String(repeating: " ", count: widths[column] - lengths[index] + Self.gap)
            }.joined() + "\n"
        }.joined()
    }

    private static func layout(_ lengths: [Int], columns: Int) -> (rows: Int, widths: [Int]) {
        let rows = (lengths.count + columns - 1) / columns
        let widths = stride(from: 0, to: lengths.count, by: rows).map {
            lengths[$0..<min($0 + rows, lengths.count)].max() ?? 0
        }
        return (rows, widths)
    }
}
