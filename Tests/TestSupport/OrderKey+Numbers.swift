import Documents
import Replication

// In tests an entry's place in the order may be a number, as in releases before order keys.

extension OrderKey: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    public init(floatLiteral number: Double) { self.init(number: number) }
    public init(integerLiteral number: Int) { self.init(number: Double(number)) }
}

extension CommittedPosition: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    public init(floatLiteral number: Double) { self = .number(number) }
    public init(integerLiteral number: Int) { self = .number(Double(number)) }
}
