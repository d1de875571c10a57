import Foundation
import ObjectStore
import SystemPackage
import Testing

/// Objects made of a file's content.
struct DirectoryStoreTransferTests {
    private let key = ObjectKey.path("documents/1/2/film.mkv")

    @Test(arguments: [0, 1, 4 << 20, (9 << 20) + 13])
    func `an object has the content of the file, and progress adds up to its length`(count: Int) async throws {
        let content = pattern(count)
        try await withStore { store, root in
            try await withFile(content) { file in
                let progress = Recorder<Int64>()
                let outcome = try await store.putIfAbsent(key, contentsOf: file, length: Int64(count)) {
                    progress.add($0)
                    return true
                }
                #expect(outcome == .created)
                #expect(progress.values.reduce(0, +) == Int64(count))
                #expect(progress.values.allSatisfy { $0 > 0 })
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

    @Test(arguments: [1, 2])
    func `a transfer that is abandoned leaves nothing`(pieces: Int) async throws {
        try await withStore { store, root in
            try await withFile(pattern(9 << 20)) { file throws in
                let progress = Recorder<Int64>()
                await #expect(throws: ObjectStoreError.failed(key, .canceled)) {
                    try await store.putIfAbsent(key, contentsOf: file, length: 9 << 20) {
                        progress.add($0)
                        return progress.values.count < pieces
                    }
                }
                #expect(progress.values.count == pieces)
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, range: 0..<1) }
                #expect(try await store.list(.path("documents"), after: nil, limit: 10).isEmpty)
                #expect(try contents(of: root + "/.incoming").isEmpty)
                #expect(try await store.putIfAbsent(key, contentsOf: file, length: 9 << 20) { _ in true } == .created)
            }
        }
    }

    @Test func `a file that became shorter is no object`() async throws {
        try await withStore { store, root in
            try await withFile(pattern(100)) { file throws in
                let error = await #expect(throws: ObjectStoreError.self) {
                    try await store.putIfAbsent(key, contentsOf: file, length: 101) { _ in true }
                }
                guard case .corrupted(key, _) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, range: 0..<1) }
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
