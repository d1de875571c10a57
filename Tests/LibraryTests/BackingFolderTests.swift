import Backing
import SystemPackage
import TestSupport
import Testing

/// Whether a file is in a folder of the store.
struct BackingFolderTests {
    @Test func `only a file that is not there counts as absent`() throws {
        try withTemporaryFolder { path throws in
            let folder = try BackingFolder.open(path: path)
            try folder.makeFolder("present", mode: 0o700)
            #expect(try folder.exists("present"))
            #expect(try folder.statusIfPresent("present") != nil)
            #expect(try !folder.exists("absent"))
            #expect(try folder.statusIfPresent("absent") == nil)
            #expect(try folder.identifyIfPresent("present") != nil)
            #expect(try folder.identifyIfPresent("absent") == nil)
            // An error that says nothing about a file.
            let tooLong = String(repeating: "n", count: 256)
            #expect(throws: Errno.fileNameTooLong) { try folder.exists(tooLong) }
            #expect(throws: Errno.fileNameTooLong) { try folder.statusIfPresent(tooLong) }
            #expect(throws: Errno.fileNameTooLong) { try folder.identifyIfPresent(tooLong) }
        }
    }
}
