extension String {
    /// The columns that a terminal needs for this text. It must be `printable`.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Cut to a number of columns; an ellipsis says that something is missing.
    func cut(toColumns limit: Int) -> String {
        if columns <= limit { return self }
        var text = ""
        var used = 0
        for character in self {
            if used + character.columns > limit - 1 { break }
            text.append(character)
            used += character.columns
        }
        return limit > 0 ? text + "…" : ""
    }
}

extension Character {
    /// 0 for a mark without a letter, 2 for East Asian letters and pictures, else 1.
    var columns: Int {
        if unicodeScalars.contains(where: { $0.isWide || $0 == "\u{fe0f}" }) { return 2 }
        return unicodeScalars.allSatisfy(\.isZeroWidth) ? 0 : 1
    }
}

extension Unicode.Scalar {
    fileprivate var isZeroWidth: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// East Asian Width W or F in Unicode; the ranges join neighbours that are not assigned.
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3,
            0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18dff,
            0x1aff0...0x1b2ff, 0x1f200...0x1f265, 0x20000...0x3fffd:
            true
        default: properties.isEmojiPresentation
        }
    }
}
