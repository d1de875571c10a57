import Ciphers
import Hashing

/// Which device vouches for an entry of the log or a checkpoint of an encrypted container (ContainerFormat, "Signatures").
public struct DeviceSignature: Sendable, Equatable {
    /// Of the device.
    public let key: PublicKey
    /// Nil in the text that is signed.
    fileprivate(set) var value: [UInt8]?
}

/// As hexadecimal digits.
extension DeviceSignature: Codable {
    private enum Field: String, CodingKey { case key, value }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        key = try fields.decode(PublicKey.self, forKey: .key)
        let text = try fields.decode(String.self, forKey: .value)
        guard let bytes = [UInt8](hexadecimal: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .value, in: fields, debugDescription: "it is no hexadecimal number")
        }
        value = bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(key, forKey: .key)
        try fields.encodeIfPresent(value.map(hexadecimal), forKey: .value)
    }
}

/// As hexadecimal digits.
extension PublicKey: Codable {
    /// - Throws: `DecodingError` for a text that is no public key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = [UInt8](hexadecimal: try container.decode(String.self)).flatMap(PublicKey.init(_:)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is no public key")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hexadecimal(bytes))
    }
}

/// What a device signs.
protocol SignedObject {
    /// Begins the text that is signed: what one purpose was signed for is worth nothing for another one.
    static var purpose: String { get }
    var signature: DeviceSignature? { get set }
    /// Canonical form.
    func text() throws -> [UInt8]
}

extension SignedObject {
    /// - Parameter key: of the device that makes it; nil in a plain container.
    func signed(with key: SigningKey?) throws -> Self {
        guard let key else { return self }
        var object = self
        object.signature = DeviceSignature(key: key.publicKey)
        let text = try object.signedText()
        object.signature?.value = key.sign(text)
        return object
    }

    /// Whether it has no signature, or one of the key that it names.
    func isAsSigned() throws -> Bool {
        guard let signature else { return true }
        guard let value = signature.value else { return false }
        var object = self
        object.signature?.value = nil
        return signature.key.verifies(value, of: try object.signedText())
    }

    private func signedText() throws -> [UInt8] { Array("\(Self.purpose)\n".utf8) + (try text()) }
}
