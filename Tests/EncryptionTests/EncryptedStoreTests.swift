import Foundation
import ObjectStore
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Encryption

/// What an encrypted container keeps from its keeper, and what it notices of the keeper's changes.
struct EncryptedStoreTests {
    private static let document = "documents/01234567-89ab-cdef-0123-456789abcdef"
    private static let content = key(document + "/fedcba98-7654-3210-fedc-ba9876543210/Letter to my bank.txt")
    private static let other = key(document + "/01234567-89ab-cdef-0123-456789abcdef/Letter.txt")

    private static func key(_ text: String) -> ObjectKey {
        ObjectKey(valid: text.split(separator: "/").map(String.init))
    }

    private static func entry(_ position: Int) -> ObjectKey {
        key("log/" + String(repeating: "0", count: 16 - String(position).count) + String(position))
    }

    /// - Parameter body: is given the store, what its keeper sees, and the keeper's folder.
    private func withStore(
        _ body: (_ store: EncryptedStore, _ keeper: DirectoryStore, _ folder: String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let keeper = try DirectoryStore(root: folder + "/cloud", creates: true)
            try await body(EncryptedStore(keeper, key: .random()), keeper, folder + "/cloud/objects")
        }
    }

    private func stored(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }
    }

    /// The whole is refused; a part is refused, or right where another part was changed.
    private func expectDamaged(
        _ store: EncryptedStore, _ key: ObjectKey = content, of bytes: [UInt8],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do throws(ObjectStoreError) {
            _ = try await store.get(key, limit: 1 << 20)
            Issue.record("the change was not noticed", sourceLocation: sourceLocation)
        } catch {
            guard case .corrupted(key, _) = error else {
                Issue.record("\(error)", sourceLocation: sourceLocation)
                return
            }
        }
        for range in [0..<10, 70_000..<70_010] {
            do throws(ObjectStoreError) {
                let part = try await store.get(key, range: Int64(range.lowerBound)..<Int64(range.upperBound))
                #expect(part == Array(bytes[range]), sourceLocation: sourceLocation)
            } catch {
                if case .corrupted(key, _) = error { continue }
                Issue.record("\(error)", sourceLocation: sourceLocation)
            }
        }
    }

    // MARK: What is kept

    @Test(arguments: [0, 1, 100, 65_535, 65_536, 65_537, 200_000, 1_000_003])
    func `what was stored comes back, whole and in parts`(length: Int) async throws {
        try await withStore { store, keeper, folder in
            let bytes = pattern(length)
            #expect(try await store.putIfAbsent(Self.content, bytes) == .created)
            #expect(try await store.putIfAbsent(Self.content, []) == .alreadyExists)
            let content = Mutex<Int64>(0)
            let file = FilePath(folder + "/../../file")
            try Data(bytes).write(to: URL(filePath: file.string))
            let descriptor = try FileDescriptor.open(file, .readOnly)
            let outcome = try await store.putIfAbsent(Self.other, contentsOf: descriptor, length: Int64(length)) {
                count in
                content.withLock { $0 += count }
                return true
            }
            try descriptor.close()
            #expect(outcome == .created && content.withLock(\.self) == Int64(length))
            for key in [Self.content, Self.other] {
                #expect(try await store.get(key, limit: length) == bytes)
                if length > 0 {
                    await #expect(throws: ObjectStoreError.self) { try await store.get(key, limit: length - 1) }
                }
                for start in [0, 1, 65_535, 65_536, 65_537, 131_000, length - 1, length, length + 5] where start >= 0 {
                    for count in [0, 1, 2, 70_000, 1_100_000] {
                        let range = Int64(start)..<Int64(start + count)
                        let part = Array(bytes.dropFirst(start).prefix(count))
                        #expect(try await store.get(key, range: range) == part, "\(range)")
                        // A device that does not know the object's header yet.
                        let other = EncryptedStore(keeper, keys: store.keys)
                        #expect(try await other.get(key, range: range) == part, "\(range)")
                    }
                }
            }
        }
    }

    @Test func `the keeper sees no name, no text and no length`() async throws {
        try await withStore { store, _, folder in
            let text = Array("the account of my bank is empty".utf8)
            for length in [900, 901, 910] {
                let version = "fedcba98-7654-3210-fedc-ba98765432" + String(length % 100 + 10)
                let key = Self.key(Self.document + "/\(version)/Letter to my bank.txt")
                _ = try await store.putIfAbsent(key, text + [UInt8](repeating: 32, count: length - text.count))
            }
            _ = try await store.putIfAbsent(Self.entry(1), text)
            _ = try await store.putIfAbsent(Self.key("container"), text)
            let files = try stored(folder)
            #expect(files.count == 5)
            #expect(Set(files.map(\.utf8.count)).count == 1)
            let contents = try files.map { try Data(contentsOf: URL(filePath: $0)) }
            #expect(Set(contents.map(\.count)).count == 2)
            for (file, bytes) in zip(files, contents) {
                #expect(!file.contains("bank") && !file.contains("log") && !file.contains("fedcba"))
                #expect(bytes.firstRange(of: Data("bank".utf8)) == nil)
            }
            // Nor whether two contents are equal.
            #expect(Set(contents).count == 5)
        }
    }

    @Test func `padding adds at most 12 percent`() {
        for length in Array(0...5000) + (0...4000).map({ $0 * 7_919_113 }) {
            let padded = Padding.padded(Int64(length))
            #expect(padded >= length && Double(padded) <= Double(length) * 1.12 + 1, "\(length)")
        }
    }

    @Test func `the log is listed in its order, across holes, and the rest of its kind`() async throws {
        try await withStore { store, _, _ in
            for position in [1, 2, 3, 5, 9, 10, 20] { _ = try await store.putIfAbsent(Self.entry(position), [1]) }
            let log = Self.key("log")
            #expect(try await store.list(log, after: nil, limit: 100) == [1, 2, 3, 5, 9, 10, 20].map(Self.entry))
            #expect(try await store.list(log, after: Self.entry(2), limit: 2) == [3, 5].map(Self.entry))
            #expect(try await store.list(log, after: Self.entry(20), limit: 9) == [])
            for number in 0..<30 {
                let version = "00000000-0000-4000-8000-0000000000" + String(number + 10)
                _ = try await store.putIfAbsent(Self.key(Self.document + "/\(version)/a.txt"), [1])
            }
            var found: [ObjectKey] = []
            while true {
                let page = try await store.list(Self.key("documents"), after: found.last, limit: 7)
                found += page
                if page.count < 7 { break }
            }
            #expect(Set(found).count == 30 && found.count == 30)
            let digest = String(repeating: "ab", count: 32)
            let checkpoints = ["0000000000000064/manifest", "0000000000000064/\(digest)", "0000000000000128/manifest"]
                .map {
                    Self.key("checkpoint/" + $0)
                }
            for key in checkpoints.reversed() { _ = try await store.putIfAbsent(key, [1]) }
            #expect(try await store.list(Self.key("checkpoint"), after: nil, limit: 100) == checkpoints.sorted())
            #expect(
                try await store.list(Self.key("checkpoint"), after: checkpoints.sorted()[0], limit: 1) == [
                    checkpoints.sorted()[1]
                ])
        }
    }

    @Test func `the beginning of an object comes with its header, in one request`() async throws {
        try await withTemporaryFolder { folder in
            let keeper = WatchedStore(try DirectoryStore(root: folder + "/cloud", creates: true))
            let store = EncryptedStore(keeper, key: .random())
            _ = try await store.putIfAbsent(Self.content, pattern(200_000))
            let arrived = Mutex<Int64>(0)
            let part = try await store.get(Self.content, range: 0..<100_000) { count in
                arrived.withLock { $0 += count }
            }
            #expect(part == Array(pattern(200_000).prefix(100_000)))
            #expect(keeper.reads.withLock(\.self) == 1)
            #expect(arrived.withLock(\.self) == 100_000)
            // Then the header is known.
            _ = try await store.get(Self.content, range: 100_000..<200_000)
            #expect(keeper.reads.withLock(\.self) == 2)
            _ = try await EncryptedStore(keeper, keys: store.keys).get(Self.content, range: 150_000..<160_000)
            #expect(keeper.reads.withLock(\.self) == 4)
        }
    }

    @Test func `an object that was made again is read in parts, though its former one was known`() async throws {
        try await withStore { store, keeper, _ in
            _ = try await store.putIfAbsent(Self.content, pattern(100_000))
            #expect(
                try await store.get(Self.content, range: 70_000..<70_010) == Array(pattern(100_000)[70_000..<70_010]))
            let another = EncryptedStore(keeper, keys: store.keys)
            try await another.delete(Self.content)
            _ = try await another.putIfAbsent(Self.content, pattern(90_000))
            #expect(
                try await store.get(Self.content, range: 70_000..<70_010) == Array(pattern(90_000)[70_000..<70_010]))
        }
    }

    // MARK: An active keeper

    @Test func `attack: a changed bit is noticed, wherever it is`() async throws {
        try await withStore { store, keeper, folder in
            _ = try await store.putIfAbsent(Self.content, pattern(100_000))
            let file = try #require(try stored(folder).first)
            let good = try Data(contentsOf: URL(filePath: file))
            for offset in [0, 31, 32, 40, 55, 56, 60_000, 65_600, 65_610, good.count - 17, good.count - 1] {
                var bytes = good
                bytes[offset] ^= 1
                try bytes.write(to: URL(filePath: file))
                await expectDamaged(EncryptedStore(keeper, keys: store.keys), of: pattern(100_000))
            }
        }
    }

    @Test func `attack: an object that was cut, or made longer, is noticed`() async throws {
        try await withStore { store, _, folder in
            _ = try await store.putIfAbsent(Self.content, pattern(140_000))
            let file = try #require(try stored(folder).first)
            let good = try Data(contentsOf: URL(filePath: file))
            for bytes in [
                good.dropLast(), good.prefix(56 + 65_552), good.prefix(56), good.prefix(10), Data(),
                good + good.suffix(100),
            ] {
                try Data(bytes).write(to: URL(filePath: file))
                await expectDamaged(store, of: pattern(140_000))
            }
        }
    }

    @Test func `attack: chunks of an object that changed places are noticed`() async throws {
        try await withStore { store, _, folder in
            _ = try await store.putIfAbsent(Self.content, pattern(200_000))
            let file = try #require(try stored(folder).first)
            let good = try Data(contentsOf: URL(filePath: file))
            let chunks = (0..<2).map { good[(56 + $0 * 65_552)..<(56 + ($0 + 1) * 65_552)] }
            try (good.prefix(56) + chunks[1] + chunks[0] + good.dropFirst(56 + 2 * 65_552)).write(
                to: URL(filePath: file))
            await expectDamaged(store, of: pattern(200_000))
        }
    }

    @Test func `attack: an object in the place of another one of the container is noticed`() async throws {
        try await withStore { store, _, folder in
            for key in [Self.content, Self.other, Self.entry(1), Self.entry(2)] {
                _ = try await store.putIfAbsent(key, pattern(100_000))
            }
            let files = try stored(folder)
            let contents = try files.map { try Data(contentsOf: URL(filePath: $0)) }
            for shift in 1..<4 {
                for (index, file) in files.enumerated() {
                    try contents[(index + shift) % 4].write(to: URL(filePath: file))
                }
                for key in [Self.content, Self.other, Self.entry(1), Self.entry(2)] {
                    await expectDamaged(store, key, of: pattern(100_000))
                }
            }
        }
    }

    @Test func `attack: objects of another container are none of this one`() async throws {
        try await withStore { store, keeper, folder in
            let another = EncryptedStore(keeper, key: .random())
            _ = try await another.putIfAbsent(Self.content, pattern(100_000))
            await #expect(throws: ObjectStoreError.notFound(Self.content)) {
                try await store.get(Self.content, limit: 100)
            }
            #expect(try await store.list(Self.key("documents"), after: nil, limit: 10) == [])
            _ = try await store.putIfAbsent(Self.content, pattern(100_000))
            let files = try stored(folder)
            let contents = try files.map { try Data(contentsOf: URL(filePath: $0)) }
            try contents[0].write(to: URL(filePath: files[1]))
            try contents[1].write(to: URL(filePath: files[0]))
            await expectDamaged(store, of: pattern(100_000))
        }
    }

    @Test func `a content that changes while it is sent is never sealed in two forms`() throws {
        final class Changing: ObjectContent {
            let byte = Mutex<UInt8>(1)
            var descriptor: FileDescriptor? { nil }
            func read(at offset: Int64, count: Int) -> [UInt8] {
                [UInt8](repeating: byte.withLock(\.self), count: count)
            }
        }
        let name = try #require(ObjectName(Self.content))
        let content = Changing()
        let seal = ObjectSeal(of: name, with: .random(), length: 100_000, salt: pattern(32))
        let sealed = SealedContent(content, seal: seal)
        let first = try sealed.read(at: 0, count: 60_000)
        #expect(try sealed.read(at: 0, count: 60_000) == first)
        content.byte.withLock { $0 = 2 }
        #expect(throws: Errno.ioError) { try sealed.read(at: 0, count: 60_000) }
        #expect(try !sealed.read(at: 56 + 65_552, count: 100).isEmpty)
    }
}
