import Hashing
import Testing
import TestSupport

/// Digests and authentication codes with known results.
struct HashingTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "d41d8cd98f00b204e9800998ecf8427e"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "900150983cd24fb0d6963f7d28e17f72"),
    ])
    func `digests are those of the standards`(text: String, sha256: String, md5: String) {
        #expect(hexadecimal(HashAlgorithm.sha256.digest(of: Array(text.utf8))) == sha256)
        #expect(hexadecimal(HashAlgorithm.md5.digest(of: Array(text.utf8))) == md5)
    }

    @Test func `a digest does not depend on the pieces`() {
        let bytes = pattern(100_000)
        var hash = RunningHash(.sha256)
        for start in stride(from: 0, to: bytes.count, by: 999) {
            bytes[start..<min(start + 999, bytes.count)].withUnsafeBytes { hash.update($0) }
        }
        hash.update(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(hash.finish() == HashAlgorithm.sha256.digest(of: bytes))
    }

    /// RFC 4231, cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `authentication codes are those of the standard`(key: [UInt8], message: String, code: String) {
        #expect(hexadecimal(authenticationCode(of: Array(message.utf8), key: key)) == code)
    }

    @Test func `an empty key makes a code`() {
        #expect(authenticationCode(of: [], key: []).count == 32)
    }
}
