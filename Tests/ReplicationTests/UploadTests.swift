import Documents
import Foundation
import ObjectStore
import Replication
import Synchronization
import Testing
import TestSupport

/// Sending contents.
@Suite(.timeLimit(.minutes(15)))
struct UploadTests {
    private let document = EntryID(numbered: 1)

    private func draft(_ number: UInt8 = 7) -> DocumentVersion {
        var version = TestDevice.laptop.version(number, base: 3, modified: 5)
        version.filename = "2026-11-21-041233-7f3a.txt"
        version.size = 0
        version.sha256 = ""
        return version
    }

    private func withStore(_ body: (DirectoryStore, _ root: String) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try await body(try DirectoryStore(root: folder + "/store", creates: true), folder + "/store")
        }
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `a version is sent with its size and its SHA-256`(text: String, digest: String) async throws {
        let content = Array(text.utf8)
        try await withStore { store, _ in
            try await withFile(content) { file in
                let sent = try await Upload(store: store).send(
                    draft(), of: document, from: file, length: Int64(content.count)
                ) { _ in true }
                var expected = draft()
                expected.size = Int64(content.count)
                expected.sha256 = digest
                #expect(sent == expected)
                #expect(try await store.get(try sent.key(of: document), limit: 100) == content)
            }
        }
    }

    @Test func `each version is a plain object whose last path component is the filename`() async throws {
        try await withStore { store, root in
            try await withFile(pattern(100)) { file in
                let upload = Upload(store: store)
                let sent = try await upload.send(draft(), of: document, from: file, length: 100) { _ in true }
                let path = "\(root)/documents/\(document)/\(sent.id)/2026-11-21-041233-7f3a.txt"
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(pattern(100)))
            }
        }
    }

    @Test func `a large content is hashed and sent completely`() async throws {
        let content = pattern((5 << 20) + 3)
        try await withStore { store, _ in
            try await withFile(content) { file in
                let total = Total()
                let sent = try await Upload(store: store).send(
                    draft(), of: document, from: file, length: Int64(content.count)
                ) { total.add($0) }
                #expect(sent.sha256 == sha256(content))
                #expect(total.bytes == Int64(content.count))
            }
        }
    }

    @Test func `a content that is sent twice is there once`() async throws {
        try await withStore { store, _ in
            try await withFile(pattern(100)) { file in
                let upload = Upload(store: store)
                let first = try await upload.send(draft(), of: document, from: file, length: 100) { _ in true }
                let second = try await upload.send(draft(), of: document, from: file, length: 100) { _ in true }
                #expect(first == second)
                _ = try await upload.send(draft(8), of: document, from: file, length: 100) { _ in true }
                #expect(try await store.list(ObjectKey(["documents"])!, after: nil, limit: 10).count == 2)
            }
        }
    }

    @Test func `a content whose reply was lost is sent again`() async throws {
        let store = FakeStore()
        store.loseNextReply()
        try await withFile(pattern(100)) { file in
            let upload = Upload(store: store)
            let error = await #expect(throws: TransferError.self) {
                try await upload.send(draft(), of: document, from: file, length: 100) { _ in true }
            }
            guard case .store(.unreachable) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            let sent = try await upload.send(draft(), of: document, from: file, length: 100) { _ in true }
            #expect(store.objects == [try sent.key(of: document): pattern(100)])
        }
    }

    @Test func `of a document that became shorter during the upload nothing is sent`() async throws {
        try await withStore { store, _ in
            try await withFile(pattern(99)) { file async throws in
                await #expect(throws: TransferError.changed) {
                    try await Upload(store: store).send(draft(), of: document, from: file, length: 100) { _ in true }
                }
                #expect(try await store.list(ObjectKey(["documents"])!, after: nil, limit: 10).isEmpty)
            }
        }
    }

    @Test func `an abandoned upload is cancelled, and leaves nothing in the store`() async throws {
        try await withStore { store, _ in
            try await withFile(pattern(100)) { file async throws in
                await #expect(throws: TransferError.cancelled) {
                    try await Upload(store: store).send(draft(), of: document, from: file, length: 100) { _ in false }
                }
                #expect(try await store.list(ObjectKey(["documents"])!, after: nil, limit: 10).isEmpty)
            }
        }
    }

    @Test func `a failure of the store is reported with its reason, and a retry succeeds`() async throws {
        let store = FakeStore()
        try await withFile(pattern(100)) { file in
            for failure in [ObjectStoreError.unreachable("x"), .outOfSpace, .unauthorized("x")] {
                store.failAll(failure)
                await #expect(throws: TransferError.store(failure)) {
                    try await Upload(store: store).send(draft(), of: document, from: file, length: 100) { _ in true }
                }
            }
            store.failAll(nil)
            let sent = try await Upload(store: store).send(draft(), of: document, from: file, length: 100) { _ in true }
            #expect(sent.size == 100)
        }
    }

    @Test func `a version with a filename that cannot end a key is not sent`() async throws {
        let store = FakeStore()
        var version = draft()
        version.filename = "../a.txt"
        try await withFile(pattern(100)) { file in
            let error = await #expect(throws: TransferError.self) {
                try await Upload(store: store).send(version, of: document, from: file, length: 100) { _ in true }
            }
            guard case .invalidVersion = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(store.objects.isEmpty)
        }
    }
}

/// Adds up the numbers that a callback on another thread gets.
private final class Total: Sendable {
    private let total = Mutex<Int64>(0)

    var bytes: Int64 { total.withLock { $0 } }

    func add(_ count: Int64) -> Bool {
        total.withLock { $0 += count }
        return true
    }
}
