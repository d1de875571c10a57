import Ciphers
import Documents
import Foundation
import ObjectStore
import Synchronization
import TestSupport
import Testing

@testable import Encryption

/// The object that holds the key of an encrypted container, and the recovery key.
struct KeyObjectTests {
    private static let cost = ScryptCost(n: 1 << 15, r: 8, p: 1)

    private func made(
        _ key: ContainerKey = .random(), _ recovery: RecoveryKey = .random(), cost: ScryptCost = cost
    ) throws -> KeyObject {
        try KeyObject(wrapping: key, passphrase: "correct horse", recoveryKey: recovery, cost: cost)
    }

    @Test func `a recovery key is read however it is typed, and a mistyped one is none`() throws {
        let key = RecoveryKey.random()
        #expect(RecoveryKey(key.text) == key)
        #expect(RecoveryKey(key.text.lowercased().replacingOccurrences(of: "-", with: " ")) == key)
        #expect(
            key.text.split(separator: "-").count == 8 && key.text.split(separator: "-").allSatisfy { $0.count == 7 })
        for index in key.text.indices where key.text[index] != "-" {
            var text = key.text
            text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(RecoveryKey(text) == nil)
        }
        #expect(RecoveryKey("") == nil && RecoveryKey("correct horse") == nil)
    }

    @Test func `the first key object of a container counts, and each of its copies is enough`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder + "/cloud", creates: true)
            #expect(try await KeyObject.read(from: store) == nil)
            let key = ContainerKey.random()
            let first = try made(key)
            #expect(try await first.establish(in: store) == first)
            #expect(try await made().establish(in: store) == first)
            for name in ["key-1", "key-2"] {
                let file = URL(filePath: folder + "/cloud/" + name)
                let bytes = try Data(contentsOf: file)
                #expect(bytes.range(of: Data("correct horse".utf8)) == nil)
                try FileManager.default.removeItem(at: file)
                #expect(try await KeyObject.read(from: store) == first)
                try Data("{".utf8).write(to: file)
                #expect(try await KeyObject.read(from: store)?.unwrap("correct horse") == key)
                try bytes.write(to: file)
            }
            for name in ["key-1", "key-2"] { try Data("{}".utf8).write(to: URL(filePath: folder + "/cloud/" + name)) }
            await #expect(throws: ObjectStoreError.self) { try await KeyObject.read(from: store) }
        }
    }

    @Test func `a copy that was damaged, and is still JSON, does not count`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder + "/cloud", creates: true)
            let key = ContainerKey.random()
            let object = try made(key)
            _ = try await object.establish(in: store)
            let file = URL(filePath: folder + "/cloud/key-1")
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            for field in ["n", "salt", "byPassphrase", "byRecoveryKey", "fingerprint"] {
                let place = try #require(text.range(of: "\"\(field)\":")).upperBound
                let digit = try #require(text[place...].firstIndex { $0.isHexDigit })
                var damaged = text
                damaged.replaceSubrange(digit...digit, with: text[digit] == "3" ? "4" : "3")
                try Data(damaged.utf8).write(to: file)
                #expect(try await KeyObject.read(from: store) == object, "\(field)")
                #expect(try await KeyObject.read(from: store)?.unwrap("correct horse") == key)
            }
            // A repair makes it again.
            try await object.restore(in: store)
            try FileManager.default.removeItem(atPath: folder + "/cloud/key-2")
            #expect(try await KeyObject.read(from: store) == object)
        }
    }

    @Test func `a lost key object is made again, and that of another container is left alone`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder + "/cloud", creates: true)
            let key = ContainerKey.random()
            let (object, other) = (try made(key), try made())
            try await object.restore(in: store)
            #expect(try await KeyObject.read(from: store) == object)
            try await object.withdraw(from: store)
            #expect(try await KeyObject.read(from: store) == nil)
            _ = try await other.establish(in: store)
            await #expect(throws: ObjectStoreError.self) { try await object.restore(in: store) }
            await #expect(throws: ObjectStoreError.self) {
                try await EncryptedStore(
                    store, keys: .inMemory(KeptKeys(ring: KeyRing(key), object: object))
                ).recreate()
            }
            try await object.withdraw(from: store)
            #expect(try await KeyObject.read(from: store) == other)
        }
    }

    @Test func `a passphrase is changed, and the recovery key and the container's key stay`() throws {
        let (key, recovery) = (ContainerKey.random(), RecoveryKey.random())
        let former = try made(key, recovery)
        let object = try former.wrapping(key, passphrase: "battery staple", cost: Self.cost)
        #expect(try object.unwrap("battery staple") == key && object.unwrap(recovery.text) == key)
        #expect(throws: KeyObject.Refusal.wrongPassphrase) { try object.unwrap("correct horse") }
        #expect(throws: KeyObject.Refusal.self) {
            try former.wrapping(.random(), passphrase: "battery staple", cost: Self.cost)
        }
    }

    /// The copies as an interruption at each moment leaves them: the former one, the new one, or none.
    @Test func `a change of the passphrase that was interrupted leaves the container open, and is done again`()
        async throws
    {
        let key = ContainerKey.random()
        let former = try made(key)
        let object = try former.wrapping(key, passphrase: "battery staple", cost: Self.cost)
        let moments: [(first: KeyObject?, second: KeyObject?)] = [
            (former, former), (former, nil), (former, object), (nil, object), (object, object),
        ]
        for (index, moment) in moments.enumerated() {
            try await withTemporaryFolder { folder in
                let store = try DirectoryStore(root: folder + "/cloud", creates: true)
                for (name, copy) in zip(KeyObject.keys, [moment.first, moment.second]) {
                    if let copy { _ = try await store.putIfAbsent(name, Array(try JSONEncoder().encode(copy))) }
                }
                #expect(try await KeyObject.read(from: store) == (index < 3 ? former : object))
                // Another device that mends meanwhile brings no other one.
                try await former.restore(in: store)
                #expect(try await KeyObject.read(from: store) == (index < 3 ? former : object))
                try await object.replace(in: store)
                for name in KeyObject.keys {
                    #expect(
                        try JSONDecoder().decode(KeyObject.self, from: Data(await store.get(name, limit: 4096)))
                            == object)
                }
            }
        }
    }

    @Test func `the only copy that is left is not removed before there is another one`() async throws {
        let key = ContainerKey.random()
        let former = try made(key)
        let (second, third) = (
            try former.wrapping(key, passphrase: "battery staple", cost: Self.cost),
            try former.wrapping(key, passphrase: "third", cost: Self.cost)
        )
        for (present, damage) in [(0, Data()), (1, Data("{".utf8)), (0, nil), (1, nil)] as [(Int, Data?)] {
            try await withTemporaryFolder { folder in
                let store = try DirectoryStore(root: folder + "/cloud", creates: true)
                _ = try await store.putIfAbsent(KeyObject.keys[present], Array(try JSONEncoder().encode(second)))
                if let damage { _ = try await store.putIfAbsent(KeyObject.keys[1 - present], Array(damage)) }
                let unsafe = Mutex(0)
                let watched = WatchedStore(store) { key in
                    // Whatever is removed, another copy can be read.
                    let other = KeyObject.keys.first { $0 != key }!
                    let bytes = (try? await store.get(other, limit: 4096)) ?? []
                    let isSafe = (try? JSONDecoder().decode(KeyObject.self, from: Data(bytes))) != nil
                    if !isSafe { unsafe.withLock { $0 += 1 } }
                }
                try await third.replace(in: watched)
                #expect(unsafe.withLock(\.self) == 0)
                #expect(try await KeyObject.read(from: store) == third)
            }
        }
    }

    @Test func `an object that another one continues has another passphrase, and nothing else`() throws {
        let key = ContainerKey.random()
        let former = try made(key)
        #expect(try former.wrapping(key, passphrase: "other", cost: Self.cost).continues(former))
        #expect(try !made(key).continues(former))
    }

    @Test func `attack: costs that make guessing easy, or fill the memory, are refused`() throws {
        for (n, r, p) in [
            (1 << 14, 8, 1), (2, 8, 1), (1 << 30, 8, 1), (1 << 17, 1, 1), (1 << 17, 1 << 20, 1), (1 << 17, 8, 1000),
            (100_000, 8, 1),
        ] {
            var fields =
                try JSONSerialization.jsonObject(with: try JSONEncoder().encode(try made())) as? [String: Any] ?? [:]
            (fields["n"], fields["r"], fields["p"]) = (n, r, p)
            let object = try JSONDecoder().decode(KeyObject.self, from: JSONSerialization.data(withJSONObject: fields))
            #expect {
                try object.unwrap("correct horse")
            } throws: { error in
                if case .damaged? = error as? KeyObject.Refusal { true } else { false }
            }
        }
    }

    @Test func `attack: a key object that wraps another key is told from the container's own`() throws {
        let key = ContainerKey.random()
        #expect(try made(key).wraps(key))
        #expect(try !made().wraps(key))
    }

    @Test func `keys say nothing of themselves`() {
        #expect("\(ContainerKey.random())" == "a container key" && "\(RecoveryKey.random())" == "a recovery key")
    }
}
