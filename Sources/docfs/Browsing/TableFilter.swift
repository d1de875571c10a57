/// Which documents a table shows while a person looks for some: words or a predicate, as in `docfs query`.
struct TableFilter: Sendable {
    /// Characters. A person types fewer; parentheses in parentheses take stack.
    private static let longest = 1000

    /// As it was typed.
    let text: String
    private let predicate: QueryPredicate

    /// - Returns: nil for a text without words: then all is shown.
    init?(_ text: String) throws(QueryError) {
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        guard text.count <= Self.longest else {
            throw QueryError(message: "it is longer than \(Self.longest) characters", position: Self.longest + 1)
        }
        self.text = text
        predicate = try QueryParser.parse(text, clock: .system)
    }

    /// - Throws: what reading the document throws.
    func shows(_ line: FolderStateLine, at path: String, in section: Substring) throws -> Bool {
        try predicate.matches(FoundDocument(path: path, line: line, location: String(section)))
    }
}
