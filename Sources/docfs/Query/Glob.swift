/// A pattern as shells have it: `*` any text, `?` one character, `[abc]` and `[a-z]` one of these, `[!a]` one of the others; `\` takes the next
/// character as it is. Capital and small letters are the same.
struct Glob: Equatable {
    private enum Piece: Equatable {
        case text(Character)
        case one
        case many
        case set([ClosedRange<Character>], isInverted: Bool)
    }

    private let pieces: [Piece]

    init(_ pattern: String) {
        var rest = Array(pattern.lowercased())[...]
        var pieces: [Piece] = []
        while let character = rest.popFirst() {
            switch character {
            case "*": if pieces.last != .many { pieces.append(.many) }
            case "?": pieces.append(.one)
            case "\\": pieces.append(.text(rest.popFirst() ?? "\\"))
            case "[":
                var ahead = rest
                if let set = Self.set(&ahead) {
                    rest = ahead
                    pieces.append(set)
                } else {
                    pieces.append(.text("["))
                }
            default: pieces.append(.text(character))
            }
        }
        self.pieces = pieces
    }

    /// - Returns: nil if the set is not closed: then `[` stands for itself.
    private static func set(_ rest: inout ArraySlice<Character>) -> Piece? {
        var ranges: [ClosedRange<Character>] = []
        let isInverted = rest.first == "!" || rest.first == "^"
        if isInverted { rest.removeFirst() }
        var isFirst = true
        while let character = rest.popFirst() {
            if character == "]", !isFirst { return .set(ranges, isInverted: isInverted) }
            isFirst = false
            if rest.first == "-", let last = rest.dropFirst().first, last != "]" {
                rest.removeFirst(2)
                if character <= last { ranges.append(character...last) }
            } else {
                ranges.append(character...character)
            }
        }
        return nil
    }

    /// Goes back to the last `*` only, so the time is bounded by the product of both lengths.
    func matches(_ text: String) -> Bool {
        let characters = Array(text.lowercased())
        var (piece, position) = (0, 0)
        var star: (piece: Int, position: Int)?
        while position < characters.count {
            if piece < pieces.count, pieces[piece] == .many {
                star = (piece, position)
                piece += 1
            } else if piece < pieces.count, Self.matches(pieces[piece], characters[position]) {
                (piece, position) = (piece + 1, position + 1)
            } else if let last = star {
                star = (last.piece, last.position + 1)
                (piece, position) = (last.piece + 1, last.position + 1)
            } else {
                return false
            }
        }
        return pieces[piece...].allSatisfy { $0 == .many }
    }

    private static func matches(_ piece: Piece, _ character: Character) -> Bool {
        switch piece {
        case .text(let expected): expected == character
        case .one, .many: true
        case .set(let ranges, let isInverted): ranges.contains { $0.contains(character) } != isInverted
        }
    }
}
