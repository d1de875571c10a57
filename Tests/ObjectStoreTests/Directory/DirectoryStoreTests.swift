import Foundation
@testable import ObjectStore
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
            .notFound(key), .unreachable("x"), .unauthorized("x"), .forbidden("x"), .outOfSpace, .unusable("x"),
            .corrupted(key, "x"),
            .failed(key, .ioError), .gone("x"),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(errors.allSatisfy { !$0.description.isEmpty && !$0.description.contains("\n") })
        #expect(!ObjectStoreError.notFound(.path("a\nb")).description.contains("\n"))
    }

    @Test(arguments: [Errno.permissionDenied, .notPermitted, .readOnlyFileSystem])
    func `a folder that may not be written is told as that, and not as refused credentials`(_ errno: Errno) async throws
    {
        try await withStore { store, root in
            let reason = store.failure(.path("log/1"), errno.rawValue).description
            #expect(reason.contains("\(root)/log/1: \(errno)"))
            #expect(!reason.contains("credentials"))
        }
    }

    @Test func `page by page a listing gives every key once, in the order of bytes, folders among their siblings`()
        async throws
    {
        try await withStore { store, _ in
            var names: [String] = []
            for name in ["a", "a.b", "a!", "a0", "B", "\u{e9}", "a-"] {
                for inner in ["x", "x.y/z", "x/1", "x/10", "x-1"] where inner != "x" || name == "B" {
                    names.append("top/\(name)/\(inner)")
                }
                names.append("top/\(name) file")
            }
            // A folder is not an object.
            let keys = names.filter { name in !names.contains { $0.hasPrefix(name + "/") } }.map { ObjectKey.path($0) }
            for key in keys { _ = try await store.putIfAbsent(key, [1]) }
            for limit in 1...5 {
                var found: [ObjectKey] = []
                while true {
                    let page = try await store.list(try #require(ObjectKey("top")), after: found.last, limit: limit)
                    found += page
                    if page.count < limit { break }
                }
                #expect(found == keys.sorted())
            }
            // After keys that are not there: beside the folder, above it, in it, and below an object.
            let others = [
                "a", "top", "top/", "top/a", "top/a/x", "top/a/x/1/2", "top/a.b/x.y/z/", "top/a0/x0", "top/a~", "top/b",
                "top/zz", "top0", "z",
            ].map { ObjectKey(valid: $0.split(separator: "/", omittingEmptySubsequences: false).map(String.init)) }
            for after in keys + others {
                for limit in [1, 100] {
                    let expected = keys.sorted().filter { after < $0 }.prefix(limit)
                    let page = try await store.list(.path("top"), after: after, limit: limit)
                    #expect(page == Array(expected), "\(after)")
                }
            }
        }
    }
}
