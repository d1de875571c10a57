import Documents
import Foundation
import SystemPackage
import Testing

@testable import ObjectStore

/// The clock of the store is that of its file system, which may be a server's.
struct DirectoryStoreClockTests {
    private static let serverTime = Timestamp(seconds: 1_700_000_000, nanoseconds: 5)

    /// A file system on which what is made now gets that time.
    private let calls = FileSystemCalls(link: FileSystemCalls.system.link, modified: { _ in .success(Self.serverTime) })

    @Test func `the time is that of a file that is made now, and the file is removed`() async throws {
        try await withStore { _, root in
            let store = try DirectoryStore(root: root, creates: false, calls: calls)
            #expect(try await store.now() == Self.serverTime)
            #expect(try contents(of: root + "/.incoming").isEmpty)
        }
    }

    @Test func `a store that is away has no time`() async throws {
        try await withStore { store, root in
            try FileManager.default.removeItem(atPath: root)
            await #expect(throws: ObjectStoreError.unreachable("the folder \(root) is not there")) {
                try await store.now()
            }
        }
    }

    @Test func `an upload under way is not removed by a device whose clock is ahead`() async throws {
        try await withStore { _, root in
            let incoming = root + "/.incoming/"
            let ages = ["under way": 3_600, "left": 25 * 3_600]
            for (name, age) in ages {
                try Data().write(to: URL(filePath: incoming + name))
                let time = Date(timeIntervalSince1970: TimeInterval(Self.serverTime.seconds - age))
                try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: incoming + name)
            }
            // This machine's clock says that years have passed since.
            _ = try DirectoryStore(root: root, creates: false, calls: calls)
            #expect(try contents(of: root + "/.incoming") == ["under way"])
        }
    }

    @Test func `where the store cannot tell the time nothing is removed`() async throws {
        try await withStore { _, root in
            let file = root + "/.incoming/left"
            try Data().write(to: URL(filePath: file))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: file)
            let timeless = FileSystemCalls(link: FileSystemCalls.system.link, modified: { _ in .failure(.ioError) })
            _ = try DirectoryStore(root: root, creates: false, calls: timeless)
            #expect(try contents(of: root + "/.incoming") == ["left"])
        }
    }
}
