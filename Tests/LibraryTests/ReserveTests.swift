import Backing
import Glibc
import Testing

/// How much room a store has, by what statfs(2) says of its disk.
struct ReserveTests {
    /// - Parameter own: blocks that ext4 reserves for itself. It says so only by what is missing in `available`.
    private func disk(blocks: UInt, available: UInt, forRoot: UInt = 0, own: UInt, blockSize: UInt) -> statvfs {
        var status = statvfs()
        (status.f_frsize, status.f_blocks) = (blockSize, fsblkcnt_t(blocks))
        (status.f_bfree, status.f_bavail) = (fsblkcnt_t(available + forRoot + own), fsblkcnt_t(available))
        return status
    }

    /// `mkfs.ext4 -m 0` on 128 MiB: 131,072 blocks, of which statfs(2) leaves out those of the tables and the journal.
    @Test(arguments: [true, false]) func `no more is free than there is, on a small disk either`(isRoot: Bool) {
        let full = disk(blocks: 117_203, available: 230, own: 2621, blockSize: 1024)
        #expect(Reserve.free(full, isRoot: isRoot) == 230 << 10)
    }

    @Test func `root has the blocks that are reserved for it`() {
        let full = disk(blocks: 10_000_000, available: 0, forRoot: 500_000, own: 4096, blockSize: 4096)
        #expect(Reserve.free(full, isRoot: true) == 500_000 * 4096)
        #expect(Reserve.free(full, isRoot: false) == 0)
    }

    @Test(arguments: [true, false]) func `a file system that has 16 EiB has much room`(isRoot: Bool) {
        let vast = disk(blocks: .max, available: .max - 4096, own: 4096, blockSize: 1 << 20)
        #expect(Reserve.free(vast, isRoot: isRoot) >= 1 << 60)
    }
}
