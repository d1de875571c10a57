import Ciphers
import Hashing

/// The random key of an encrypted container, from which each other key follows (the page Secrecy).
public struct ContainerKey: Sendable, Equatable {
    /// Bytes.
    static let length = 32

    let bytes: SecretBytes

    /// A new one.
    public static func random() -> ContainerKey { ContainerKey(bytes: .random(length)) }

    init(bytes: SecretBytes) { self.bytes = bytes }

    /// Reads what `text` wrote.
    ///
    /// - Returns: nil for a text that is no key.
    init?(_ text: String) {
        guard var bytes = [UInt8](hexadecimal: text), bytes.count == Self.length else { return nil }
        self.bytes = SecretBytes(bytes)
        bytes.overwrite()
    }

    /// For the file in which a device keeps it.
    private var text: String { hexadecimal(bytes.revealed) }

    /// The key of one object.
    ///
    /// - Parameter salt: random, and stored with the object: two devices that make the same object at once must not use one key for both.
    func objectKey(of name: ObjectName, salt: [UInt8]) -> SecretBytes {
        derivedKey(from: bytes, salt: salt, info: Array("docfs object".utf8) + name.bytes)
    }

    /// The key of the objects' names.
    var nameKey: SecretBytes { derivedKey(from: bytes, info: Array("docfs names".utf8), count: 64) }

    /// Tells the key, and nothing about it.
    var fingerprint: [UInt8] { derivedKey(from: bytes, info: Array("docfs fingerprint".utf8), count: 16).revealed }
}

extension ContainerKey: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = ContainerKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is no container key")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ContainerKey: CustomStringConvertible {
    /// Says nothing: a key must not come into a log.
    public var description: String { "a container key" }
}
