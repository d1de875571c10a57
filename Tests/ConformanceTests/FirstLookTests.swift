import MountSupport
import SystemPackage
import Testing

@testable import docfs

/// What `docfs browse` shows of a folder with very many documents until all of it is read.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct FirstLookTests {
    @Test(arguments: MountSupport.Listing.allCases)
    func `the beginning of a large folder is what its state begins with`(listing: MountSupport.Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.local / "Many"
            try folder.makeFolder()
            try (folder / "Inner").makeFolder()
            for number in 1..<FirstLook.count { try (folder / "Note \(number).txt").create() }
            let look = try #require(try FirstLook(folder.string))
            #expect(look.folders == [(folder / "Inner").string])
            #expect(look.lines == (try FolderStateLine.read(folder.string)))
            for number in FirstLook.count...300 { try (folder / "Note \(number).txt").create() }
            let larger = try #require(try FirstLook(folder.string))
            #expect(larger.lines.count == FirstLook.count - 1)
            #expect(larger.lines == Array(try FolderStateLine.read(folder.string).prefix(larger.lines.count)))
            let small = try FirstLook(device.local.string)
            #expect(small?.lines.count == nil)
        }
    }
}
