import Foundation
import ObjectStore
import SystemPackage
import Testing

/// Objects as files: created once, read whole and in part, deleted.
struct DirectoryStoreTests {
    @Test func `an object is a plain file under its key`() async throws {
        try await withStore { store, root async throws in
            #expect(try await store.putIfAbsent(.path("documents/1/2/Groceries.txt"), Array("milk".utf8)) == .created)
            let file = URL(fileURLWithPath: root + "/documents/1/2/Groceries.txt")
            #expect(try Data(contentsOf: file) == Data("milk".utf8))
            #expect(try await store.get(.path("documents/1/2/Groceries.txt"), limit: 4) == Array("milk".utf8))
        }
    }

    @Test func `an object is created once and never changed`() async throws {
        try await withStore { store, _ async throws in
            #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .created)
            #expect(try await store.putIfAbsent(.path("log/1"), [2]) == .alreadyExists)
            #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .alreadyExists)
            #expect(try await store.get(.path("log/1"), limit: 10) == [1])
        }
    }

    @Test(arguments: 1...10)
    func `of 16 that create one key exactly one succeeds`(round: Int) async throws {
        try await withStore { store, root in
            let key = ObjectKey.path("documents/new folder \(round)/log")
            let winners = try await withThrowingTaskGroup(of: (UInt8, PutOutcome).self) { group in
                for writer in 1...16 as ClosedRange<UInt8> {
                    group.addTask { (writer, try await store.putIfAbsent(key, [UInt8](repeating: writer, count: 5000))) }
                }
                return try await group.reduce(into: [UInt8]()) { if $1.1 == .created { $0.append($1.0) } }
            }
            try #require(winners.count == 1)
            #expect(try await store.get(key, limit: 5000) == [UInt8](repeating: winners[0], count: 5000))
            #expect(try contents(of: root + "/.incoming").isEmpty)
        }
    }

    @Test func `names that differ only in how a character is spelled are two objects`() async throws {
        try await withStore { store, _ async throws in
            #expect(try await store.putIfAbsent(.path("caf\u{e9}"), [1]) == .created)
            #expect(try await store.putIfAbsent(.path("cafe\u{301}"), [2]) == .created)
            #expect(try await store.get(.path("caf\u{e9}"), limit: 1) == [1])
            #expect(try await store.get(.path("cafe\u{301}"), limit: 1) == [2])
        }
    }

    @Test func `what is not there is not found`() async throws {
        try await withStore { store, _ in
            for key in [ObjectKey.path("a"), .path("a/b/c")] {
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, limit: 10) }
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, range: 0..<10) }
            }
        }
    }

    @Test(arguments: [
        (0..<10, 0..<10), (0..<4, 0..<4), (3..<7, 3..<7), (9..<10, 9..<10), (6..<100, 6..<10), (10..<20, 10..<10),
        (50..<60, 10..<10), (4..<4, 4..<4), (0..<0, 0..<0),
    ] as [(Range<Int64>, Range<Int>)])
    func `a range is shorter than asked for only at the object's end`(
        range: Range<Int64>, expected: Range<Int>
    ) async throws {
        try await withStore { store, _ in
            let content = pattern(10)
            _ = try await store.putIfAbsent(.path("a"), content)
            #expect(try await store.get(.path("a"), range: range) == Array(content[expected]))
        }
    }

    @Test func `a whole object is read up to a limit`() async throws {
        try await withStore { store, _ in
            let key = ObjectKey.path("log/1")
            _ = try await store.putIfAbsent(key, pattern(10))
            #expect(try await store.get(key, limit: 11) == pattern(10))
            #expect(try await store.get(key, limit: 10) == pattern(10))
            for limit in [9, 0] {
                let error = await #expect(throws: ObjectStoreError.self) { try await store.get(key, limit: limit) }
                guard case .corrupted(key, _) = error else {
                    Issue.record("\(String(describing: error)) at \(limit)")
                    continue
                }
            }
        }
    }

    @Test func `an object may be empty`() async throws {
        try await withStore { store, _ async throws in
            #expect(try await store.putIfAbsent(.path("a"), []) == .created)
            #expect(try await store.get(.path("a"), limit: 0) == [])
            #expect(try await store.get(.path("a"), range: 0..<10) == [])
            #expect(try await store.putIfAbsent(.path("a"), [1]) == .alreadyExists)
        }
    }

    @Test func `a deleted object is gone, and deleting what is not there is fine`() async throws {
        try await withStore { store, _ in
            let key = ObjectKey.path("documents/1/2/a.txt")
            _ = try await store.putIfAbsent(key, [1])
            _ = try await store.putIfAbsent(.path("documents/1/2/b.txt"), [2])
            try await store.delete(key)
            await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, limit: 10) }
            try await store.delete(key)
            try await store.delete(.path("never/was/there"))
            #expect(try await store.get(.path("documents/1/2/b.txt"), limit: 10) == [2])
            #expect(try await store.putIfAbsent(key, [3]) == .created)
        }
    }

    @Test func `two who open one folder see one store`() async throws {
        try await withStore { store, root in
            let other = try DirectoryStore(root: root, creates: false)
            #expect(try await other.putIfAbsent(.path("log/1"), [1]) == .created)
            #expect(try await store.get(.path("log/1"), limit: 10) == [1])
            #expect(try await store.putIfAbsent(.path("log/1"), [2]) == .alreadyExists)
            let again = try DirectoryStore(root: root, creates: true)
            #expect(try await again.get(.path("log/1"), limit: 10) == [1])
        }
    }

    @Test func `an error is one line for a person`() {
        let key = ObjectKey.path("log/1")
        let errors: [ObjectStoreError] = [
            .notFound(key), .unreachable("x"), .unauthorized("x"), .outOfSpace, .unusable("x"), .corrupted(key, "x"),
            .failed(key, .ioError),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(errors.allSatisfy { !$0.description.isEmpty && !$0.description.contains("\n") })
    }
}
