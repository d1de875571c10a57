import Ciphers

/// Seals and opens the pieces of one object (`SealedLayout`).
struct ObjectSeal: Sendable {
    let layout: SealedLayout
    private let salt: [UInt8]
    private let key: SecretBytes

    /// Of a new object.
    ///
    /// - Parameters:
    ///   - length: bytes of the content.
    ///   - salt: random.
    init(of name: ObjectName, with container: ContainerKey, length: Int64, salt: [UInt8]) {
        layout = SealedLayout(length: length)
        self.salt = salt
        key = container.objectKey(of: name, salt: salt)
    }

    /// Of an object that is there.
    ///
    /// - Parameter header: its first bytes.
    /// - Returns: nil if the object was not made under this name with this key, or was changed.
    init?(header: some Collection<UInt8>, of name: ObjectName, with container: ContainerKey) {
        guard header.count == SealedLayout.headerLength else { return nil }
        salt = Array(header.prefix(Int(SealedLayout.saltLength)))
        key = container.objectKey(of: name, salt: salt)
        let nonce = SealedLayout.nonce(ofPiece: 0, isLast: false)
        guard
            let length = AuthenticatedCipher.aes256GCM.open(
                header.dropFirst(Int(SealedLayout.saltLength)), key: key, nonce: nonce)
        else { return nil }
        let count = length.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard count <= SealedLayout.longestContent else { return nil }
        layout = SealedLayout(length: Int64(count))
    }

    /// Salt and length.
    var header: [UInt8] {
        let nonce = SealedLayout.nonce(ofPiece: 0, isLast: false)
        return salt + AuthenticatedCipher.aes256GCM.seal(UInt64(layout.length).bytes, key: key, nonce: nonce)
    }

    /// - Parameter content: the bytes of the chunk without padding.
    func seal(_ content: some Collection<UInt8>, chunk: Int64) -> [UInt8] {
        let padding = layout.content(of: chunk).count - content.count
        return AuthenticatedCipher.aes256GCM.seal(
            Array(content) + [UInt8](repeating: 0, count: padding), key: key, nonce: nonce(of: chunk))
    }

    /// - Returns: the bytes of the chunk without padding; nil for one that was changed.
    func open(_ sealed: some Collection<UInt8>, chunk: Int64) -> [UInt8]? {
        guard sealed.count == layout.place(of: chunk).count,
            var content = AuthenticatedCipher.aes256GCM.open(sealed, key: key, nonce: nonce(of: chunk))
        else { return nil }
        content.removeLast(content.count - layout.content(of: chunk).clamped(to: 0..<layout.length).count)
        return content
    }

    private func nonce(of chunk: Int64) -> [UInt8] {
        SealedLayout.nonce(ofPiece: chunk + 1, isLast: chunk == layout.chunkCount - 1)
    }
}
