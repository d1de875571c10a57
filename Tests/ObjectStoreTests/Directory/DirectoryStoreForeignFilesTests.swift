import Foundation
import ObjectStore
import SystemPackage
import Testing

/// Others may write to the store's folder: what they leave there does no harm.
struct DirectoryStoreForeignFilesTests {
    enum Foreign: CaseIterable { case folder, link }

    @Test(arguments: Foreign.allCases)
    func `an object that is not a plain file is damaged`(kind: Foreign) async throws {
        try await withStore { store, root in
            let path = root + "/log"
            switch kind {
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
            }
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.get(.path("log"), limit: 1 << 20)
            }
            guard case .corrupted = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `only plain files with a proper name are listed`() async throws {
        try await withStore { store, root in
            _ = try await store.putIfAbsent(.path("log/1"), [])
            let folder = root + "/log/"
            try FileManager.default.createSymbolicLink(atPath: folder + "link", withDestinationPath: "/etc")
            try #require(mkfifo(folder + "fifo", 0o600) == 0)
            let file = open(
                Array(folder.utf8CString.dropLast()) + [CChar(bitPattern: 0xff), 0], O_WRONLY | O_CREAT, 0o600)
            try #require(file >= 0)
            close(file)
            #expect(try await store.list(.path("log"), after: nil, limit: 9) == [.path("log/1")])
            #expect(try await store.list(.path("log/1"), after: nil, limit: 9).isEmpty)
        }
    }

    @Test func `a key below an object is not found`() async throws {
        try await withStore { store, _ in
            _ = try await store.putIfAbsent(.path("log"), [1])
            await #expect(throws: ObjectStoreError.notFound(.path("log/1"))) {
                try await store.get(.path("log/1"), limit: 1)
            }
            try await store.delete(.path("log/1"))
        }
    }

    @Test(arguments: [".docfs-cloud", ".incoming/x"])
    func `the store's own files are no objects`(name: String) async throws {
        try await withStore { store, _ in
            let key = ObjectKey.path(name)
            let refused = ObjectStoreError.failed(key, .invalidArgument)
            await #expect(throws: refused) { try await store.putIfAbsent(key, [1]) }
            await #expect(throws: refused) { try await store.get(key, limit: 9) }
            await #expect(throws: refused) { try await store.delete(key) }
            #expect(store.isPresent)
        }
    }

    @Test func `a store whose place a file has taken is unreachable`() async throws {
        try await withStore { store, root in
            _ = try await store.putIfAbsent(.path("log/1"), [1])
            try FileManager.default.removeItem(atPath: root)
            try Data().write(to: URL(filePath: root))
            let error = await #expect(throws: ObjectStoreError.self) { try await store.get(.path("log/1"), limit: 1) }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `the temporary file of a killed writer is removed after a day, and not before`() async throws {
        try await withStore { store, root in
            let incoming = root + "/.incoming/"
            for name in ["old", "new"] { try Data().write(to: URL(filePath: incoming + name)) }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: incoming + "old")
            _ = try DirectoryStore(root: root, creates: false)
            #expect(try contents(of: root + "/.incoming") == ["new"])
        }
    }
}
