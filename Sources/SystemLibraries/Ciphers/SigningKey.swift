import CCrypto

/// A key that signs (Ed25519, RFC 8032): whoever has its public key can tell what was signed with it, and cannot sign.
public struct SigningKey: Sendable, Equatable {
    /// Bytes of the secret from which all follows.
    public static let seedLength = 32

    private let seed: SecretBytes
    /// For others.
    public let publicKey: PublicKey

    /// - Parameter seed: random, `seedLength` bytes.
    public init(seed: SecretBytes) {
        precondition(seed.count == Self.seedLength, "a seed has a wrong length")
        self.seed = seed
        publicKey = PublicKey(
            bytes: Self.result(of: PublicKey.length) { result in
                seed.withBytes { docfs_ed25519_public_key($0.baseAddress, result) }
            })
    }

    /// The signature of a message: the same each time.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        Self.result(of: PublicKey.signatureLength) { result in
            seed.withBytes { docfs_ed25519_sign($0.baseAddress, message, message.count, result) }
        }
    }

    private static func result(of count: Int, _ write: (UnsafeMutablePointer<UInt8>?) -> Int32) -> [UInt8] {
        precondition(docfs_start_crypto() == 1, "libcrypto does not start")
        var bytes = [UInt8](repeating: 0, count: count)
        precondition(bytes.withUnsafeMutableBufferPointer { write($0.baseAddress) } == 1, "libcrypto does not sign")
        return bytes
    }
}

extension SigningKey: CustomStringConvertible {
    /// Says nothing: a key must not come into a log.
    public var description: String { "a signing key" }
}

/// Tells what was signed with a ``SigningKey``.
public struct PublicKey: Sendable, Hashable {
    /// Bytes.
    public static let length = 32
    /// Bytes.
    public static let signatureLength = 64

    public let bytes: [UInt8]

    /// - Returns: nil for bytes of another length.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the message was signed with the key whose public half this is.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureLength, docfs_start_crypto() == 1 else { return false }
        return docfs_ed25519_verify(bytes, signature, message, message.count) == 1
    }
}
