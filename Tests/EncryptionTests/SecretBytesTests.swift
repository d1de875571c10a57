import Foundation
import Glibc
import Testing

@testable import Ciphers

/// The memory of keys. One after another: many keys of one test would leave no room in their heap for those of another.
@Suite(.serialized)
struct SecretBytesTests {
    @Test func `a key is gone from memory when nobody has it any more`() throws {
        var secret: SecretBytes? = SecretBytes.random(64)
        let key = try #require(secret?.revealed)
        let address = try #require(secret.map(Self.address))
        #expect(try Self.memory(at: address, key.count) == key)
        secret = nil
        // The heap of secrets stays; another secret may lie there by now.
        #expect(try Self.memory(at: address, key.count) != key)
    }

    @Test func `the memory of keys is left out of core files, and is not swapped out`() throws {
        let secret = SecretBytes.random(32)
        let flags = try Self.flags(ofMappingAt: Self.address(of: secret))
        #expect(flags.contains("dd"))
        // Other users may lock as much as their limit lets them.
        if geteuid() == 0 { #expect(flags.contains("lo")) }
        #expect(secret.count == 32)
    }

    @Test func `more keys than the heap has room for are keys as well`() {
        let secrets = (0..<5000).map { SecretBytes([UInt8](repeating: UInt8($0 % 251), count: 32)) }
        for (index, secret) in secrets.enumerated() {
            #expect(secret.revealed == [UInt8](repeating: UInt8(index % 251), count: 32))
        }
    }

    /// libcrypto keeps the state of each thread's random numbers, and keys that sign, in the heap of secrets, too.
    @Test func `beside very many keys, a new thread gets random numbers and signs`() async {
        let secrets = (0..<5000).map { _ in SecretBytes([UInt8](repeating: 7, count: 32)) }
        let isSigned = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let key = SigningKey(seed: .random(SigningKey.seedLength))
                let message = randomBytes(100)
                continuation.resume(returning: key.publicKey.verifies(key.sign(message), of: message))
            }
        }
        #expect(isSigned)
        #expect(secrets.count == 5000)
    }

    @Test func `keys are equal if all their bytes are`() {
        let bytes = (0..<32).map { UInt8($0) }
        #expect(SecretBytes(bytes) == SecretBytes(bytes))
        #expect(SecretBytes(bytes) != SecretBytes(bytes.dropLast()))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(SecretBytes(bytes) != SecretBytes(other))
        }
    }

    @Test func `bytes that are overwritten are zeros`() {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.overwrite()
        #expect(bytes == [0, 0, 0])
        var none: [UInt8] = []
        none.overwrite()
        #expect(none.isEmpty)
    }

    private static func address(of secret: SecretBytes) -> UInt {
        secret.withBytes { UInt(bitPattern: $0.baseAddress) }
    }

    private static func memory(at address: UInt, _ count: Int) throws -> [UInt8] {
        let file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        try #require(pread(file, &bytes, count, off_t(address)) == count)
        return bytes
    }

    /// `VmFlags` of /proc/self/smaps (proc(5)).
    private static func flags(ofMappingAt address: UInt) throws -> [Substring] {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps"))
        defer { try? file.close() }
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var isInside = false
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2, words.count >= 5 { isInside = (bounds[0]..<bounds[1]).contains(address) }
            if isInside, words[0] == "VmFlags:" { return Array(words.dropFirst()) }
        }
        return []
    }
}
