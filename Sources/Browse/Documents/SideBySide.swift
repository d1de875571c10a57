/// Two texts beside each other, line by line.
struct SideBySide: Encodable, Equatable {
    struct Row: Encodable, Equatable {
        /// Nil where the other text has a line more.
        let left: String?
        let right: String?
        /// Lines that are the same in both texts, and left out here.
        var skipped: Int?
    }

    let rows: [Row]
    /// Whether both are the same to the byte. Else they may differ in what no line shows: line ends, or how a letter is composed.
    let isEqual: Bool

    /// Lines that are shown before and after each difference.
    private static let context = 3
    /// The number of lines that are compared at most. Time and memory grow with its square; of more lines, all between the first and the last
    /// difference are shown as different.
    private static let mostLines = 4000

    init(_ left: String, _ right: String) {
        isEqual = left.utf8.elementsEqual(right.utf8)
        let (left, right) = (Self.lines(left), Self.lines(right))
        let beginning = zip(left, right).prefix { $0 == $1 }.count
        let rest = (left.dropFirst(beginning), right.dropFirst(beginning))
        let end = zip(rest.0.reversed(), rest.1.reversed()).prefix { $0 == $1 }.count
        rows = Self.shortened(
            left.prefix(beginning).map(Self.same)
                + Self.compared(Array(rest.0.dropLast(end)), Array(rest.1.dropLast(end)))
                + left.suffix(end).map(Self.same))
    }

    private static func lines(_ text: String) -> [Substring] {
        var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func same(_ line: Substring) -> Row { Row(left: String(line), right: String(line)) }

    private static func compared(_ left: [Substring], _ right: [Substring]) -> [Row] {
        var (removed, inserted) = (Set(left.indices), Set(right.indices))
        if !left.isEmpty, !right.isEmpty, left.count + right.count <= mostLines {
            (removed, inserted) = ([], [])
            for change in right.difference(from: left) {
                switch change {
                case .remove(let offset, _, _): removed.insert(offset)
                case .insert(let offset, _, _): inserted.insert(offset)
                }
            }
        }
        var rows: [Row] = []
        var (i, j) = (0, 0)
        while i < left.count || j < right.count {
            var (gone, come): ([Substring], [Substring]) = ([], [])
            while removed.contains(i) {
                gone.append(left[i])
                i += 1
            }
            while inserted.contains(j) {
                come.append(right[j])
                j += 1
            }
            for index in 0..<max(gone.count, come.count) {
                rows.append(
                    Row(
                        left: index < gone.count ? String(gone[index]) : nil,
                        right: index < come.count ? String(come[index]) : nil))
            }
            if i < left.count, j < right.count, !removed.contains(i), !inserted.contains(j) {
                rows.append(same(left[i]))
                i += 1
                j += 1
            }
        }
        return rows
    }

    /// Leaves long parts out that are the same.
    private static func shortened(_ rows: [Row]) -> [Row] {
        var near = [Bool](repeating: false, count: rows.count)
        for (index, row) in rows.enumerated() where row.left != row.right {
            for other in max(0, index - context)...min(rows.count - 1, index + context) { near[other] = true }
        }
        var shown: [Row] = []
        for (index, row) in rows.enumerated() {
            if near[index] {
                shown.append(row)
            } else if let skipped = shown.last?.skipped {
                shown[shown.count - 1].skipped = skipped + 1
            } else {
                shown.append(Row(left: nil, right: nil, skipped: 1))
            }
        }
        return shown
    }
}
