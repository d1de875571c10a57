import ObjectStore
import Testing

/// The promises of every store about its listings.
struct ListingTests {
    private func fill(_ store: any ObjectStore, _ keys: [String]) async throws {
        for key in keys { _ = try await store.putIfAbsent(.path(key), [1]) }
    }

    @Test(arguments: TestedStore.allCases)
    func `keys are listed in ascending order of their bytes`(tested: TestedStore) async throws {
        try await tested.run { store in
            let keys = ["p/A", "p/a-b", "p/a.txt", "p/a/b", "p/a0", "p/cafe\u{301}", "p/caf\u{e9}"]
            try await fill(store, keys.reversed())
            #expect(try await store.list(.path("p"), after: nil, limit: 100) == keys.map(ObjectKey.path))
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `the listed keys are below the prefix, to any depth`(tested: TestedStore) async throws {
        try await tested.run { store in
            try await fill(store, ["log/2", "log/1", "logs/3", "log2/4", "documents/1/2/a.txt", "documents/1/3/a.txt"])
            #expect(try await store.list(.path("log"), after: nil, limit: 100) == [.path("log/1"), .path("log/2")])
            #expect(
                try await store.list(.path("documents"), after: nil, limit: 100)
                    == [.path("documents/1/2/a.txt"), .path("documents/1/3/a.txt")])
            #expect(
                try await store.list(.path("documents/1/3"), after: nil, limit: 100) == [.path("documents/1/3/a.txt")])
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `a listing goes on after a key, and ends at a limit`(tested: TestedStore) async throws {
        try await tested.run { store in
            try await fill(store, (1...9).map { "log/\($0)" })
            #expect(try await store.list(.path("log"), after: nil, limit: 2) == [.path("log/1"), .path("log/2")])
            #expect(
                try await store.list(.path("log"), after: .path("log/2"), limit: 3)
                    == [.path("log/3"), .path("log/4"), .path("log/5")])
            #expect(
                try await store.list(.path("log"), after: .path("log/25"), limit: 1) == [.path("log/3")])
            #expect(try await store.list(.path("log"), after: .path("log/9"), limit: 3).isEmpty)
            #expect(try await store.list(.path("log"), after: nil, limit: 0).isEmpty)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `below a prefix that nothing has there is nothing`(tested: TestedStore) async throws {
        try await tested.run { store async throws in
            #expect(try await store.list(.path("log"), after: nil, limit: 10).isEmpty)
            #expect(try await store.list(.path("documents/1/2"), after: nil, limit: 10).isEmpty)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `a folder that was emptied lists nothing`(tested: TestedStore) async throws {
        try await tested.run { store in
            try await fill(store, ["log/1"])
            try await store.delete(.path("log/1"))
            #expect(try await store.list(.path("log"), after: nil, limit: 10).isEmpty)
        }
    }
}
