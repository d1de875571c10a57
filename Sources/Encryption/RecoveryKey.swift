import Ciphers

/// A key of a container that a person keeps on paper, for the day on which the passphrase is lost. 32 random bytes and a check, as base 32 in
/// groups of seven letters.
public struct RecoveryKey: Sendable, Equatable {
    private static let length = 32
    /// Bytes: a mistyped letter is noticed with all but one chance in 16 million.
    private static let checkLength = 3

    let bytes: SecretBytes

    /// A new one.
    public static func random() -> RecoveryKey { RecoveryKey(bytes: .random(length)) }

    init(bytes: SecretBytes) { self.bytes = bytes }

    /// Reads what `text` wrote, in capital or small letters, with blanks or hyphens wherever they are.
    ///
    /// - Returns: nil for a text that is no recovery key, or has a letter mistyped.
    public init?(_ text: String) {
        let letters = text.lowercased().filter { !$0.isWhitespace && $0 != "-" }
        guard let all = [UInt8](base32: letters), all.count == Self.length + Self.checkLength else { return nil }
        bytes = SecretBytes(all.prefix(Self.length))
        guard check == all.suffix(Self.checkLength).map(\.self) else { return nil }
    }

    /// For a person.
    public var text: String {
        var rest = (bytes.revealed + check).base32.uppercased()[...]
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(7))
            rest = rest.dropFirst(7)
        }
        return groups.joined(separator: "-")
    }

    private var check: [UInt8] {
        derivedKey(from: bytes, info: Array("docfs recovery check".utf8), count: Self.checkLength).revealed
    }
}

extension RecoveryKey: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = RecoveryKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is no recovery key")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension RecoveryKey: CustomStringConvertible {
    /// Says nothing: a key must not come into a log.
    public var description: String { "a recovery key" }
}
