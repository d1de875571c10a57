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
            .failed(key, .ioError), .gone("x"),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(errors.allSatisfy { !$0.description.isEmpty && !$0.description.contains("\n") })
        #expect(!ObjectStoreError.notFound(.path("a\nb")).description.contains("\n"))
    }
}
