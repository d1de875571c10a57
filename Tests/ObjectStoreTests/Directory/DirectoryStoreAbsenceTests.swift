import Foundation
import ObjectStore
import Testing
import TestSupport

/// A folder that is not there is unreachable; one that holds no container is gone, and is not filled: it may be the
/// mountpoint of a disk that is away.
struct DirectoryStoreAbsenceTests {
    private enum Absence { case unreachable, gone }

    /// Every operation of a store that is away.
    private func expect(_ absence: Absence, _ store: DirectoryStore) async throws {
        let key = ObjectKey.path("documents/1/2/a.txt")
        try await withFile([1, 2, 3]) { file in
            let operations: [(String, () async throws -> Void)] = [
                ("put", { _ = try await store.putIfAbsent(key, [1]) }),
                ("put file", { _ = try await store.putIfAbsent(key, contentsOf: file, length: 3) { _ in true } }),
                ("get", { _ = try await store.get(key, limit: 10) }),
                ("get range", { _ = try await store.get(key, range: 0..<1) }),
                ("list", { _ = try await store.list(.path("documents"), after: nil, limit: 10) }),
                ("delete", { try await store.delete(key) }),
                ("modified", { _ = try await store.modified(key) }),
                ("now", { _ = try await store.now() }),
                ("probe", { try await store.probe() }),
            ]
            for (name, operation) in operations {
                let error = await #expect(throws: ObjectStoreError.self, "\(name)") { try await operation() }
                switch (error, absence) {
                case (.unreachable, .unreachable), (.gone, .gone): continue
                default: Issue.record("\(name): \(String(describing: error))")
                }
            }
        }
    }

    @Test func `a folder that is not there is unreachable and is not made`() async throws {
        try await withTemporaryFolder { folder in
            if let store = try? DirectoryStore(root: folder + "/away", creates: false) {
                #expect(!store.isPresent)
                try await expect(.unreachable, store)
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
            try await expect(.unreachable, store)
            #expect(try contents(of: folder).isEmpty)
        }
    }

    @Test func `an empty mountpoint holds no container and stays empty`() async throws {
        try await withTemporaryFolder { folder in
            let mountpoint = folder + "/disk"
            try FileManager.default.createDirectory(atPath: mountpoint, withIntermediateDirectories: true)
            if let store = try? DirectoryStore(root: mountpoint, creates: false) { try await expect(.gone, store) }
            #expect(try contents(of: folder) == ["disk"])
        }
    }

    @Test func `a folder that only looks like a store holds no container and stays as it is`() async throws {
        try await withTemporaryFolder { folder in
            for name in [".incoming", "log", "documents"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/disk/" + name, withIntermediateDirectories: true)
            }
            if let store = try? DirectoryStore(root: folder + "/disk", creates: false) {
                try await expect(.gone, store)
            }
            #expect(try contents(of: folder + "/disk") == [".incoming", "log", "documents"])
        }
    }

    @Test func `a store that comes back is reachable again`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder + "/store", creates: true)
            _ = try await store.putIfAbsent(.path("log/1"), [1])
            try FileManager.default.moveItem(atPath: folder + "/store", toPath: folder + "/elsewhere")
            try await expect(.unreachable, store)
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

    // MARK: Making it anew

    @Test func `a store that was emptied is said to be, in one line that tells what to do`() async throws {
        try await withStore { store, root in
            _ = try await store.putIfAbsent(.path("log/1"), [1])
            for name in try FileManager.default.contentsOfDirectory(atPath: root) {
                try FileManager.default.removeItem(atPath: root + "/" + name)
            }
            #expect(!store.isPresent)
            try await expect(.gone, store)
            let error = await #expect(throws: ObjectStoreError.self) { try await store.get(.path("log/1"), limit: 1) }
            #expect(
                error?.description
                    == "the cloud folder \(root) holds no container: mount its disk, or, if it was emptied, "
                    + "make it anew with `docfs check --repair`")
        }
    }

    @Test(arguments: [true, false])
    func `who asks for it gets a store anew`(folderStays: Bool) async throws {
        try await withStore { store, root in
            try FileManager.default.removeItem(atPath: root)
            if folderStays { try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false) }
            try await store.recreate()
            #expect(store.isPresent)
            #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .created)
            #expect(try await store.get(.path("log/1"), limit: 1) == [1])
        }
    }

    @Test func `a store that is there is not changed by making it anew`() async throws {
        try await withStore { store, root in
            _ = try await store.putIfAbsent(.path("log/1"), [1])
            let before = try contents(of: root)
            try await store.recreate()
            #expect(try contents(of: root) == before)
            #expect(try await store.get(.path("log/1"), limit: 1) == [1])
        }
    }

    @Test(.enabled(if: getuid() != 0, "permissions do not bind the superuser"))
    func `a folder that may not be looked into is not taken for an emptied one`() async throws {
        try await withStore { store, root in
            try #require(chmod(root, 0) == 0)
            defer { chmod(root, 0o700) }
            try await expect(.unreachable, store)
        }
    }
}
