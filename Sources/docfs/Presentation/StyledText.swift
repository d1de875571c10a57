/// One line of text that may be coloured.
struct StyledText: Equatable {
    enum Style: String {
        case green = "32"
        case yellow = "33"
        case red = "31"
        case faint = "2"
        case bold = "1"
    }

    let text: String
    let style: Style?

    /// Control characters are made visible.
    init(_ text: String, _ style: Style? = nil) {
        self.text = text.printable
        self.style = style
    }

    private init(printable text: String, _ style: Style?) {
        self.text = text
        self.style = style
    }

    /// A time: to a person as that of the place, else as it is.
    ///
    /// - Parameter text: ISO 8601, in UTC.
    static func time(iso8601 text: String, on facts: TerminalFacts) -> StyledText {
        StyledText(facts.isTerminal ? HumanText.localTime(iso8601: text) : text, .faint)
    }

    var columns: Int { text.columns }

    /// Cut to a number of columns; an ellipsis says that something is missing.
    func cut(toColumns limit: Int) -> StyledText { StyledText(printable: text.cut(toColumns: limit), style) }

    func rendered(hasColor: Bool) -> String {
        guard hasColor, let style, !text.isEmpty else { return text }
        return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }
}

extension [StyledText] {
    /// One cell of several pieces.
    func cut(toColumns limit: Int) -> [StyledText] {
        var left = limit
        return map { piece in
            let cut = piece.cut(toColumns: left)
            left -= cut.columns
            return cut
        }
    }
}

extension StyledText: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}
