import Ciphers
import Documents
import Foundation
import Hashing
import ObjectStore
import TestSupport
import Testing

@testable import Encryption

/// Objects that another implementation made (`Vectors/make.py`) are those of this one.
struct VectorTests {
    struct Vectors: Decodable {
        struct Object: Decodable {
            let key: String, stored: String, salt: String, length: Int, sealedLength: Int, sealedSHA256: String
            let beginning: String
        }

        let containerKey: String, objects: [Object], passphrase: String, recoveryKey: String, keyObject: KeyObject
        let changedKeyObject: KeyObject, keys: [KeyRing.Period], signedLine: String
    }

    private func vectors() throws -> Vectors {
        let url = try #require(Bundle.module.url(forResource: "objects", withExtension: "json"))
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
    }

    @Test func `names and objects are sealed as by another implementation`() throws {
        let vectors = try vectors()
        let container = try #require(ContainerKey(vectors.containerKey))
        #expect(vectors.objects.count == 6)
        for object in vectors.objects {
            let key = try #require(ObjectKey(object.key))
            let name = try #require(ObjectName(key))
            let stored = name.encrypted(with: container.nameKey)
            #expect(stored.description == object.stored)
            #expect(ObjectName(encrypted: stored, with: container.nameKey)?.key == key)
            let salt = try #require([UInt8](hexadecimal: object.salt))
            let seal = ObjectSeal(of: name, with: container, length: Int64(object.length), salt: salt)
            let plain = (0..<object.length).map { UInt8($0 * 7 % 251) }
            let sealed = try SealedContent(BytesInMemory(bytes: plain), seal: seal).read(at: 0, count: 1 << 30)
            #expect(
                sealed.count == object.sealedLength && hexadecimal(Array(sealed.prefix(72))) == object.beginning)
            #expect(sha256(sealed) == object.sealedSHA256)
        }
    }

    @Test func `passphrase and recovery key open the key object that another implementation made`() throws {
        let vectors = try vectors()
        let key = try #require(ContainerKey(vectors.containerKey))
        #expect(try vectors.keyObject.unwrap(vectors.passphrase) == key)
        #expect(try vectors.keyObject.unwrap(vectors.recoveryKey) == key)
        // As an input method may compose the letters.
        #expect(try vectors.keyObject.unwrap(vectors.passphrase.decomposedStringWithCanonicalMapping) == key)
        #expect(vectors.keyObject.wraps(key))
        #expect(throws: KeyObject.Refusal.wrongPassphrase) { try vectors.keyObject.unwrap("another") }
    }

    @Test func `the key object that another implementation made holds the former keys`() throws {
        let vectors = try vectors()
        let ring = try vectors.changedKeyObject.unwrapAll(vectors.passphrase)
        #expect(ring.periods == vectors.keys && ring.periods.count == 3)
        // A damaged one would not be read.
        #expect(KeyObject(Array(try JSONEncoder().encode(vectors.changedKeyObject))) == vectors.changedKeyObject)
    }

    @Test func `the line of the log that another implementation signed has this one's signature`() throws {
        let line = try vectors().signedLine
        let key = SigningKey(seed: SecretBytes(0..<32))
        #expect(line.contains(hexadecimal(key.publicKey.bytes)))
        let unsigned = line.replacing(/,"value":"[0-9a-f]*"/, with: "")
        let signature = hexadecimal(key.sign(Array("docfs entry\n\(unsigned)".utf8)))
        #expect(unsigned != line && line.contains("\"value\":\"\(signature)\""))
    }

    private func sha256(_ bytes: [UInt8]) -> String { hexadecimal(HashAlgorithm.sha256.digest(of: bytes)) }
}
