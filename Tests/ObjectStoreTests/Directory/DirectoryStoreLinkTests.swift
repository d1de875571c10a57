import Foundation
import ObjectStore
import SystemPackage
import Testing
import TestSupport

/// Others may write to the store's folder: a symbolic link that they put there leads nowhere.
struct DirectoryStoreLinkTests {
    private static let key = ObjectKey.path("documents/1/2/a.txt")

    /// Runs `body` with a store, and with a folder outside that looks like it and must stay as it is.
    private func withOutside(
        _ body: (DirectoryStore, _ root: String, _ outside: String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let (root, outside) = (folder + "/store", folder + "/outside")
            let store = try DirectoryStore(root: root, creates: true)
            _ = try await DirectoryStore(root: outside, creates: true).putIfAbsent(Self.key, [7])
            try Data().write(to: URL(filePath: outside + "/.incoming/old"))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: outside + "/.incoming/old")
            let before = try contents(of: outside)
            try await body(store, root, outside)
            #expect(try contents(of: outside) == before)
            #expect(try Data(contentsOf: URL(filePath: outside + "/" + Self.key.description)) == Data([7]))
        }
    }

    private func link(_ path: String, to target: String) throws {
        let above = String(path[..<path.lastIndex(of: "/")!])
        try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func expectRefusals(_ operations: [(String, () async throws -> Void)]) async {
        for (name, operation) in operations {
            let error = await #expect(throws: ObjectStoreError.self, "\(name)") { try await operation() }
            #expect(
                error?.description.contains("a symbolic link is on the way to ") == true,
                "\(name): \(String(describing: error))")
            #expect(error?.description.contains("\n") == false)
        }
    }

    @Test(arguments: ["documents", "documents/1", "documents/1/2"])
    func `a folder that is a link is not followed`(place: String) async throws {
        try await withOutside { store, root, outside in
            try link(root + "/" + place, to: outside + "/" + place)
            let other = try #require(ObjectKey("documents/1/2/b.txt"))
            try await withFile([1, 2, 3]) { file in
                await expectRefusals([
                    ("get", { _ = try await store.get(Self.key, limit: 10) }),
                    ("get range", { _ = try await store.get(Self.key, range: 0..<1) }),
                    ("modified", { _ = try await store.modified(Self.key) }),
                    ("delete", { try await store.delete(Self.key) }),
                    ("put", { _ = try await store.putIfAbsent(other, [1]) }),
                    ("put of what is there", { _ = try await store.putIfAbsent(Self.key, [1]) }),
                    ("put below", { _ = try await store.putIfAbsent(.path(place + "/new/c.txt"), [1]) }),
                    ("put file", { _ = try await store.putIfAbsent(other, contentsOf: file, length: 3) { _ in true } }),
                    ("list", { _ = try await store.list(.path(place), after: nil, limit: 10) }),
                ])
            }
            #expect(store.watch(.path(place), {}) == nil)
        }
    }

    @Test func `a link within the container is not followed either`() async throws {
        try await withStore { store, root in
            _ = try await store.putIfAbsent(.path("log/1"), [1])
            try link(root + "/documents", to: "log")
            await expectRefusals([("get", { _ = try await store.get(.path("documents/1"), limit: 10) })])
        }
    }

    @Test func `a listing passes by a link to a folder`() async throws {
        try await withOutside { store, root, outside in
            _ = try await store.putIfAbsent(.path("documents/0/x"), [1])
            try link(root + "/documents/1", to: outside + "/documents/1")
            #expect(try await store.list(.path("documents"), after: nil, limit: 10) == [.path("documents/0/x")])
        }
    }

    @Test func `an object that is a link is damaged, counts as sent by nobody, and goes without its target`()
        async throws
    {
        try await withOutside { store, root, outside in
            try link(root + "/" + Self.key.description, to: outside + "/" + Self.key.description)
            let damaged = ObjectStoreError.corrupted(Self.key, "it is not a plain file")
            await #expect(throws: damaged) { try await store.get(Self.key, limit: 10) }
            await #expect(throws: damaged) { try await store.modified(Self.key) }
            await #expect(throws: damaged) { try await store.putIfAbsent(Self.key, [1]) }
            try await store.delete(Self.key)
            #expect(try await store.putIfAbsent(Self.key, [1]) == .created)
        }
    }

    @Test func `a link to nothing makes nothing`() async throws {
        try await withOutside { store, root, outside in
            try link(root + "/log", to: outside + "/log")
            try link(root + "/documents/1/2/a.txt", to: outside + "/documents/1/2/b.txt")
            await expectRefusals([("put", { _ = try await store.putIfAbsent(.path("log/1"), [1]) })])
            await #expect(throws: ObjectStoreError.corrupted(Self.key, "it is not a plain file")) {
                try await store.putIfAbsent(Self.key, [1])
            }
            #expect(store.watch(.path("log"), {}) == nil)
        }
    }

    @Test func `nothing is written or removed through a link in place of the folder for what is on its way`()
        async throws
    {
        try await withOutside { store, root, outside in
            try FileManager.default.removeItem(atPath: root + "/.incoming")
            try link(root + "/.incoming", to: outside + "/.incoming")
            // It removes what is old.
            let again = try DirectoryStore(root: root, creates: true)
            await expectRefusals([
                ("put", { _ = try await again.putIfAbsent(Self.key, [1]) }),
                ("now", { _ = try await again.now() }),
                ("probe", { try await again.probe() }),
                ("recreate", { try await again.recreate() }),
            ])
        }
    }

    @Test func `a link is no mark of a store, and none is made through it`() async throws {
        try await withOutside { store, root, outside in
            try FileManager.default.removeItem(atPath: root + "/.docfs-cloud")
            try link(root + "/.docfs-cloud", to: outside + "/made")
            #expect(!store.isPresent)
            await expectRefusals([("recreate", { try await store.recreate() })])
            try FileManager.default.removeItem(atPath: root + "/.docfs-cloud")
            try link(root + "/.docfs-cloud", to: outside + "/.docfs-cloud")
            #expect(!store.isPresent)
            await expectRefusals([("recreate", { try await store.recreate() })])
        }
    }

    @Test func `the folder of the store may be reached by links`() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/disk/cloud", withIntermediateDirectories: true)
            try link(folder + "/by-link", to: "disk")
            let store = try DirectoryStore(root: folder + "/by-link/cloud", creates: true)
            #expect(try await store.putIfAbsent(Self.key, [1]) == .created)
            #expect(try await store.get(Self.key, limit: 1) == [1])
            #expect(try await store.list(.path("documents"), after: nil, limit: 9) == [Self.key])
            try link(folder + "/to-store", to: "disk/cloud")
            let other = try DirectoryStore(root: folder + "/to-store", creates: false)
            try await other.probe()
            try await other.delete(Self.key)
            await #expect(throws: ObjectStoreError.notFound(Self.key)) { try await store.get(Self.key, limit: 1) }
        }
    }
}
