import FoundationEssentials

/// The extended attributes that are kept with an entry, in the catalog and in the container: JSON, an object with the values in Base64.
///
/// Names are compared byte for byte, as the kernel does: `é` in one scalar and in two are two names. JSON decoders compare keys as Swift's
/// strings do, to which both are one; so bytes that are not visible ASCII are percent-encoded in the keys.
public struct ExtendedAttributes: Sendable, Equatable {
    private var values: [ExactName: [UInt8]] = [:]

    public init() {}

    /// - Throws: `DecodingError` for what `json` would not have made.
    public init(json: some Collection<UInt8>) throws {
        for (key, value) in try JSONDecoder().decode([String: Data].self, from: Data(json)) {
            guard let name = Self.name(of: key) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: "'\(key.prefix(64))' is no name of an attribute"))
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

    public subscript(name: String) -> [UInt8]? {
        get { values[ExactName(name)] }
        set { values[ExactName(name)] = newValue }
    }

    /// In the order of their bytes.
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

    /// Nil for what `key(of:)` does not make.
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
