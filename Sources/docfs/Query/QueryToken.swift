/// Why a predicate is no predicate, and where.
struct QueryError: Error, Equatable, CustomStringConvertible {
    let message: String
    /// Counted in characters, from 1.
    let position: Int

    var description: String { "the predicate is wrong at character \(position): \(message)" }
}

/// The words of a predicate.
struct QueryToken: Equatable {
    enum Kind: Equatable {
        case open, close
        case comparison(QueryOperator)
        /// A field, a keyword or a value.
        case word(String)
        /// Always a value.
        case quoted(String)
    }

    let kind: Kind
    let position: Int

    /// Splits a predicate. Parentheses, comparisons, blanks and quotes end a word; `\` takes the next character in quotes as it is.
    static func split(_ text: String) throws(QueryError) -> [QueryToken] {
        let characters = Array(text)
        var tokens: [QueryToken] = []
        var index = 0
        while index < characters.count {
            let start = index
            let character = characters[index]
            index += 1
            switch character {
            case _ where character.isWhitespace: continue
            case "(": tokens.append(QueryToken(kind: .open, position: start + 1))
            case ")": tokens.append(QueryToken(kind: .close, position: start + 1))
            case "=", "!", "<", ">":
                var sign = String(character)
                if index < characters.count, characters[index] == "=" {
                    sign += "="
                    index += 1
                }
                guard let comparison = QueryOperator(sign: sign) else {
                    throw QueryError(message: "`\(sign)` is no comparison; `!=` is, and `not`", position: start + 1)
                }
                tokens.append(QueryToken(kind: .comparison(comparison), position: start + 1))
            case "\"", "'":
                let value = try quoted(characters, from: &index, by: character)
                tokens.append(QueryToken(kind: .quoted(value), position: start + 1))
            default:
                while index < characters.count, !ends(characters[index]) { index += 1 }
                tokens.append(QueryToken(kind: .word(String(characters[start..<index])), position: start + 1))
            }
        }
        return tokens
    }

    private static func ends(_ character: Character) -> Bool {
        character.isWhitespace || "()=!<>\"'".contains(character)
    }

    private static func quoted(
        _ characters: [Character], from index: inout Int, by quote: Character
    ) throws(QueryError) -> String {
        let start = index
        var value = ""
        while index < characters.count {
            let character = characters[index]
            index += 1
            if character == quote { return value }
            if character == "\\", index < characters.count {
                value.append(characters[index])
                index += 1
            } else {
                value.append(character)
            }
        }
        throw QueryError(message: "the quote that begins here has no end", position: start)
    }
}

enum QueryOperator: String {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    /// A pattern with `*`, `?` and `[...]`, whatever the case of letters.
    case like
    /// A part of the text, whatever the case of letters.
    case contains
    /// A word of a list.
    case has

    init?(sign: String) {
        switch sign {
        case "==": self = .equal
        default: self.init(rawValue: sign)
        }
    }
}
