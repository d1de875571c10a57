import CCrypto

/// The algorithm of a digest.
public enum HashAlgorithm: Sendable {
    case sha256
    /// For `Content-MD5` only: it finds damage, not deceit.
    case md5

    /// The digest of some bytes that are here as a whole.
    public func digest(of bytes: [UInt8]) -> [UInt8] {
        var hash = RunningHash(self)
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    var length: Int {
        switch self {
        case .sha256: 32
        case .md5: 16
        }
    }

    /// libcrypto's implementation.
    var implementation: OpaquePointer {
        switch self {
        case .sha256: Implementations.shared.sha256
        case .md5: Implementations.shared.md5
        }
    }
}

/// libcrypto's implementations, looked up once: each use of `EVP_sha256()` would look them up again.
private struct Implementations: Sendable {
    static let shared = Implementations()

    /// Unsafe because of its type only: libcrypto lets all threads share what was fetched.
    nonisolated(unsafe) let sha256: OpaquePointer
    /// Unsafe because of its type only, as above.
    nonisolated(unsafe) let md5: OpaquePointer

    private init() {
        // Where only certified algorithms are allowed, MD5 is still needed to find damage: `-fips` asks for it.
        guard docfs_start_crypto() == 1, let sha256 = EVP_MD_fetch(nil, "SHA256", nil),
            let md5 = EVP_MD_fetch(nil, "MD5", "-fips")
        else { fatalError("libcrypto has no SHA-256 and MD5") }
        self.sha256 = sha256
        self.md5 = md5
    }
}
