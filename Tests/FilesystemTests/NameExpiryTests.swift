import Documents
import CFuse
import Catalog
@testable import Filesystem
import Testing

/// A message to the kernel that docfs lays out by itself.
@Suite struct NameExpiryTests {
    @Test func `the message has the layout of the kernel's headers`() {
        let message = NameExpiry.message("Plän.txt", in: InodeNumber(258))
        let name = Array("Plän.txt".utf8)
        let fixed = MemoryLayout<fuse_out_header>.size + MemoryLayout<fuse_notify_inval_entry_out>.size
        #expect(message.count == fixed + name.count + 1)
        message.withUnsafeBytes { bytes in
            let header = bytes.loadUnaligned(as: fuse_out_header.self)
            #expect(header.len == UInt32(message.count) && header.unique == 0)
            #expect(header.error == Int32(FUSE_NOTIFY_INVAL_ENTRY.rawValue))
            let entry = bytes.loadUnaligned(
                fromByteOffset: MemoryLayout<fuse_out_header>.size, as: fuse_notify_inval_entry_out.self)
            #expect(entry.parent == 258 && entry.namelen == UInt32(name.count))
        }
        #expect(Array(message.dropFirst(fixed)) == name + [0])
    }
}
