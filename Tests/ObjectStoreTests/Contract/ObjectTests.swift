import ObjectStore
import Testing
import TestSupport

/// The promises of every store about single objects.
struct ObjectTests {
    @Test(arguments: TestedStore.allCases)
    func `an object is created once and never changed`(tested: TestedStore) async throws {
        try await tested.run { store async throws in
            #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .created)
            #expect(try await store.putIfAbsent(.path("log/1"), [2]) == .alreadyExists)
            #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .alreadyExists)
            #expect(try await store.get(.path("log/1"), limit: 10) == [1])
        }
    }

    @Test(arguments: TestedStore.allCases, 1...5)
    func `of 16 that create one key exactly one succeeds`(tested: TestedStore, round: Int) async throws {
        try await tested.run { store in
            let key = ObjectKey.path("documents/new folder \(round)/log")
            let winners = try await withThrowingTaskGroup(of: (UInt8, PutOutcome).self) { group in
                for writer in 1...16 as ClosedRange<UInt8> {
                    group.addTask {
                        (writer, try await store.putIfAbsent(key, [UInt8](repeating: writer, count: 5000)))
                    }
                }
                return try await group.reduce(into: [UInt8]()) { if $1.1 == .created { $0.append($1.0) } }
            }
            try #require(winners.count == 1)
            #expect(try await store.get(key, limit: 5000) == [UInt8](repeating: winners[0], count: 5000))
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `names that differ only in how a character is spelled are two objects`(tested: TestedStore) async throws {
        try await tested.run { store async throws in
            #expect(try await store.putIfAbsent(.path("caf\u{e9}"), [1]) == .created)
            #expect(try await store.putIfAbsent(.path("cafe\u{301}"), [2]) == .created)
            #expect(try await store.get(.path("caf\u{e9}"), limit: 1) == [1])
            #expect(try await store.get(.path("cafe\u{301}"), limit: 1) == [2])
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `the store's clock is the one by which objects were made`(tested: TestedStore) async throws {
        try await tested.run { store async throws in
            let before = try await store.now()
            _ = try await store.putIfAbsent(.path("log/1"), [1])
            let made = try await store.modified(.path("log/1"))
            let after = try await store.now()
            #expect(before <= made && made <= after)
        }
    }

    static let names = [
        "a b", " a", "a ", "+", "a+b", "%", "%41", "%2F", "#", "?", "?x=1&y=2", "&<>\"'", "\n", "a\r\nb", "\t", "\u{1}",
        "\u{7f}",
        "😀", "ü", "日本語.txt", "*~()!$,;:@=", "...", "..a", ".hidden", "~", "a\\", "\\", "a\\b", "%5C", "%25", "%255C\\",
        "[a]{b}|^`", String(repeating: "x", count: 240),
        String(repeating: "é", count: 120),
    ]

    @Test(arguments: TestedStore.allCases, names)
    func `any name is a key`(tested: TestedStore, name: String) async throws {
        // A folder first: the stores keep names that begin with a dot at the top for themselves.
        let key = try #require(ObjectKey(["documents", name, name]))
        try await tested.run { store async throws in
            #expect(try await store.putIfAbsent(key, Array(name.utf8)) == .created)
            #expect(try await store.putIfAbsent(key, [1]) == .alreadyExists)
            #expect(try await store.get(key, limit: 240) == Array(name.utf8))
            #expect(try await store.get(key, range: 0..<1) == [name.utf8.first!])
            #expect(try await store.list(.path("documents"), after: nil, limit: 10) == [key])
            try await store.delete(key)
            await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, limit: 1) }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `an object that does not exist is not found`(tested: TestedStore) async throws {
        try await tested.run { store in
            for key in [ObjectKey.path("a"), .path("a/b/c")] {
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, limit: 10) }
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, range: 0..<10) }
                await #expect(throws: ObjectStoreError.notFound(key)) { try await store.get(key, range: 0..<0) }
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `a range is shorter than asked for only at the object's end`(tested: TestedStore) async throws {
        let ranges: [(Range<Int64>, Range<Int>)] = [
            (0..<10, 0..<10), (0..<4, 0..<4), (3..<7, 3..<7), (9..<10, 9..<10), (6..<100, 6..<10), (10..<20, 10..<10),
            (50..<60, 10..<10), (4..<4, 4..<4), (0..<0, 0..<0),
        ]
        try await tested.run { store in
            let content = pattern(10)
            _ = try await store.putIfAbsent(.path("a"), content)
            for (range, expected) in ranges {
                #expect(try await store.get(.path("a"), range: range) == Array(content[expected]), "\(range)")
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `a whole object is read up to a limit`(tested: TestedStore) async throws {
        try await tested.run { store in
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

    @Test(arguments: TestedStore.allCases)
    func `an object may be empty`(tested: TestedStore) async throws {
        try await tested.run { store async throws in
            #expect(try await store.putIfAbsent(.path("a"), []) == .created)
            #expect(try await store.get(.path("a"), limit: 0) == [])
            #expect(try await store.get(.path("a"), range: 0..<10) == [])
            #expect(try await store.putIfAbsent(.path("a"), [1]) == .alreadyExists)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `a deleted object is gone, and deleting what is not there is fine`(tested: TestedStore) async throws {
        try await tested.run { store in
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
}
