import Foundation
import ObjectStore
import SystemPackage
import Testing
import TestSupport

/// Objects made of a file's content: what only a folder shows (`Contract/TransferTests` has the rest).
struct DirectoryStoreTransferTests {
    private let key = ObjectKey.path("documents/1/2/film.mkv")

    @Test func `an object is a file, and nothing else is left of its transfer`() async throws {
        let content = pattern((9 << 20) + 13)
        try await withStore { store, root in
            try await withFile(content) { file in
                _ = try await store.putIfAbsent(key, contentsOf: file, length: Int64(content.count)) { _ in true }
                #expect(try Data(contentsOf: URL(fileURLWithPath: root + "/" + key.description)) == Data(content))
                #expect(try contents(of: root + "/.incoming").isEmpty)
            }
        }
    }

    @Test func `an object is not visible before it is whole`() async throws {
        try await withStore { store, root in
            try await withFile(pattern(9 << 20)) { file in
                let path = root + "/" + key.description
                let visible = Recorder<Bool>()
                _ = try await store.putIfAbsent(key, contentsOf: file, length: 9 << 20) { _ in
                    visible.add(FileManager.default.fileExists(atPath: path))
                    return true
                }
                #expect(visible.values.count >= 3)
                #expect(visible.values.allSatisfy { !$0 })
                #expect(FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test func `of a transfer that is abandoned, and of a file that became shorter, nothing is left`() async throws {
        try await withStore { store, root in
            try await withFile(pattern(9 << 20)) { file throws in
                await #expect(throws: ObjectStoreError.self) {
                    try await store.putIfAbsent(key, contentsOf: file, length: 9 << 20) { _ in false }
                }
                await #expect(throws: ObjectStoreError.self) {
                    try await store.putIfAbsent(key, contentsOf: file, length: (9 << 20) + 1) { _ in true }
                }
                #expect(try contents(of: root + "/.incoming").isEmpty)
            }
        }
    }

    @Test func `nothing is sent where the object exists`() async throws {
        try await withStore { store, _ in
            _ = try await store.putIfAbsent(key, [1])
            try await withFile(pattern(100)) { file in
                let progress = Recorder<Int64>()
                let outcome = try await store.putIfAbsent(key, contentsOf: file, length: 100) {
                    progress.add($0)
                    return true
                }
                #expect(outcome == .alreadyExists)
                #expect(progress.values.isEmpty)
                #expect(try await store.get(key, limit: 10) == [1])
            }
        }
    }
}
