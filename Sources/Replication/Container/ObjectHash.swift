/// The SHA-256 of an object of the container, as 64 lower-case hexadecimal digits.
public struct ObjectHash: Hashable, Sendable, Codable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    public let description: String

    /// Computes the hash of an object.
    public init(of bytes: some Sequence<UInt8>) { description = Digest.sha256(of: Array(bytes)) }

    /// - Returns: nil unless the text is 64 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard Digest.isHexadecimal(text) else { return nil }
        description = text
    }

    /// - Throws: `DecodingError` unless the text is 64 lower-case hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let hash = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a SHA-256 digest"))
        }
        self = hash
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
