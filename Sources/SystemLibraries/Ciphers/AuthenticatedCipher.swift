import CCrypto

/// Encryption that notices each change of what it encrypted. The ciphertext is as long as the plaintext, and a tag of 16 bytes stands with it.
public enum AuthenticatedCipher: Sendable {
    /// AES-256-GCM: a key of 32 bytes and a nonce of 12, which must never be used twice with one key. The tag follows the ciphertext.
    case aes256GCM
    /// AES-256-SIV (RFC 5297): a key of 64 bytes and no nonce. Equal plaintexts have equal ciphertexts. The tag precedes the ciphertext.
    case aes256SIV

    /// Bytes.
    public static let tagLength = 16

    // MARK: Encrypting

    /// Encrypts.
    ///
    /// - Parameter associated: is not encrypted, and opening demands the same.
    public func seal(
        _ plaintext: some Sequence<UInt8>, key: SecretBytes, nonce: [UInt8] = [], associated: [UInt8] = []
    ) -> [UInt8] {
        Array(plaintext).withUnsafeBufferPointer { seal($0, key, nonce, associated) }
    }

    /// Encrypts a key.
    public func seal(
        _ secret: SecretBytes, key: SecretBytes, nonce: [UInt8] = [], associated: [UInt8] = []
    ) -> [UInt8] {
        secret.withBytes { seal($0, key, nonce, associated) }
    }

    private func seal(
        _ plaintext: UnsafeBufferPointer<UInt8>, _ key: SecretBytes, _ nonce: [UInt8], _ associated: [UInt8]
    ) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: plaintext.count + Self.tagLength)
        seal(plaintext, into: &result, at: 0, key, nonce, associated)
        return result
    }

    /// Encrypts into an array that has room for it.
    ///
    /// - Parameter offset: where the plaintext and the tag go, in `result`.
    public func seal(
        _ plaintext: Span<UInt8>, into result: inout [UInt8], at offset: Int, key: SecretBytes, nonce: [UInt8] = []
    ) {
        plaintext.withUnsafeBufferPointer { seal($0, into: &result, at: offset, key, nonce, []) }
    }

    private func seal(
        _ plaintext: UnsafeBufferPointer<UInt8>, into result: inout [UInt8], at offset: Int, _ key: SecretBytes,
        _ nonce: [UInt8], _ associated: [UInt8]
    ) {
        precondition(offset >= 0 && offset + plaintext.count + Self.tagLength <= result.count, "there is no room")
        let (textStart, tagStart) = isTagFirst ? (Self.tagLength, 0) : (0, plaintext.count)
        let isDone = result.withUnsafeMutableBufferPointer { result in
            let start = result.baseAddress.map { $0 + offset }
            return run(
                plaintext, into: start.map { $0 + textStart }, start.map { $0 + tagStart }, seals: true, key, nonce,
                associated)
        }
        precondition(isDone, "libcrypto does not encrypt")
    }

    // MARK: Decrypting

    /// Decrypts.
    ///
    /// - Returns: nil for a text that was not sealed with this key, nonce and associated bytes.
    public func open(
        _ sealed: some Collection<UInt8>, key: SecretBytes, nonce: [UInt8] = [], associated: [UInt8] = []
    ) -> [UInt8]? {
        var bytes = Array(sealed)
        guard open(&bytes, at: 0..<bytes.count, to: 0, key: key, nonce: nonce, associated: associated) else {
            return nil
        }
        bytes.removeLast(Self.tagLength)
        return bytes
    }

    /// Decrypts a key.
    ///
    /// - Returns: as `open`.
    public func openSecret(
        _ sealed: some Collection<UInt8>, key: SecretBytes, nonce: [UInt8] = [], associated: [UInt8] = []
    ) -> SecretBytes? {
        var bytes = Array(sealed)
        defer { bytes.overwrite() }
        guard bytes.count > Self.tagLength,
            open(&bytes, at: 0..<bytes.count, to: 0, key: key, nonce: nonce, associated: associated)
        else { return nil }
        return SecretBytes(bytes.dropLast(Self.tagLength))
    }

    /// Decrypts within an array: a second one of the same size would take as long to get as the decryption.
    ///
    /// - Parameters:
    ///   - sealed: where the sealed text stands.
    ///   - offset: where the plaintext goes, at the sealed text or before it.
    /// - Returns: false for a text that was not sealed with this key and nonce, or is not there. The bytes then hold anything.
    public func open(
        _ bytes: inout [UInt8], at sealed: Range<Int>, to offset: Int, key: SecretBytes, nonce: [UInt8] = [],
        associated: [UInt8] = []
    ) -> Bool {
        guard sealed.count >= Self.tagLength, sealed.upperBound <= bytes.count else { return false }
        precondition((0...sealed.lowerBound).contains(offset), "the plaintext would overwrite what is still sealed")
        return bytes.withUnsafeMutableBufferPointer { bytes in
            let whole = UnsafeMutableBufferPointer(rebasing: bytes[sealed])
            var tag = Array(isTagFirst ? whole.prefix(Self.tagLength) : whole.suffix(Self.tagLength))
            let text = UnsafeMutableBufferPointer(
                rebasing: isTagFirst ? whole.dropFirst(Self.tagLength) : whole.dropLast(Self.tagLength))
            let isOpened = run(
                UnsafeBufferPointer(text), into: text.baseAddress, &tag, seals: false, key, nonce, associated)
            // The two may overlap.
            if isOpened, let start = text.baseAddress {
                (bytes.baseAddress! + offset).update(from: start, count: text.count)
            }
            return isOpened
        }
    }

    // MARK: Both

    private func run(
        _ text: UnsafeBufferPointer<UInt8>, into result: UnsafeMutablePointer<UInt8>?,
        _ tag: UnsafeMutablePointer<UInt8>?, seals: Bool, _ key: SecretBytes, _ nonce: [UInt8], _ associated: [UInt8]
    ) -> Bool {
        precondition(key.count == keyLength && nonce.count == nonceLength, "a key or a nonce has a wrong length")
        // libcrypto writes to no empty result, and wants one that is not NULL.
        var nothing: UInt8 = 0
        return withUnsafeMutablePointer(to: &nothing) { nothing in
            key.withBytes { key in
                docfs_aead(
                    implementation, seals ? 1 : 0, key.baseAddress, nonce, associated, Int32(associated.count),
                    text.baseAddress, Int32(text.count), result ?? nothing, tag) == 1
            }
        }
    }

    private var isTagFirst: Bool { self == .aes256SIV }

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
