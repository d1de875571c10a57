@testable import Encryption
import Hashing
import ObjectStore
import TestSupport

/// How the objects of a world's container are stored: as they are, or encrypted with a key that all of its devices have.
struct ObjectForm: Sendable {
    static let plain = ObjectForm(key: nil)

    let key: ContainerKey?

    /// With a key of its own for each seed.
    static func encrypted(seed: UInt64) -> ObjectForm {
        var random = SeededGenerator(seed: ~seed)
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        return ObjectForm(key: ContainerKey(hexadecimal(bytes)))
    }

    var isEncrypted: Bool { key != nil }

    /// What a device works with.
    func store(over keeper: any ObjectStore) -> any ObjectStore {
        key.map { EncryptedStore(keeper, key: $0) } ?? keeper
    }

    /// Where the keeper has an object.
    func place(of object: ObjectKey) -> ObjectKey {
        guard let key else { return object }
        // `!`: worlds have no other objects.
        return ObjectName(object)!.encrypted(with: key.nameKey)
    }

    /// Which object is at a place; contents have no filename there. The place itself if it is none.
    func object(at place: ObjectKey) -> ObjectKey {
        guard let key else { return place }
        return ObjectName(encrypted: place, with: key.nameKey)?.key ?? place
    }

    func seal(_ bytes: [UInt8], of object: ObjectKey) -> [UInt8] {
        guard let key else { return bytes }
        // The same salt each time: each world must go the same way again.
        let seal = ObjectSeal(
            of: ObjectName(object)!, with: key, length: Int64(bytes.count),
            salt: [UInt8](repeating: 7, count: Int(SealedLayout.saltLength)))
        do {
            return try SealedContent(BytesInMemory(bytes: bytes), seal: seal).read(
                at: 0, count: Int(seal.layout.sealedLength))
        } catch { fatalError("bytes in memory cannot be read: \(error)") }
    }

    /// - Returns: nil for bytes that were not sealed as this object.
    func open(_ bytes: [UInt8], of object: ObjectKey) -> [UInt8]? {
        guard let key else { return bytes }
        guard let name = ObjectName(object),
            let seal = ObjectSeal(header: bytes.prefix(Int(SealedLayout.headerLength)), of: name, with: key),
            Int64(bytes.count) == seal.layout.sealedLength
        else { return nil }
        var content = bytes
        guard seal.open(0..<seal.layout.chunkCount, in: &content, from: 0) else { return nil }
        return Array(content.prefix(Int(seal.layout.length)))
    }
}
