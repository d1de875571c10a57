import Documents
import Backing
import Catalog
import Glibc
@testable import Library
import SystemPackage
import TestSupport
import Testing

/// The table of open files.
struct OpenFilesTests {
    private static let inode = InodeNumber(17)

    /// A file that is open in a table, its handle's number, and the table.
    private static func openFile(in files: OpenFiles) throws -> (file: OpenFile, handle: UInt64) {
        let descriptor = Descriptor(open("/dev/null", O_RDONLY))
        let file = OpenFile(inode: inode, descriptor: descriptor)
        return (file, files.add(Handle(file: file, canWrite: false)))
    }

    @Test func `an open file takes another handle`() throws {
        let files = OpenFiles()
        let (file, first) = try Self.openFile(in: files)
        let second = try #require(files.addAnother(Handle(file: file, canWrite: false)))
        #expect(files.remove(first, at: .now)?.isLastHandle == false)
        #expect(files.remove(second, at: .now)?.isLastHandle == true)
    }

    /// Otherwise a rename over the file, which found nothing open, would not have marked it as unlinked, and fstat(2) of the handle would
    /// be answered with ESTALE.
    @Test func `a file that was closed meanwhile takes no other handle`() async throws {
        let files = OpenFiles()
        let (file, handle) = try Self.openFile(in: files)
        #expect(files.remove(handle, at: .now)?.isLastHandle == true)
        try await withDevice { device in
            try device.library.store.write { files.detach(Self.inode, $0) }
        }
        #expect(files.addAnother(Handle(file: file, canWrite: false)) == nil)
        #expect(!files.isOpen(Self.inode))
    }
}
