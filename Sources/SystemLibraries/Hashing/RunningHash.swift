import CCrypto

/// A digest of bytes that arrive piece by piece.
public struct RunningHash: ~Copyable {
    private let algorithm: HashAlgorithm
    private let context: OpaquePointer

    /// The digest of no bytes yet.
    public init(_ algorithm: HashAlgorithm) {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, algorithm.implementation, nil) == 1 else {
            fatalError("libcrypto has no memory for a digest")
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes. Their pieces do not matter: the digest is that of all of them in order.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let result = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(result == 1, "libcrypto refuses bytes")
    }

    /// Ends with the digest of all bytes so far.
    public consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.length) { buffer, count in
            let result = EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            precondition(result == 1, "libcrypto does not finish a digest")
            count = algorithm.length
        }
    }
}
