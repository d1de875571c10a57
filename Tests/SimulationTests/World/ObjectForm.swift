import Ciphers
@testable import Encryption
import Hashing
import ObjectStore
import Synchronization
import TestSupport

/// How the objects of a world's container are stored: as they are, or encrypted. Has all keys that any of its devices ever made, and so sees more
/// than each of them.
final class ObjectForm: Sendable {
    private let seed: UInt64?
    private let keys: Mutex<[ContainerKey]>

    /// As they are.
    init() {
        seed = nil
        keys = Mutex([])
    }

    /// With keys of its own for each seed.
    init(encryptedWith seed: UInt64) {
        self.seed = seed
        keys = Mutex([Self.key(0, of: seed)])
    }

    private static func key(_ number: Int, of seed: UInt64) -> ContainerKey {
        ContainerKey(bytes: bytes(of: ~seed &+ UInt64(number) << 32))
    }

    private static func bytes(of seed: UInt64) -> SecretBytes {
        var random = SeededGenerator(seed: seed)
        return SecretBytes((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    var isEncrypted: Bool { seed != nil }

    /// What a device keeps that has joined; nil without encryption.
    var firstKeys: KeptKeys? {
        guard let seed, let key = keys.withLock(\.first) else { return nil }
        return KeptKeys(ring: KeyRing(key), object: Self.object(key, recoveryKey(0, of: seed), salt: seed))
    }

    private func recoveryKey(_ number: Int, of seed: UInt64) -> RecoveryKey {
        RecoveryKey(bytes: Self.bytes(of: seed &+ UInt64(number) << 40))
    }

    /// The same each time: each world must go the same way again.
    private static func object(_ key: ContainerKey, _ recoveryKey: RecoveryKey, salt: UInt64) -> KeyObject {
        do {
            return try KeyObject(
                wrapping: key, passphrase: "of a world", recoveryKey: recoveryKey, cost: ScryptCost(n: 16, r: 1, p: 1),
                salt: bytes(of: salt).revealed)
        } catch { fatalError("no key object could be made: \(error)") }
    }

    /// What a newcomer has that was told the newest recovery key.
    ///
    /// - Parameter keyObject: as the keeper has it; nil where there is none yet.
    func newcomerKeys(_ keyObject: [UInt8]?) -> KeptKeys? {
        guard let seed, let object = keyObject.flatMap({ KeyObject($0) }) else { return firstKeys }
        return keys.withLock(\.indices).lazy.compactMap { number in
            (try? object.unwrapAll(self.recoveryKey(number, of: seed).text)).map { KeptKeys(ring: $0, object: object) }
        }.first
    }

    /// A key that no device has yet.
    func makeKey() -> (key: ContainerKey, object: KeyObject, recoveryKey: RecoveryKey)? {
        guard let seed else { return nil }
        let number = keys.withLock(\.count)
        let key = Self.key(number, of: seed)
        keys.withLock { $0.append(key) }
        let recoveryKey = recoveryKey(number, of: seed)
        return (key, Self.object(key, recoveryKey, salt: seed &+ UInt64(number)), recoveryKey)
    }

    /// Opens what a device has met, as its person does.
    func unlock(_ kept: inout KeptKeys) {
        guard let seed else { return }
        for number in 1..<max(2, keys.withLock(\.count)) where kept.isLocked {
            // Another key's. No passphrase is tried: its cost would be refused.
            if let key = try? kept.metKey(recoveryKey(number, of: seed).text) { kept.unlock(key) }
        }
    }

    /// Where the keeper may have an object, under the newest key first.
    func places(of object: ObjectKey) -> [ObjectKey] {
        guard isEncrypted else { return [object] }
        // `!`: worlds have no other objects.
        return keys.withLock { $0.reversed() }.map { ObjectName(object)!.encrypted(with: $0.nameKey) }
    }

    /// Which object is at a place; contents have no filename there. The place itself if it is none.
    func object(at place: ObjectKey) -> ObjectKey {
        for key in keys.withLock({ $0 }) {
            if let object = ObjectName(encrypted: place, with: key.nameKey)?.key { return object }
        }
        return place
    }

    /// Of a container whose key was never changed.
    func seal(_ bytes: [UInt8], of object: ObjectKey) -> [UInt8] {
        guard let key = keys.withLock(\.first) else { return bytes }
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
        guard isEncrypted else { return bytes }
        return keys.withLock { $0 }.lazy.compactMap { Self.open(bytes, of: object, with: $0) }.first
    }

    private static func open(_ bytes: [UInt8], of object: ObjectKey, with key: ContainerKey) -> [UInt8]? {
        guard let name = ObjectName(object),
            let seal = ObjectSeal(header: bytes.prefix(Int(SealedLayout.headerLength)), of: name, with: key),
            Int64(bytes.count) == seal.layout.sealedLength
        else { return nil }
        var content = bytes
        guard seal.open(0..<seal.layout.chunkCount, in: &content, from: 0) else { return nil }
        return Array(content.prefix(Int(seal.layout.length)))
    }
}
