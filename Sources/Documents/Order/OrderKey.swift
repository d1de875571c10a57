/// The position of an entry in the order of its folder: a text, compared byte by byte. There is a key between any two, so one that moves
/// never makes another one move.
///
/// A key is a list of parts, and each part is a whole number and a random tag. Parts are compared first by number, then by tag, and a key
/// that begins another one stands before it. So a new last key has the next number, a new first key the number before, and a key in a gap
/// without a free number gets one more part. Keys of documents that are always added at one end of a gap grow only as their numbers do.
/// The tag makes the keys differ that two devices choose for the same gap.
///
/// In the text a part is a letter for the sign and the number of digits, then the digits, then the tag (ContainerFormat).
public struct OrderKey: Hashable, Sendable, Comparable {
    /// ASCII letters and digits only. Its bytes are in the order of the keys.
    public let text: String

    /// The position of the number 0, before all that are added to an empty folder.
    public static let zero = OrderKey([OrderPart(0, tag: 0)])

    /// The longest key that a container may have, in bytes.
    public static let longest = 4096

    init(_ parts: [OrderPart]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.count * 6)
        for part in parts { part.append(to: &bytes) }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: nil for a text that is no key.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.longest else { return nil }
        var rest = Substring(text).utf8
        while !rest.isEmpty { guard OrderPart(removingFrom: &rest) != nil else { return nil } }
        self.text = text
    }

    /// For text that was a key before, such as a column of the catalog.
    public init(unchecked text: String) { self.text = text }

    /// The position of a number, as releases before order keys had them: the smaller number has the smaller key.
    public init(number: Double) {
        let bounded = min(max(number.isNaN ? 0 : number, -OrderPart.greatest), OrderPart.greatest)
        let whole = bounded.rounded(.down)
        var parts = [OrderPart(Int64(whole), tag: 0)]
        if bounded > whole { parts.append(OrderPart(Int64((bounded - whole) * OrderPart.greatest / 2), tag: 0)) }
        self.init(parts)
    }

    var parts: [OrderPart] {
        var parts: [OrderPart] = []
        var rest = Substring(text).utf8
        while let part = OrderPart(removingFrom: &rest) { parts.append(part) }
        return parts
    }

    /// By bytes, as SQLite compares the column. Swift's strings have another order.
    public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
}

// MARK: New keys

extension OrderKey {
    /// A key after another one: for an entry that is added at the end.
    public static func after(_ key: OrderKey, using random: inout some RandomNumberGenerator) -> OrderKey {
        var rest = Substring(key.text).utf8
        let number = OrderPart(removingFrom: &rest)?.number ?? 0
        return OrderKey([OrderPart(number + 1, tag: OrderPart.tag(using: &random))])
    }

    /// A key between two others. Nil stands for the beginning or the end of the folder. If `lower` is not less than `upper`, nothing is
    /// between them: the key is the next one after `lower`.
    public static func between(
        _ lower: OrderKey?, _ upper: OrderKey?, using random: inout some RandomNumberGenerator
    ) -> OrderKey {
        guard let lower else {
            guard let upper else { return after(.zero, using: &random) }
            return OrderKey([OrderPart((upper.parts.first?.number ?? 0) - 1, tag: OrderPart.tag(using: &random))])
        }
        guard let upper else { return after(lower, using: &random) }
        let (left, right) = (lower.parts, upper.parts)
        let tag = OrderPart.tag(using: &random)
        guard lower < upper else { return OrderKey(left + [OrderPart(0, tag: tag)]) }
        let common = zip(left, right).prefix { $0 == $1 }.count
        // Only in a text that docfs has not made does the upper key end there: a number of it counts as the greatest.
        guard common < right.count else { return OrderKey(left + [OrderPart(0, tag: tag)]) }
        // The upper key goes on where the lower one ends.
        guard common < left.count else { return OrderKey(left + [OrderPart(right[common].number - 1, tag: tag)]) }
        let start = left.prefix(common)
        let next = left[common].number + 1
        if next < right[common].number { return OrderKey(start + [OrderPart(next, tag: tag)]) }
        guard common + 1 < left.count else { return OrderKey(left + [OrderPart(0, tag: tag)]) }
        return OrderKey(left.prefix(common + 1) + [OrderPart(left[common + 1].number + 1, tag: tag)])
    }

    /// `count` keys between two others, in ascending order. Nil stands for the beginning or the end of the folder.
    public static func between(
        _ lower: OrderKey?, _ upper: OrderKey?, count: Int, using random: inout some RandomNumberGenerator
    ) -> [OrderKey] {
        guard count > 0 else { return [] }
        if lower == nil, let first = upper?.parts.first?.number {
            return (0..<count).map {
                OrderKey([OrderPart(first - Int64(count - $0), tag: OrderPart.tag(using: &random))])
            }
        }
        var last = lower
        return (0..<count).map { _ in
            let key = between(last, upper, using: &random)
            last = key
            return key
        }
    }
}

extension OrderKey: Codable {
    /// - Throws: `DecodingError` for a text that is no key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = OrderKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an order key")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
