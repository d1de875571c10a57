import CCrypto

/// A key that follows from another one, for one purpose: HKDF with SHA-256 (RFC 5869).
///
/// - Parameters:
///   - key: random.
///   - info: the purpose. Keys of different purposes tell nothing of each other.
///   - count: bytes of the new key.
public func derivedKey(from key: SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int = 32) -> SecretBytes {
    SecretBytes(count: count) { result in
        let isDone = key.withBytes { key in
            docfs_hkdf(key.baseAddress, key.count, salt, salt.count, info, info.count, result, count)
        }
        precondition(isDone == 1, "libcrypto derives no key")
    }
}

/// How much work scrypt (RFC 7914) makes of a passphrase.
public struct ScryptCost: Sendable, Equatable {
    /// A power of two. The work and the memory grow with it: `128 * n * r` bytes.
    public let n: UInt64
    /// The size of a block.
    public let r: UInt64
    /// How often the work is done beside each other.
    public let p: UInt64

    public init(n: UInt64, r: UInt64, p: UInt64) {
        self.n = n
        self.r = r
        self.p = p
    }
}

/// A key that follows from a passphrase, with so much work that trying passphrases is slow.
///
/// - Returns: nil for a cost that libcrypto refuses.
public func derivedKey(fromPassphrase passphrase: [UInt8], salt: [UInt8], cost: ScryptCost) -> SecretBytes? {
    var isDone: Int32 = 0
    let key = SecretBytes(count: 32) { result in
        isDone = passphrase.withUnsafeBytes { bytes in
            EVP_PBE_scrypt(
                bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }, bytes.count, salt, salt.count,
                cost.n, cost.r, cost.p, 256 * cost.n * cost.r, result, 32)
        }
    }
    return isDone == 1 ? key : nil
}

/// Random bytes that are no secret.
public func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    precondition(RAND_bytes(&bytes, Int32(count)) == 1, "libcrypto has no random numbers")
    return bytes
}
