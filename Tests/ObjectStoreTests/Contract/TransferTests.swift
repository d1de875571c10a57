import ObjectStore
import SystemPackage
import Testing
import TestSupport

/// The promises of every store about objects that are made from a file's content.
struct TransferTests {
    private let key = ObjectKey.path("documents/1/2/film.mkv")

    /// The whole object, in pieces as a download asks for them.
    private func content(_ store: any ObjectStore, _ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: count, by: 4 << 20) {
            bytes += try await store.get(key, range: Int64(start)..<Int64(min(count, start + 4 << 20)))
        }
        return bytes
    }

    @Test(arguments: TestedStore.allCases, [0, 1, 4 << 20, (9 << 20) + 13])
    func `an object has the content of the file, and progress adds up to its length`(
        tested: TestedStore, count: Int
    ) async throws {
        try await tested.run { store in
            try await withFile(pattern(count)) { file in
                let progress = Recorder<Int64>()
                let outcome = try await store.putIfAbsent(key, contentsOf: file, length: Int64(count)) {
                    progress.add($0)
                    return true
                }
                #expect(outcome == .created)
                #expect(progress.values.reduce(0, +) == Int64(count))
                #expect(progress.values.allSatisfy { $0 > 0 })
                #expect(try await content(store, count) == pattern(count))
                #expect(try await store.putIfAbsent(key, [1]) == .alreadyExists)
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `only the first bytes of a file that has become longer are sent`(tested: TestedStore) async throws {
        try await tested.run { store in
            try await withFile(pattern(1000)) { file throws in
                #expect(try await store.putIfAbsent(key, contentsOf: file, length: 600) { _ in true } == .created)
                #expect(try await store.get(key, limit: 1000) == pattern(600))
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `the content is read from the beginning, whatever the file's offset`(tested: TestedStore) async throws {
        try await tested.run { store in
            try await withFile(pattern(100)) { file throws in
                try file.seek(offset: 40, from: .start)
                #expect(try await store.putIfAbsent(key, contentsOf: file, length: 100) { _ in true } == .created)
                #expect(try await store.get(key, limit: 100) == pattern(100))
                #expect(try file.seek(offset: 0, from: .current) == 40)
            }
        }
    }

    @Test(arguments: TestedStore.allCases, [1, 2])
    func `a transfer that is abandoned leaves nothing`(tested: TestedStore, pieces: Int) async throws {
        try await tested.run { store in
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
                #expect(try await store.putIfAbsent(key, contentsOf: file, length: 9 << 20) { _ in true } == .created)
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `a file that became shorter is no object`(tested: TestedStore) async throws {
        try await tested.run { store in
            try await withFile(pattern(100)) { file throws in
                let error = await #expect(throws: ObjectStoreError.self) {
                    try await store.putIfAbsent(key, contentsOf: file, length: 101) { _ in true }
                }
                guard case .corrupted(key, _) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, range: 0..<1) }
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `an object that exists stays as it is`(tested: TestedStore) async throws {
        try await tested.run { store in
            _ = try await store.putIfAbsent(key, [1])
            try await withFile(pattern(100)) { file throws in
                #expect(try await store.putIfAbsent(key, contentsOf: file, length: 100) { _ in true } == .alreadyExists)
                #expect(try await store.get(key, limit: 10) == [1])
            }
        }
    }
}
