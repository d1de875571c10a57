import Backing
import Catalog
@testable import Library
import Testing

/// The times of folders that several devices change (PRODUCT 10).
@Suite(.timeLimit(.minutes(2)))
struct FolderTimeTests {
    @Test func `a folder in which two devices change something at once has the time of the later change`() async throws
    {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("Folder")
            try laptop.create("A.txt", "a", in: folder)
            try await laptop.push()
            try await phone.pull()
            try phone.create("B.txt", "b", in: phone.inode("Folder"))
            try await phone.push()
            try laptop.create("C.txt", "c", in: folder)
            let time = { try laptop.library.attributes(of: .entry(folder)).modified }
            let before = try time()
            // Its commit comes second, after that of the phone.
            try await laptop.push()
            let after = try time()
            #expect(after >= before)
            try await phone.pull()
            #expect(try phone.library.attributes(of: .entry(phone.inode("Folder"))).modified == after)
        }
    }
}
