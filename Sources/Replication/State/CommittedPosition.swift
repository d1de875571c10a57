import Documents

/// Where an entry stands in the order of its folder, as the container has it. Releases before order keys wrote numbers. Such an entry
/// keeps its number, since the hash of the state is made of it, until somebody moves it.
public enum CommittedPosition: Sendable, Equatable {
    case key(OrderKey)
    case number(Double)

    public var key: OrderKey {
        switch self {
        case .key(let key): key
        case .number(let number): OrderKey(number: number)
        }
    }
}

extension CommittedPosition: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A number is the rare case: to find out by failing takes long.
        guard let text = try? container.decode(String.self) else {
            self = .number(try container.decode(Double.self))
            return
        }
        guard let key = OrderKey(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an order key")
        }
        self = .key(key)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .key(let key): try container.encode(key)
        case .number(let number): try container.encode(number)
        }
    }
}
