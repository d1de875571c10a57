import FoundationEssentials

/// The extended attributes of an entry. The catalog and the container store them as a JSON object with values in Base64.
///
/// The kernel compares names byte for byte, so `é` in one scalar and in two are two names. JSON decoders compare keys as Swift
/// strings, for which they are equal. So in the keys, all bytes but visible ASCII are percent-encoded.
public struct ExtendedAttributes: Sendable, Equatable {
    private var values: [ExactName: [UInt8]] = [:]

    /// No attributes.
    public init() {}

    /// - Throws: `DecodingError` for anything that `json()` does not produce.
    public init(json: some Collection<UInt8>) throws {
        for (key, value) in try JSONDecoder().decode([String: Data].self, from: Data(json)) {
            guard let name = Self.name(of: key) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: "'\(key.prefix(64))' is not the name of an attribute"))
            }
            values[ExactName(name)] = Array(value)
        }
    }

    /// Nil for none.
    public func json() throws -> [UInt8]? {
        if values.isEmpty { return nil }
        let encoded = values.map { (Self.key(of: $0.key.text), Data($0.value)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(Dictionary(uniqueKeysWithValues: encoded)))
    }

    /// The value of an attribute; nil if there is none. Setting nil removes it. The empty value is a value.
    public subscript(name: String) -> [UInt8]? {
        get { values[ExactName(name)] }
        set { values[ExactName(name)] = newValue }
    }

    /// The names, sorted by their bytes.
    public var names: [String] {
        values.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether `body` holds for each attribute.
    public func allSatisfy(_ body: (_ name: String, _ value: [UInt8]) -> Bool) -> Bool {
        values.allSatisfy { body($0.key.text, $0.value) }
    }

    private static func key(of name: String) -> String {
        var key: [UInt8] = []
        for byte in name.utf8 {
            if isPlain(byte) {
                key.append(byte)
            } else {
                key += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: key, as: UTF8.self)
    }

    /// Nil for anything that `key(of:)` does not produce.
    private static func name(of key: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(key).utf8
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else {
                guard let first = rest.popFirst().flatMap(digits.firstIndex(of:)),
                    let second = rest.popFirst().flatMap(digits.firstIndex(of:))
                else { return nil }
                bytes.append(UInt8(first << 4 | second))
            }
        }
        guard let name = String(validating: bytes, as: UTF8.self), Self.key(of: name).isIdentical(to: key) else {
            return nil
        }
        return name
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "%") }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
