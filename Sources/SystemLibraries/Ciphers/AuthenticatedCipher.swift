import CCrypto

/// Encryption that notices each change of what it encrypted. The ciphertext is as long as the plaintext, and a tag of 16 bytes stands with it.
public enum AuthenticatedCipher: Sendable {
    /// AES-256-GCM: a key of 32 bytes and a nonce of 12, which must never be used twice with one key. The tag follows the ciphertext.
    case aes256GCM
    /// AES-256-SIV (RFC 5297): a key of 64 bytes and no nonce. Equal plaintexts have equal ciphertexts. The tag precedes the ciphertext.
    case aes256SIV

    /// Bytes.
    public static let tagLength = 16

    /// Encrypts.
    ///
    /// - Parameter associated: is not encrypted, and opening demands the same.
    public func seal(
        _ plaintext: some Sequence<UInt8>, key: [UInt8], nonce: [UInt8] = [], associated: [UInt8] = []
    ) -> [UInt8] {
        let plaintext = Array(plaintext)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        let (text, isDone) = run(plaintext, &tag, seals: true, key, nonce, associated)
        precondition(isDone, "libcrypto does not encrypt")
        return self == .aes256SIV ? tag + text : text + tag
    }

    /// Decrypts.
    ///
    /// - Returns: nil for a text that was not sealed with this key, nonce and associated bytes.
    public func open(
        _ sealed: some Collection<UInt8>, key: [UInt8], nonce: [UInt8] = [], associated: [UInt8] = []
    ) -> [UInt8]? {
        guard sealed.count >= Self.tagLength else { return nil }
        let isTagFirst = self == .aes256SIV
        var tag = Array(isTagFirst ? sealed.prefix(Self.tagLength) : sealed.suffix(Self.tagLength))
        let text = Array(isTagFirst ? sealed.dropFirst(Self.tagLength) : sealed.dropLast(Self.tagLength))
        let (plaintext, isDone) = run(text, &tag, seals: false, key, nonce, associated)
        return isDone ? plaintext : nil
    }

    private func run(
        _ text: [UInt8], _ tag: inout [UInt8], seals: Bool, _ key: [UInt8], _ nonce: [UInt8], _ associated: [UInt8]
    ) -> (text: [UInt8], isDone: Bool) {
        precondition(key.count == keyLength && nonce.count == nonceLength, "a key or a nonce has a wrong length")
        var isDone = false
        let result = [UInt8](unsafeUninitializedCapacity: text.count + 1) { buffer, count in
            isDone =
                docfs_aead(
                    implementation, seals ? 1 : 0, key, nonce, associated, Int32(associated.count), text,
                    Int32(text.count), buffer.baseAddress, &tag) == 1
            count = isDone ? text.count : 0
        }
        return (result, isDone)
    }

    private var keyLength: Int { self == .aes256GCM ? 32 : 64 }

    private var nonceLength: Int { self == .aes256GCM ? 12 : 0 }

    private var implementation: OpaquePointer {
        switch self {
        case .aes256GCM: Implementations.shared.gcm
        case .aes256SIV: Implementations.shared.siv
        }
    }
}

/// libcrypto's implementations, looked up once.
private struct Implementations: Sendable {
    static let shared = Implementations()

    /// Unsafe because of its type only: libcrypto lets all threads share what was fetched.
    nonisolated(unsafe) let gcm: OpaquePointer
    /// Unsafe because of its type only, as above.
    nonisolated(unsafe) let siv: OpaquePointer

    private init() {
        guard docfs_start_crypto() == 1, let gcm = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil),
            let siv = EVP_CIPHER_fetch(nil, "AES-256-SIV", nil)
        else { fatalError("libcrypto has no AES-256-GCM and AES-256-SIV") }
        self.gcm = gcm
        self.siv = siv
    }
}
