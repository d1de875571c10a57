import Documents
/// Reads predicates:
///
///     any        = all { "or" all }
///     all        = one { "and" one }
///     one        = "not" one | "(" any ")" | FLAG | user.X | FIELD OPERATOR VALUE
///
/// A text that cannot be meant as a predicate is words that the name contains: `size`, `not found`, `people I like`.
struct QueryParser {
    private let tokens: [QueryToken]
    private let clock: QueryClock
    private let end: Int
    private var index = 0
    /// How many `not` and parentheses are around what is read.
    private var depth = 0

    static func parse(_ text: String, clock: QueryClock) throws(QueryError) -> QueryPredicate {
        let tokens = try QueryToken.split(text)
        do throws(QueryError) {
            return try predicate(tokens, clock: clock, end: text.count + 1)
        } catch {
            guard let words = words(tokens) else { throw error }
            return .all(words.map(contains))
        }
    }

    private static func predicate(
        _ tokens: [QueryToken], clock: QueryClock, end: Int
    ) throws(QueryError) -> QueryPredicate {
        var parser = QueryParser(tokens: tokens, clock: clock, end: end)
        let predicate = try parser.any()
        if let rest = parser.peek {
            let message =
                rest.kind == .close ? "this parenthesis closes nothing" : "here `and`, `or` or the end is expected"
            throw QueryError(message: message, position: rest.position)
        }
        return predicate
    }

    /// A word with a dot may be a name with its extension.
    private static func contains(_ word: String) -> QueryPredicate {
        .comparison(word.contains(".") ? .fullName : .displayName, .contains, .text(word))
    }

    /// - Returns: nil if something can only be meant as a part of a predicate, or there are none.
    private static func words(_ tokens: [QueryToken]) -> [String]? {
        var words: [String] = []
        var isAfterField = false
        for token in tokens {
            switch token.kind {
            case .quoted(let text): words.append(text)
            case .word(let word):
                if isOnlyOfPredicate(word) || isAfterField && QueryOperator(rawValue: word) != nil { return nil }
                words.append(word)
            case .open, .close, .comparison: return nil
            }
            isAfterField = if case .word(let word) = token.kind { QueryField(word) != nil } else { false }
        }
        return words.isEmpty ? nil : words
    }

    /// Whether a word is in no language but this one. `closed`, `size`, `has` and `not` are English words, too.
    private static func isOnlyOfPredicate(_ word: String) -> Bool {
        if case .attribute? = QueryField(word) { return true }
        return (QueryFlag.all.contains(word) || QueryField(word) != nil) && word.contains(where: \.isUppercase)
    }

    /// Nobody types so many parentheses and `not` around each other.
    private static let deepest = 200

    private init(tokens: [QueryToken], clock: QueryClock, end: Int) {
        self.tokens = tokens
        self.clock = clock
        self.end = end
    }

    private var peek: QueryToken? { index < tokens.count ? tokens[index] : nil }

    /// Takes the next token if it is this keyword.
    private mutating func take(_ keyword: String) -> Bool {
        guard peek?.kind == .word(keyword) else { return false }
        index += 1
        return true
    }

    private mutating func next(expecting expected: String) throws(QueryError) -> QueryToken {
        guard let token = peek else { throw QueryError(message: "\(expected) is missing at the end", position: end) }
        index += 1
        return token
    }

    private mutating func any() throws(QueryError) -> QueryPredicate {
        var parts = [try all()]
        while take("or") { parts.append(try all()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all() throws(QueryError) -> QueryPredicate {
        var parts = [try one()]
        while take("and") { parts.append(try one()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func one() throws(QueryError) -> QueryPredicate {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.deepest {
            throw QueryError(message: "this lies in too many others", position: peek?.position ?? end)
        }
        if take("not") { return .not(try one()) }
        let token = try next(expecting: "a comparison")
        switch token.kind {
        case .open:
            let inner = try any()
            guard let closing = peek, closing.kind == .close else {
                throw QueryError(message: "this parenthesis is not closed", position: token.position)
            }
            index += 1
            return inner
        case .word(let word): return try term(word, at: token.position)
        case .close:
            throw QueryError(message: "before this parenthesis, a comparison is missing", position: token.position)
        case .comparison(let sign):
            throw QueryError(message: "before `\(sign.rawValue)`, a field is missing", position: token.position)
        case .quoted:
            throw QueryError(message: "here a field is expected, not a value in quotes", position: token.position)
        }
    }

    private mutating func term(_ word: String, at position: Int) throws(QueryError) -> QueryPredicate {
        if QueryFlag.all.contains(word) { return .flag(word) }
        guard let field = QueryField(word) else {
            throw QueryError(
                message: "there is no field `\(word)`; the fields are \(QueryField.names)", position: position)
        }
        guard let (comparison, place) = takeComparison() else {
            if case .attribute = field { return .exists(field) }
            throw QueryError(
                message: "after `\(word)`, a comparison is missing: \(Self.comparisons(for: field))",
                position: peek?.position ?? end)
        }
        try Self.check(comparison, fits: field, at: place)
        let value = try next(expecting: "a value")
        switch value.kind {
        case .word(let text), .quoted(let text):
            return .comparison(field, comparison, try operand(text, for: field, comparison, at: value.position))
        default:
            throw QueryError(message: "here a value is expected", position: value.position)
        }
    }

    private mutating func takeComparison() -> (QueryOperator, Int)? {
        guard let token = peek else { return nil }
        switch token.kind {
        case .comparison(let comparison):
            index += 1
            return (comparison, token.position)
        case .word(let word):
            guard let comparison = QueryOperator(rawValue: word) else { return nil }
            index += 1
            return (comparison, token.position)
        default: return nil
        }
    }

    private static func comparisons(for field: QueryField) -> String {
        switch field.kind {
        case .number, .time: "= != < <= > >="
        case .words: "has = !="
        case .text: "= != < <= > >= like contains" + (field.isAttribute ? " has" : "")
        }
    }

    private static func check(_ comparison: QueryOperator, fits field: QueryField, at position: Int) throws(QueryError)
    {
        let fitting = comparisons(for: field)
        if fitting.split(separator: " ").contains(comparison.rawValue[...]) { return }
        throw QueryError(
            message: "`\(comparison.rawValue)` does not go with `\(field.name)`; these do: \(fitting)",
            position: position)
    }

    private func operand(
        _ text: String, for field: QueryField, _ comparison: QueryOperator, at position: Int
    ) throws(QueryError) -> QueryOperand {
        if comparison == .like { return .glob(Glob(text)) }
        switch field.kind {
        case .number:
            guard let number = field != .size || text == "0" ? Int64(text) : ByteCount(text)?.bytes else {
                let example = field == .size ? "a size, such as 500, 10k, 2M or 1G" : "a number"
                throw QueryError(message: "`\(text)` is not \(example)", position: position)
            }
            return .number(number)
        case .time:
            guard let period = clock.period(text) else {
                throw QueryError(
                    message:
                        "`\(text)` is no date; dates are 2026-11-01, \"2026-11-01 14:30\", today, yesterday, -7d, -12h, -30m",
                    position: position)
            }
            return .period(period)
        case .text, .words:
            if let values = field.values, comparison == .equal || comparison == .notEqual || comparison == .has,
                !values.contains(text)
            {
                throw QueryError(
                    message: "`\(field.name)` is never `\(text)`, but one of \(values.joined(separator: ", "))",
                    position: position)
            }
            return .text(text)
        }
    }
}

extension QueryField {
    fileprivate var isAttribute: Bool {
        if case .attribute = self { return true }
        return false
    }
}
