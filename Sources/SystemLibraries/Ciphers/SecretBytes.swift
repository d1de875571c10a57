import CCrypto

/// Bytes that nobody else may learn: a key. They lie in libcrypto's secure heap, whose pages are locked into memory and left out of core files
/// (mlock(2), MADV_DONTDUMP), and are overwritten when the last reference to them goes.
///
/// Secrets for which that heap has no room, or whose pages the system does not lock, lie in ordinary memory, and are overwritten as well.
public final class SecretBytes: Sendable {
    /// Of memory of libcrypto, which this object alone owns. Nothing is written to it after `init`.
    private let address: UInt
    public let count: Int

    /// - Parameters:
    ///   - count: 1 at least.
    ///   - write: writes all of them.
    init(count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        _ = Self.heap
        precondition(count > 0, "a secret has no bytes")
        guard let memory = docfs_secret_memory(count, Self.heapSize / 2) else {
            fatalError("there is no memory for a key")
        }
        write(memory.assumingMemoryBound(to: UInt8.self))
        address = UInt(bitPattern: memory)
        self.count = count
    }

    /// Copies bytes, which the caller overwrites where that is possible.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { secret in
            for (index, byte) in bytes.enumerated() { secret[index] = byte }
        }
    }

    /// New ones.
    public static func random(_ count: Int) -> SecretBytes {
        SecretBytes(count: count) {
            precondition(RAND_priv_bytes($0, Int32(count)) == 1, "libcrypto has no random numbers")
        }
    }

    deinit { docfs_forget_secret(UnsafeMutableRawPointer(bitPattern: address), count) }

    /// A copy in ordinary memory: for what is written down, or is not secret by itself.
    public var revealed: [UInt8] { withBytes(Array.init) }

    /// - Parameter body: must not keep the buffer.
    func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        withExtendedLifetime(self) {
            body(UnsafeBufferPointer(start: UnsafePointer(bitPattern: address), count: count))
        }
    }

    /// Bytes that libcrypto sets aside for secrets, half of them for its own: each takes 32 or 64 of them, and a mount seldom has more than 300.
    private static let heapSize = 65536
    /// Made before the first secret. Where it cannot be made, secrets lie in ordinary memory.
    private static let heap = docfs_start_crypto() == 1 && CRYPTO_secure_malloc_init(heapSize, 32) > 0
}

extension SecretBytes: Equatable {
    /// Takes equally long wherever they differ.
    public static func == (a: SecretBytes, b: SecretBytes) -> Bool {
        a.count == b.count
            && a.withBytes { a in b.withBytes { b in CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0 } }
    }
}

extension [UInt8] {
    /// Overwrites a secret that is needed no more. Copies that were made of it stay.
    public mutating func overwrite() { withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
}
