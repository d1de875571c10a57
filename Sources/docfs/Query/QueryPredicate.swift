/// Which documents a query finds.
indirect enum QueryPredicate: Equatable, Sendable {
    case all([QueryPredicate])
    case any([QueryPredicate])
    case not(QueryPredicate)
    case flag(String)
    /// Whether the document has an attribute.
    case exists(QueryField)
    case comparison(QueryField, QueryOperator, QueryOperand)

    /// - Throws: what reading the document throws.
    func matches(_ document: some QueriedDocument) throws -> Bool {
        switch self {
        case .all(let parts): try parts.allSatisfy { try $0.matches(document) }
        case .any(let parts): try parts.contains { try $0.matches(document) }
        case .not(let part): try !part.matches(document)
        case .flag(let flag): try document.words(of: .state).contains(flag)
        case .exists(let field): try document.text(of: field) != nil
        case .comparison(let field, let comparison, let operand):
            switch operand {
            case .number(let number): try Self.compare(document.number(of: field), comparison, number)
            case .period(let period): try Self.compare(document.number(of: field), comparison, period)
            case .glob(let glob): try document.text(of: field).map(glob.matches) ?? false
            case .text(let text): try Self.compare(document, field, comparison, text)
            }
        }
    }

    private static func compare(_ value: Int64?, _ comparison: QueryOperator, _ operand: Int64) -> Bool {
        guard let value else { return false }
        return switch comparison {
        case .equal: value == operand
        case .notEqual: value != operand
        case .less: value < operand
        case .lessOrEqual: value <= operand
        case .greater: value > operand
        case .greaterOrEqual: value >= operand
        case .like, .contains, .has: false
        }
    }

    /// A day has a beginning and an end: after a day means after its end.
    private static func compare(_ value: Int64?, _ comparison: QueryOperator, _ period: QueryPeriod) -> Bool {
        guard let value else { return false }
        return switch comparison {
        case .equal: value >= period.start && value < period.end
        case .notEqual: value < period.start || value >= period.end
        case .less: value < period.start
        case .lessOrEqual: value < period.end
        case .greater: value >= period.end
        case .greaterOrEqual: value >= period.start
        case .like, .contains, .has: false
        }
    }

    /// A document without a value is unequal to each, and in no order with it.
    private static func compare(
        _ document: some QueriedDocument, _ field: QueryField, _ comparison: QueryOperator, _ operand: String
    ) throws -> Bool {
        if comparison == .has { return try document.words(of: field).contains(operand) }
        if field.kind == .words {
            let words = try document.words(of: field)
            return comparison == .equal ? words == [operand] : words != [operand]
        }
        guard let value = try document.text(of: field) else { return comparison == .notEqual }
        return switch comparison {
        case .equal: value.utf8.elementsEqual(operand.utf8)
        case .notEqual: !value.utf8.elementsEqual(operand.utf8)
        case .less: value.utf8.lexicographicallyPrecedes(operand.utf8)
        case .lessOrEqual: !operand.utf8.lexicographicallyPrecedes(value.utf8)
        case .greater: operand.utf8.lexicographicallyPrecedes(value.utf8)
        case .greaterOrEqual: !value.utf8.lexicographicallyPrecedes(operand.utf8)
        case .contains: value.lowercased().contains(operand.lowercased())
        case .like, .has: false
        }
    }
}

enum QueryOperand: Equatable {
    case text(String)
    case number(Int64)
    case period(QueryPeriod)
    case glob(Glob)
}

/// A document as a predicate sees it.
protocol QueriedDocument {
    /// Nil if it has none.
    func text(of field: QueryField) throws -> String?
    /// Bytes, a count, or seconds since 1970.
    func number(of field: QueryField) throws -> Int64?
    /// The words of a list: flags of the state; or of an attribute, separated by commas or blanks.
    func words(of field: QueryField) throws -> [String]
}
