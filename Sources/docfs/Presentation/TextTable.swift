/// A table of text. Each column is as wide as its widest cell.
struct TextTable {
    private(set) var rows: [[StyledText]]
    /// Columns of numbers, which end at the same place.
    var rightAligned: Set<Int> = []
    var hasColor = false

    init(_ rows: [[StyledText]]) { self.rows = rows }

    /// Makes the table no wider than a terminal, where that can be done: cuts the few cells of one column that are longer than most, or
    /// leaves out the columns from another one on, if there is one that may be, and then cuts.
    mutating func fit(_ width: Int, dropping dropped: Int? = nil, cutting cut: Int) {
        guard widths.indices.contains(cut) else { return }
        let usual = Self.usualWidth(of: rows.compactMap { $0.indices.contains(cut) ? $0[cut] : nil })
        if let dropped, excess(over: width) > widths[cut] - usual { rows = rows.map { Array($0.prefix(dropped)) } }
        let excess = excess(over: width)
        guard excess > 0 else { return }
        let limit = max(10, widths[cut] - excess)
        rows = rows.map { row in
            row.enumerated().map { $0 == cut ? $1.cut(toColumns: limit) : $1 }
        }
    }

    /// A width that is enough for most of some names.
    static func usualWidth(of cells: [StyledText]) -> Int {
        let lengths = cells.map(\.columns).sorted()
        guard let longest = lengths.last else { return 0 }
        return min(longest, max(leastUsualWidth, lengths[(lengths.count - 1) * 3 / 4]))
    }

    private static let leastUsualWidth = 24

    private func excess(over width: Int) -> Int { widths.reduce(0, +) + 2 * (widths.count - 1) - width }

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
        let cells = fitted(to: width)
        let lengths = cells.map { $0.reduce(0) { $0 + $1.columns } }
        let (rows, widths) = Self.layout(lengths, width: width)
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

    func rowCount(width: Int) -> Int {
        if cells.isEmpty { return 0 }
        return Self.layout(fitted(to: width).map { $0.reduce(0) { $0 + $1.columns } }, width: width).rows
    }

    private func fitted(to width: Int) -> [[StyledText]] {
        cells.map { $0.cut(toColumns: max(Self.leastWidth, width)) }
    }

    /// As many columns as fit.
    private static func layout(_ lengths: [Int], width: Int) -> (rows: Int, widths: [Int]) {
        let most = min(lengths.count, max(1, width / (1 + gap)))
        return stride(from: most, through: 1, by: -1).lazy.map { layout(lengths, columns: $0) }
            .first { $0.widths.reduce(0, +) + gap * ($0.widths.count - 1) <= width }
            ?? layout(lengths, columns: 1)
    }

    private static func layout(_ lengths: [Int], columns: Int) -> (rows: Int, widths: [Int]) {
        let rows = (lengths.count + columns - 1) / columns
        let widths = stride(from: 0, to: lengths.count, by: rows).map {
            lengths[$0..<min($0 + rows, lengths.count)].max() ?? 0
        }
        return (rows, widths)
    }
}
