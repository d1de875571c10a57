import Documents
import Foundation
import SystemPackage
import Testing
import TestSupport

@testable import ObjectStore

/// Where link(2) does not keep the one condition of the store, no container is made or used.
struct DirectoryStoreHardLinkTests {
    private func calls(_ link: @escaping @Sendable (FolderName, FolderName) -> Errno?) -> FileSystemCalls {
        FileSystemCalls(link: link, modified: FileSystemCalls.system.modified)
    }

    private func expectUnusable(_ error: ObjectStoreError?, naming words: [String]) {
        guard case .unusable(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        for word in words + ["choose a folder on another file system"] { #expect(reason.contains(word), "\(reason)") }
        #expect(!reason.contains("\n"))
    }

    @Test func `a store on a file system with hard links passes, and nothing of the probe stays`() async throws {
        try await withStore { store, root in
            try await store.probe()
            #expect(try contents(of: root) == [".incoming", ".docfs-cloud"])
        }
    }

    @Test(arguments: [Errno.notPermitted, .notSupported, .noFunction, .tooManyLinks])
    func `a folder on a file system without hard links does not become a container`(refusal: Errno) throws {
        try withTemporaryFolder { folder throws in
            let root = folder + "/container"
            let error = #expect(throws: ObjectStoreError.self) {
                try DirectoryStore(root: root, creates: true, calls: calls { _, _ in refusal })
            }
            expectUnusable(error, naming: [root, "no hard links", "link(2): \(refusal)"])
            #expect(try contents(of: folder) == ["container"])
        }
    }

    @Test func `a container that was brought to such a file system is not used there`() async throws {
        try await withStore { _, root in
            let moved = try DirectoryStore(root: root, creates: false, calls: calls { _, _ in .notPermitted })
            let words = [root, "no hard links"]
            expectUnusable(await #expect(throws: ObjectStoreError.self) { try await moved.probe() }, naming: words)
            expectUnusable(
                await #expect(throws: ObjectStoreError.self) { try await moved.putIfAbsent(.path("log/1"), [1]) },
                naming: words)
            #expect(try contents(of: root + "/.incoming").isEmpty)
        }
    }

    @Test func `a file system that gives one name twice is refused`() async throws {
        try await withStore { _, root in
            let careless = try DirectoryStore(root: root, creates: false, calls: calls { _, _ in nil })
            expectUnusable(
                await #expect(throws: ObjectStoreError.self) { try await careless.probe() },
                naming: [root, "two devices could overwrite each other"])
        }
    }

    @Test func `any other failure leaves the question open`() async throws {
        try await withStore { _, root in
            let broken = try DirectoryStore(root: root, creates: false, calls: calls { _, _ in .ioError })
            await #expect(throws: ObjectStoreError.failed(.path("probe"), .ioError)) { try await broken.probe() }
            let away = try DirectoryStore(root: root + "/away", creates: false)
            await #expect(throws: ObjectStoreError.unreachable("the folder \(root)/away is not there")) {
                try await away.probe()
            }
        }
    }
}
