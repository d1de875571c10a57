import FoundationEssentials

/// A random 128-bit identifier. Its type says what it identifies, so that the compiler finds mix-ups.
public struct Identifier<Subject>: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Any 128 bits: an identifier that is read need not be of version 4.
    public let uuid: UUID

    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Parses the canonical 36-character form, in either case; nil for anything else.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// A version 4 UUID from `generator`.
    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        let words = (generator.next().littleEndian, generator.next().littleEndian)
        var bytes = withUnsafeBytes(of: words) { $0.loadUnaligned(as: uuid_t.self) }
        bytes.6 = bytes.6 & 0x0f | 0x40
        bytes.8 = bytes.8 & 0x3f | 0x80
        return Self(UUID(uuid: bytes))
    }

    /// The 16 bytes of the UUID.
    public var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }

    /// The canonical form in lower case, as it appears in attributes, states and object keys.
    public var description: String { uuid.uuidString.lowercased() }

    /// By the bytes, where all devices need the same order.
    public static func < (left: Self, right: Self) -> Bool { left.uuid < right.uuid }
}

extension Identifier: Codable {
    /// Reads the 36-character form, in either case.
    ///
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let identifier = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "'\(text)' is not a UUID"))
        }
        self = identifier
    }

    /// Writes the 36-character form in lower case (`ContainerFormat`).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Marks the ids of entries; see `EntryID`.
public enum EntrySubject {}
/// Marks the ids of versions; see `VersionID`.
public enum VersionSubject {}
/// Marks the ids of devices; see `DeviceID`.
public enum DeviceSubject {}
/// Marks the ids of commits; see `CommitID`.
public enum CommitSubject {}
/// Marks the ids of containers; see `ContainerID`.
public enum ContainerSubject {}

/// Identifies a document, folder or symbolic link for life, on every device.
public typealias EntryID = Identifier<EntrySubject>
/// Identifies one saved content of one document.
public typealias VersionID = Identifier<VersionSubject>
/// Identifies one store of documents, which is one device of the container.
public typealias DeviceID = Identifier<DeviceSubject>
/// Identifies one commit in the log, so that a device recognises its own.
public typealias CommitID = Identifier<CommitSubject>
/// Identifies one container, independent of its URL.
public typealias ContainerID = Identifier<ContainerSubject>

extension EntryID {
    /// The top folder of the cloud container, the same on every device.
    public static let cloudRoot = EntryID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}
