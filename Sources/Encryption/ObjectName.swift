import Ciphers
import Hashing
import ObjectStore

/// What an object is, in 41 bytes for each kind, so that the length of its encrypted name tells nothing: the kind, and what tells the objects of
/// a kind apart. The filename of a document is left out: the ids of document and version tell its contents apart.
struct ObjectName: Hashable {
    private enum Kind: UInt8 {
        case container = 1
        case entry = 2
        case manifest = 3
        case part = 4
        case content = 5
    }

    private static let length = 41
    /// The folder of all encrypted objects.
    static let folder = ObjectKey(valid: ["objects"])
    /// Stands for the filename of a content, which the name does not tell.
    private static let anyFilename = "content"

    let bytes: [UInt8]

    /// - Returns: nil for a key of no kind that containers have.
    init?(_ key: ObjectKey) {
        let parts = key.components
        let rest: [UInt8]?
        let kind: Kind
        switch (parts.first, parts.count) {
        case ("container", 1): (kind, rest) = (.container, [])
        case ("log", 2): (kind, rest) = (.entry, Self.position(parts[1]))
        case ("checkpoint", 3) where parts[2] == "manifest": (kind, rest) = (.manifest, Self.position(parts[1]))
        case ("checkpoint", 3):
            kind = .part
            let digest = [UInt8](hexadecimal: parts[2])
            rest = Self.position(parts[1]).flatMap { position in digest.map { position + $0 } }
            if digest?.count != 32 { return nil }
        case ("documents", 4):
            kind = .content
            rest = Self.uuid(parts[1]).flatMap { document in Self.uuid(parts[2]).map { document + $0 } }
        default: return nil
        }
        guard let rest else { return nil }
        bytes = [kind.rawValue] + rest + [UInt8](repeating: 0, count: Self.length - 1 - rest.count)
    }

    /// The key of an object; nil for bytes that are no name.
    var key: ObjectKey? {
        guard bytes.count == Self.length, let kind = Kind(rawValue: bytes[0]) else { return nil }
        let position = Self.positionText(bytes[1..<9])
        let components =
            switch kind {
            case .container: ["container"]
            case .entry: ["log", position]
            case .manifest: ["checkpoint", position, "manifest"]
            case .part: ["checkpoint", position, hexadecimal(Array(bytes[9..<41]))]
            case .content: ["documents", Self.uuidText(bytes[1..<17]), Self.uuidText(bytes[17..<33]), Self.anyFilename]
            }
        return ObjectKey(components)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Encrypted

    /// The keys under which the object may be, in the order in which they are tried. It is written under the first. The entry that announces a key is
    /// the last one under the key before it, and a checkpoint that ends with it the first one under the new key.
    func periods(of all: [ContainerKeys.Period]) -> ArraySlice<ContainerKeys.Period> {
        let position = bytes[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return switch Kind(rawValue: bytes[0]) {
        case .entry: all.filter { $0.start < max(1, position) }.suffix(1)
        case .manifest, .part: all.filter { $0.start <= position }.suffix(1)
        case .container, nil: all.suffix(1)
        // A content may have been sent before the key was changed that its entry has.
        case .content: all.reversed()[...]
        }
    }

    /// The key under which the object is stored. The same each time: whoever makes it twice is told.
    func encrypted(with key: SecretBytes) -> ObjectKey {
        ObjectKey(valid: [Self.folder.last, AuthenticatedCipher.aes256SIV.seal(bytes, key: key).base32])
    }

    /// - Returns: nil for a key that this container's key did not make.
    init?(encrypted key: ObjectKey, with nameKey: SecretBytes) {
        guard key.components.count == 2, key.components[0] == Self.folder.last,
            let sealed = [UInt8](base32: key.last),
            let bytes = AuthenticatedCipher.aes256SIV.open(sealed, key: nameKey), bytes.count == Self.length
        else { return nil }
        self.bytes = bytes
    }

    // MARK: Parts

    /// 16 decimal digits as 8 bytes.
    private static func position(_ text: String) -> [UInt8]? {
        guard let number = UInt64(text), positionText(number) == text else { return nil }
        return number.bytes
    }

    private static func positionText(_ bytes: ArraySlice<UInt8>) -> String {
        positionText(bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func positionText(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
    }

    private static func uuid(_ text: String) -> [UInt8]? {
        guard let bytes = [UInt8](hexadecimal: text.filter { $0 != "-" }), bytes.count == 16,
            uuidText(bytes[...]) == text
        else { return nil }
        return bytes
    }

    private static func uuidText(_ bytes: ArraySlice<UInt8>) -> String {
        var rest = hexadecimal(Array(bytes))[...]
        return [8, 4, 4, 4, 12].map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: "-")
    }
}

extension UInt64 {
    /// The highest first.
    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) } }
}
