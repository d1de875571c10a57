import Ciphers
import Hashing
import Testing

struct SigningKeyTests {
    /// RFC 8032, section 7.1, test 2.
    @Test func `keys and signatures are those of the RFC`() throws {
        let seed = try #require(
            [UInt8](hexadecimal: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
        let key = SigningKey(seed: SecretBytes(seed))
        #expect(
            hexadecimal(key.publicKey.bytes) == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        let signature = key.sign([0x72])
        #expect(
            hexadecimal(signature)
                == "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        )
        #expect(key.publicKey.verifies(signature, of: [0x72]))
        #expect("\(key)" == "a signing key")
    }

    @Test func `what was not signed with the key is not verified`() throws {
        let (key, other) = (SigningKey(seed: .random(32)), SigningKey(seed: .random(32)))
        let message = Array("a message".utf8)
        let signature = key.sign(message)
        #expect(!key.publicKey.verifies(signature, of: Array("another".utf8)))
        #expect(!other.publicKey.verifies(signature, of: message))
        #expect(!key.publicKey.verifies(Array(signature.dropLast()), of: message))
        #expect(!key.publicKey.verifies([], of: message))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.verifies(changed, of: message), "byte \(index)")
        }
        #expect(key.publicKey.verifies(key.sign([]), of: []))
        #expect(PublicKey([1, 2, 3]) == nil && PublicKey(key.publicKey.bytes) == key.publicKey)
    }
}
