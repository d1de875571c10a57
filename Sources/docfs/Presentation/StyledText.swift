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

    var columns: Int { text.columns }

    func rendered(hasColor: Bool) -> String {
        guard hasColor, let style, !text.isEmpty else { return text }
        return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }
}

extension StyledText: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}
