import Foundation
import ObjectStore
import Testing
import TestSupport

/// A disk that is not mounted is unreachable, and its empty mountpoint is not filled.
struct DirectoryStoreAbsenceTests {
    /// Every operation of a store that is away.
    private func expectUnreachable(_ store: DirectoryStore) async throws {
        let key = ObjectKey.path("documents/1/2/a.txt")
        try await withFile([1, 2, 3]) { file in
            let operations: [(String, () async throws -> Void)] = [
                ("put", { _ = try await store.putIfAbsent(key, [1]) }),
                ("put file", { _ = try await store.putIfAbsent(key, contentsOf: file, length: 3) { _ in true } }),
                ("get", { _ = try await store.get(key, limit: 10) }),
                ("get range", { _ = try await store.get(key, range: 0..<1) }),
                ("list", { _ = try await store.list(.path("documents"), after: nil, limit: 10) }),
                ("delete", { try await store.delete(key) }),
            ]
            for (name, operation) in operations {
                let error = await #expect(throws: ObjectStoreError.self, "\(name)") { try await operation() }
                guard case .unreachable = error else {
                    Issue.record("\(name): \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test func `a folder that is not there is unreachable and is not made`() async throws {
        try await withTemporaryFolder { folder in
            if let store = try? DirectoryStore(root: folder + "/away", creates: false) {
                #expect(!store.isPresent)
                try await expectUnreachable(store)
            }
            #expect(try contents(of: folder).isEmpty)
        }
    }

    @Test func `a store whose folder went away is unreachable and is not made again`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder + "/store", creates: true)
            _ = try await store.putIfAbsent(.path("documents/1/2/a.txt"), [1])
            #expect(store.isPresent)
            try FileManager.default.removeItem(atPath: folder + "/store")
            #expect(!store.isPresent)
            try await expectUnreachable(store)
            #expect(try contents(of: folder).isEmpty)
        }
    }

    @Test func `an empty mountpoint is unreachable and stays empty`() async throws {
        try await withTemporaryFolder { folder in
            let mountpoint = folder + "/disk"
            try FileManager.default.createDirectory(atPath: mountpoint, withIntermediateDirectories: true)
            if let store = try? DirectoryStore(root: mountpoint, creates: false) { try await expectUnreachable(store) }
            #expect(try contents(of: folder) == ["disk"])
        }
    }

    @Test func `a folder that only looks like a store is unreachable and stays as it is`() async throws {
        try await withTemporaryFolder { folder in
            for name in [".incoming", "log", "documents"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/disk/" + name, withIntermediateDirectories: true)
            }
            if let store = try? DirectoryStore(root: folder + "/disk", creates: false) {
                try await expectUnreachable(store)
            }
            #expect(try contents(of: folder + "/disk") == [".incoming", "log", "documents"])
        }
    }

    @Test func `a store that comes back is reachable again`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder + "/store", creates: true)
            _ = try await store.putIfAbsent(.path("log/1"), [1])
            try FileManager.default.moveItem(atPath: folder + "/store", toPath: folder + "/elsewhere")
            try await expectUnreachable(store)
            try FileManager.default.moveItem(atPath: folder + "/elsewhere", toPath: folder + "/store")
            #expect(store.isPresent)
            #expect(try await store.get(.path("log/1"), limit: 1) == [1])
            #expect(try await store.putIfAbsent(.path("log/2"), [2]) == .created)
        }
    }

    @Test func `a store is made with the folders above it`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder + "/a/b/c", creates: true)
            #expect(store.isPresent)
            #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .created)
        }
    }

    @Test func `a store that cannot be made is unreachable`() throws {
        try withTemporaryFolder { folder in
            try Data().write(to: URL(fileURLWithPath: folder + "/file"))
            let error = #expect(throws: ObjectStoreError.self) {
                try DirectoryStore(root: folder + "/file/store", creates: true)
            }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
