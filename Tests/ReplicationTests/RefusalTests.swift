import Documents
import Foundation
import ObjectStore
@testable import Replication
import SystemPackage
import Testing

/// Input that is refused before it does harm.
@Suite(.timeLimit(.minutes(15)))
struct RefusalTests {
    private let laptop = TestDevice.laptop

    /// Such a commit would end the log for every device, this one included.
    @Test func `a commit that no device could read is not written`() async throws {
        let store = FakeStore()
        await #expect(throws: LogError.self) {
            try await ReplicatedLog(store: store).append(
                laptop.commit(.create(laptop.folder(1, ".."))), at: LogPosition(1))
        }
        #expect(store.objects.isEmpty)
    }

    @Test func `a document that has one version twice is refused`() throws {
        var text = String(decoding: try laptop.commit(.create(laptop.document(1))).encoded(), as: UTF8.self)
        let version = String(decoding: try JSONEncoder.sorted.encode(laptop.version(1, modified: 100)), as: UTF8.self)
        text = text.replacingOccurrences(of: "\"conflicts\":[]", with: "\"conflicts\":[\(version)]")
        #expect(throws: CommitError.invalid("a document that has one version twice")) {
            try Commit.decode(Array(text.utf8))
        }
    }

    @Test func `an error is one line, whatever the log contains`() throws {
        let bad = laptop.commit(.create(laptop.folder(1, "a\n\u{1b}[31m/b")))
        let malformed = Array(#"{"format":1,"id":"x\ny","changes":[]}"#.utf8)
        for bytes in [try bad.encoded(), malformed, []] {
            let error = #expect(throws: CommitError.self) { try Commit.decode(bytes) }
            let text = try #require(error?.description)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
            #expect(text.utf8.count < 300)
        }
    }

    @Test func `an error says where in the entry it is`() throws {
        let entry = try laptop.commit(.create(laptop.folder(1, "Trip")), .create(laptop.folder(2, "Fotos"))).encoded()
        let text = String(decoding: entry, as: UTF8.self).replacingOccurrences(of: "\"Fotos\"", with: "7")
        #expect(
            throws: CommitError.malformed(
                "a value of another type than expected at changes[1].create.description.filename")
        ) {
            try Commit.decode(Array(text.utf8))
        }
    }

    @Test func `the map of an impossible size stays small`() {
        #expect(ChunkMap(size: 1 << 50, chunkSize: 1 << 20).chunkSize == 1 << 28)
    }

    @Test(arguments: [0, 2] as [Int64])
    func `a document that became longer has changed, and nothing is sent`(length: Int64) async throws {
        let store = FakeStore()
        try await withFile([1, 2, 3]) { file in
            await #expect(throws: TransferError.changed) {
                try await Upload(store: store).send(
                    laptop.version(7, modified: 1), of: EntryID(numbered: 1), from: file, length: length
                ) { _ in true }
            }
        }
        #expect(store.objects.isEmpty)
    }

    /// The other fetches are never answered: they end because they are cancelled.
    @Test func `a failure ends the other fetches at once, and is the one that is reported`() async throws {
        var version = laptop.version(1, modified: 1)
        version.size = 400
        let key = ObjectKey("documents/x")!
        try await withFile { file in
            let store = FakeStore()
            store.failAll(.outOfSpace)
            let download = Download(
                store: UnansweringStore(but: store) { _, range in range == 4..<8 }, key: key, version: version,
                into: file, chunkSize: 4, parallelism: 3)
            await #expect(throws: TransferError.store(.outOfSpace)) { try await download.run() }
        }
    }
}

extension JSONEncoder {
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
