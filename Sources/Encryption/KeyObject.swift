import Ciphers
import Hashing
import Foundation
import ObjectStore

/// The one object of an encrypted container that can be read without its key: it holds that key, wrapped by the passphrase and by the recovery
/// key. It is kept twice (`keys`).
public struct KeyObject: Sendable, Equatable, Codable {
    /// Of both copies. The first one to be created counts.
    public static let keys = ["key-1", "key-2"].map { ObjectKey(valid: [$0]) }
    /// Bytes. A larger object is damaged.
    static let largest = 16_384

    /// 2 where there are former keys.
    private var format = 1
    /// How the passphrase becomes a key: scrypt.
    private var n: UInt64
    private var r: UInt64
    private var p: UInt64
    private let salt: String
    /// The container's key, sealed with the key that follows from the passphrase.
    private var byPassphrase: String
    /// The container's key, sealed with the key that follows from the recovery key.
    private let byRecoveryKey: String
    private let fingerprint: String
    /// The keys before this one, sealed with a key that follows from it.
    private var former: String?
    /// Of all other fields: tells a damaged copy, which may still be JSON.
    private var digest = ""

    /// The cost of trying a passphrase: 128 MiB, and about a third of a second.
    public static let usualCost = ScryptCost(n: 1 << 17, r: 8, p: 1)
    /// No keeper may offer an easier one, or one that fills this machine's memory.
    private static let acceptedCosts: ClosedRange<UInt64> = 1 << 15...1 << 20

    /// Why a container's key cannot be had. The description is one line for a person.
    public enum Refusal: Error, Equatable, CustomStringConvertible {
        case wrongPassphrase
        case damaged(String)

        public var description: String {
            switch self {
            case .wrongPassphrase: "neither the passphrase nor the recovery key of this container"
            case .damaged(let reason): "the container's key object is damaged or of a later release: \(reason)"
            }
        }
    }

    /// Wraps a key.
    ///
    /// - Parameters:
    ///   - cost: only tests take another one.
    ///   - salt: of the container, random.
    public init(
        wrapping key: ContainerKey, passphrase: String, recoveryKey: RecoveryKey, cost: ScryptCost = usualCost,
        salt: [UInt8] = randomBytes(32)
    ) throws(Refusal) {
        n = cost.n
        r = cost.r
        p = cost.p
        self.salt = hexadecimal(salt)
        fingerprint = hexadecimal(key.fingerprint)
        guard let wrapping = derivedKey(fromPassphrase: Self.bytes(of: passphrase), salt: salt, cost: cost) else {
            throw .damaged("scrypt cannot be computed")
        }
        byPassphrase = hexadecimal(Self.wrap(key, with: wrapping, salt))
        byRecoveryKey = hexadecimal(Self.wrap(key, with: Self.wrappingKey(of: recoveryKey, salt), salt))
        digest = ownDigest
    }

    /// The same key under another passphrase. The recovery key stays, and so does the salt, for nobody has the recovery key here: the new
    /// wrapping key follows from another passphrase.
    ///
    /// - Parameter cost: only tests take another one.
    public func wrapping(
        _ key: ContainerKey, passphrase: String, cost: ScryptCost = usualCost
    ) throws(Refusal) -> KeyObject {
        guard wraps(key), let salt = [UInt8](hexadecimal: salt) else {
            throw .damaged("it is that of another container")
        }
        guard let wrapping = derivedKey(fromPassphrase: Self.bytes(of: passphrase), salt: salt, cost: cost) else {
            throw .damaged("scrypt cannot be computed")
        }
        var object = self
        (object.n, object.r, object.p) = (cost.n, cost.r, cost.p)
        object.byPassphrase = hexadecimal(Self.wrap(key, with: wrapping, salt))
        object.digest = object.ownDigest
        return object
    }

    /// - Parameter secret: the passphrase, or the recovery key as a text.
    public func unwrap(_ secret: String) throws(Refusal) -> ContainerKey {
        guard format == (former == nil ? 1 : 2) else { throw .damaged("its format is \(format)") }
        guard let salt = [UInt8](hexadecimal: salt), salt.count == 32,
            let byPassphrase = [UInt8](hexadecimal: byPassphrase),
            let byRecoveryKey = [UInt8](hexadecimal: byRecoveryKey)
        else { throw .damaged("it cannot be read") }
        if let recoveryKey = RecoveryKey(secret) {
            let wrapping = Self.wrappingKey(of: recoveryKey, salt)
            if let key = unwrap(byRecoveryKey, with: wrapping, salt) { return key }
        }
        guard Self.acceptedCosts.contains(n), n & (n - 1) == 0, r == 8, (1...16).contains(p) else {
            throw .damaged("it makes guessing the passphrase too easy, or takes too much memory")
        }
        let cost = ScryptCost(n: n, r: r, p: p)
        guard let wrapping = derivedKey(fromPassphrase: Self.bytes(of: secret), salt: salt, cost: cost) else {
            throw .damaged("scrypt cannot be computed")
        }
        guard let key = unwrap(byPassphrase, with: wrapping, salt) else { throw .wrongPassphrase }
        return key
    }

    /// All keys of the container.
    ///
    /// - Parameter secret: as for `unwrap`.
    public func unwrapAll(_ secret: String) throws(Refusal) -> KeyRing {
        guard let ring = ring(with: try unwrap(secret)) else { throw .damaged("its former keys cannot be read") }
        return ring
    }

    /// Whether it is what `wrapping` makes of another one: all but the passphrase is the same.
    public func continues(_ former: KeyObject) -> Bool {
        salt == former.salt && byRecoveryKey == former.byRecoveryKey && fingerprint == former.fingerprint
            && self.former == former.former
    }

    // MARK: Former keys

    /// The same with the keys before its own.
    ///
    /// - Parameter ring: ends with the key that it wraps.
    func holding(_ ring: KeyRing) -> KeyObject {
        precondition(wraps(ring.newest.key), "the newest key is another one")
        var plain = ring.periods.dropLast().flatMap { UInt64($0.start).bytes + $0.key.bytes.revealed }
        plain += UInt64(ring.newest.start).bytes
        defer { plain.overwrite() }
        var object = self
        object.format = 2
        // Other ones for each place in the log at which the key might be announced: this cipher needs no nonce.
        object.former = hexadecimal(AuthenticatedCipher.aes256SIV.seal(plain, key: Self.formerKey(ring.newest.key)))
        object.digest = object.ownDigest
        return object
    }

    /// All keys of the container.
    ///
    /// - Parameter key: what it wraps.
    /// - Returns: nil where what it holds of former keys was not sealed with this key, or is none.
    public func ring(with key: ContainerKey) -> KeyRing? {
        guard wraps(key) else { return nil }
        guard let former else { return KeyRing(key) }
        guard let sealed = [UInt8](hexadecimal: former),
            var plain = AuthenticatedCipher.aes256SIV.open(sealed, key: Self.formerKey(key))
        else { return nil }
        defer { plain.overwrite() }
        let length = 8 + ContainerKey.length
        guard plain.count % length == 8 else { return nil }
        func start(_ offset: Int) -> Int64 {
            Int64(truncatingIfNeeded: plain[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let periods = stride(from: 0, to: plain.count - 8, by: length).map { offset in
            KeyRing.Period(
                key: ContainerKey(bytes: SecretBytes(plain[offset + 8..<offset + length])), start: start(offset))
        }
        return KeyRing(periods + [KeyRing.Period(key: key, start: start(plain.count - 8))])
    }

    private static func formerKey(_ key: ContainerKey) -> SecretBytes {
        derivedKey(from: key.bytes, info: Array("docfs former keys".utf8), count: 64)
    }

    /// Whether it wraps one of these keys: then it is that of this container, now or before.
    public func wrapsKey(of ring: KeyRing) -> Bool { ring.periods.contains { wraps($0.key) } }

    /// Whether it wraps this key.
    public func wraps(_ key: ContainerKey) -> Bool { fingerprint == hexadecimal(key.fingerprint) }

    // MARK: In the store

    /// Creates both copies, unless there is one: then the first stays, and counts.
    ///
    /// - Returns: the object that counts.
    public func establish(in store: any ObjectStore) async throws(ObjectStoreError) -> KeyObject {
        let bytes = try encoded()
        if let present = try await Self.read(from: store), present != self { return present }
        _ = try await store.putIfAbsent(Self.keys[0], bytes)
        guard let present = try await Self.read(from: store) else { throw .notFound(Self.keys[0]) }
        guard present == self else { return present }
        _ = try await store.putIfAbsent(Self.keys[1], bytes)
        return present
    }

    /// Takes both copies back, before anybody has used them.
    public func withdraw(from store: any ObjectStore) async throws(ObjectStoreError) {
        for key in Self.keys {
            do throws(ObjectStoreError) {
                let found = KeyObject(try await store.get(key, limit: Self.largest))
                if found == self { try await store.delete(key) }
            } catch {
                // It has gone already.
                guard case .notFound = error else { throw error }
            }
        }
    }

    /// Puts this one in the place of another one that wraps the same key. There is a copy at each moment, and the former one counts until it
    /// has gone: whoever is interrupted does it again.
    public func replace(in store: any ObjectStore) async throws(ObjectStoreError) {
        let bytes = try encoded()
        // First where none is: the other copy may be the only one.
        let missing = try await copies(in: store).filter { $0.copy == nil }.map(\.key)
        for key in missing + Self.keys.reversed() {
            if try await present(key, in: store) == self { continue }
            try await store.delete(key)
            _ = try await store.putIfAbsent(key, bytes)
        }
        guard try await copies(in: store).allSatisfy({ $0.copy == self }) else {
            throw .unusable("its passphrase was changed elsewhere in this moment; do it again")
        }
    }

    private func copies(
        in store: any ObjectStore, of ring: KeyRing? = nil
    ) async throws(ObjectStoreError) -> [(key: ObjectKey, copy: KeyObject?)] {
        var copies: [(key: ObjectKey, copy: KeyObject?)] = []
        for key in Self.keys { copies.append((key, try await present(key, in: store, of: ring))) }
        return copies
    }

    /// The copy at a key; nil if it is gone or damaged.
    ///
    /// - Throws: `unusable` where it is that of another container.
    private func present(
        _ key: ObjectKey, in store: any ObjectStore, of ring: KeyRing? = nil
    ) async throws(ObjectStoreError) -> KeyObject? {
        do throws(ObjectStoreError) {
            guard let found = KeyObject(try await store.get(key, limit: Self.largest)) else { return nil }
            guard hasKey(found) || ring.map(found.wrapsKey) == true
            else { throw .unusable(Self.otherContainer) }
            return found
        } catch {
            switch error {
            case .notFound, .corrupted: return nil
            default: throw error
            }
        }
    }

    private var ownDigest: String {
        let fields =
            ["\(format)", "\(n)", "\(r)", "\(p)", salt, byPassphrase, byRecoveryKey, fingerprint]
            + (former.map { [$0] } ?? [])
        return hexadecimal(HashAlgorithm.sha256.digest(of: Array(fields.map { $0 + "\n" }.joined().utf8)))
    }

    /// Makes each copy again that is gone or damaged, from the other one: it may have a newer passphrase than this one, which a device kept.
    ///
    /// - Parameters:
    ///   - ring: the container's keys.
    ///   - replacesFormer: whether a copy is replaced as well that wraps a former key. Otherwise it is left as it is.
    /// - Throws: `unusable` where another container has been made meanwhile: its key opens nothing of this one.
    func restore(
        in store: any ObjectStore, of ring: KeyRing? = nil, replacesFormer: Bool = false
    ) async throws(ObjectStoreError) {
        let copies = try await copies(in: store, of: ring)
        let bytes = try (copies.compactMap(\.copy).first(where: hasKey) ?? self).encoded()
        // First where none is: the other copy may be the only one. And the first copy last, since it counts.
        let missing = copies.filter { $0.copy == nil }
        let former = replacesFormer ? copies.filter { $0.copy.map { !hasKey($0) } == true }.reversed() : []
        for (key, _) in missing + former {
            // Another device may do the same in this moment.
            if try await present(key, in: store, of: ring).map(hasKey) == true { continue }
            try await store.delete(key)
            _ = try await store.putIfAbsent(key, bytes)
        }
    }

    private func hasKey(_ other: KeyObject) -> Bool { other.fingerprint == fingerprint }

    private static let otherContainer =
        "its key was changed on another device (`docfs key` takes the new passphrase), or another encrypted container has been made in its place (mount with another --cloud URL and --move-to-this-cloud)"

    func encoded() throws(ObjectStoreError) -> [UInt8] {
        // The same bytes each time: an entry of the log holds them.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return Array(try encoder.encode(self)) } catch {
            throw .unusable("the key object cannot be written: \(error)")
        }
    }

    /// - Returns: nil for bytes that are no key object, or a damaged one.
    init?(_ bytes: [UInt8]) {
        guard let object = try? JSONDecoder().decode(KeyObject.self, from: Data(bytes)),
            object.digest == object.ownDigest
        else { return nil }
        self = object
    }

    /// - Returns: nil for a container that is not encrypted, or not made yet. The second copy counts where the first is gone or damaged.
    public static func read(from store: any ObjectStore) async throws(ObjectStoreError) -> KeyObject? {
        var damage: ObjectStoreError?
        for key in keys {
            do throws(ObjectStoreError) {
                let bytes = try await store.get(key, limit: largest)
                if let object = KeyObject(bytes) { return object }
                damage = .corrupted(key, "it is no key object")
            } catch {
                switch error {
                case .notFound: break
                case .corrupted: damage = error
                default: throw error
                }
            }
        }
        if let damage { throw damage }
        return nil
    }

    // MARK: Wrapping

    /// However a keyboard composes its letters.
    private static func bytes(of passphrase: String) -> [UInt8] {
        Array(passphrase.precomposedStringWithCanonicalMapping.utf8)
    }

    private static func wrappingKey(of recoveryKey: RecoveryKey, _ salt: [UInt8]) -> SecretBytes {
        derivedKey(from: recoveryKey.bytes, salt: salt, info: Array("docfs recovery".utf8))
    }

    /// Each wrapping key seals one key only: it follows from the container's salt.
    private static func wrap(_ key: ContainerKey, with wrapping: SecretBytes, _ salt: [UInt8]) -> [UInt8] {
        AuthenticatedCipher.aes256GCM.seal(key.bytes, key: wrapping, nonce: nonce, associated: salt)
    }

    private func unwrap(_ sealed: [UInt8], with wrapping: SecretBytes, _ salt: [UInt8]) -> ContainerKey? {
        AuthenticatedCipher.aes256GCM.openSecret(sealed, key: wrapping, nonce: Self.nonce, associated: salt)
            .flatMap { $0.count == ContainerKey.length ? ContainerKey(bytes: $0) : nil }
            .flatMap { wraps($0) ? $0 : nil }
    }

    private static let nonce = [UInt8](repeating: 0, count: 12)
}
