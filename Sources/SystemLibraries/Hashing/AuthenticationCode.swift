import CCrypto

/// HMAC with SHA-256: shows that its maker has the key.
public func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: HashAlgorithm.sha256.length) { buffer, count in
        let code = HMAC(
            HashAlgorithm.sha256.implementation, key, Int32(key.count), message, message.count, buffer.baseAddress, nil)
        precondition(code != nil, "libcrypto makes no authentication code")
        count = HashAlgorithm.sha256.length
    }
}
