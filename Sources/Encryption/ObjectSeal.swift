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

    /// Seals a chunk.
    ///
    /// - Parameters:
    ///   - content: the bytes of the chunk without padding.
    ///   - offset: where the sealed chunk goes, in `result`.
    func seal(_ content: [UInt8], chunk: Int64, into result: inout [UInt8], at offset: Int) {
        let padding = layout.content(of: chunk).count - content.count
        let padded = padding > 0 ? content + [UInt8](repeating: 0, count: padding) : content
        AuthenticatedCipher.aes256GCM.seal(padded.span, into: &result, at: offset, key: key, nonce: nonce(of: chunk))
    }

    /// Opens chunks where they stand.
    ///
    /// - Parameters:
    ///   - bytes: of the object. Afterwards the content of the chunks with its padding.
    ///   - start: where the bytes begin in the object.
    /// - Returns: false if one was changed, or is not there.
    func open(_ chunks: Range<Int64>, in bytes: inout [UInt8], from start: Int64) -> Bool {
        var end = 0
        for chunk in chunks {
            let range = layout.bytes(of: chunk)
            let sealed = Int(range.lowerBound - start)..<Int(range.upperBound - start)
            let isOpened = AuthenticatedCipher.aes256GCM.open(
                &bytes, at: sealed, to: end, key: key, nonce: nonce(of: chunk))
            if !isOpened { return false }
            end += layout.content(of: chunk).count
        }
        bytes.removeLast(bytes.count - end)
        return true
    }

    private func nonce(of chunk: Int64) -> [UInt8] {
        SealedLayout.nonce(ofPiece: chunk + 1, isLast: chunk == layout.chunkCount - 1)
    }
}
