import CFuse
import Catalog
import Library

/// The kernel's inode numbers: an entry's is its row's, a virtual state file's has one bit more.
extension Node {
    private static let stateBit: UInt64 = 1 << 62

    init(number: fuse_ino_t) {
        self =
            number & Self.stateBit == 0
            ? .entry(InodeNumber(Int64(number))) : .state(of: InodeNumber(Int64(number & ~Self.stateBit)))
    }

    var number: fuse_ino_t {
        switch self {
        case .entry(let inode): fuse_ino_t(inode.number)
        case .state(let inode): fuse_ino_t(inode.number) | Self.stateBit
        }
    }
}
