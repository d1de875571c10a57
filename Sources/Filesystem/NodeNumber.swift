import CFuse
import Catalog
import Documents
import Library

/// The kernel's inode numbers: an entry's is its row's, that of a virtual file or folder beside it has
/// one bit more.
extension Node {
    private static let stateBit: UInt64 = 1 << 62
    private static let conflictsBit: UInt64 = 1 << 61
    private static let historyBit: UInt64 = 1 << 60
    private static let orderBit: UInt64 = 1 << 58
    private static let actionsBit: UInt64 = 1 << 57
    private static let locationBit: UInt64 = 1 << 56

    private static let trashBit: UInt64 = 1 << 55

    private static let virtualBits =
        stateBit | conflictsBit | historyBit | orderBit | actionsBit | locationBit | trashBit

    init(number: fuse_ino_t) {
        let inode = InodeNumber(Int64(number & ~Self.virtualBits))
        self =
            switch number & Self.virtualBits {
            case 0: inode.isVersion ? .version(inode) : .entry(inode)
            case Self.stateBit: .state(of: inode)
            case Self.conflictsBit: .versions(.conflicts, of: inode)
            case Self.historyBit: .versions(.history, of: inode)
            case Self.orderBit: .order(of: inode)
            case Self.actionsBit: .actions(inode.number == 0 ? .undo : .redo)
            case Self.trashBit: .trash
            default: .location
            }
    }

    var number: fuse_ino_t {
        switch self {
        case .entry(let inode): fuse_ino_t(inode.number)
        case .version(let inode): fuse_ino_t(inode.number)
        case .location: Self.locationBit
        case .trash: Self.trashBit
        case .state(let inode): fuse_ino_t(inode.number) | Self.stateBit
        case .order(let inode): fuse_ino_t(inode.number) | Self.orderBit
        case .versions(.conflicts, let inode): fuse_ino_t(inode.number) | Self.conflictsBit
        case .versions(.history, let inode): fuse_ino_t(inode.number) | Self.historyBit
        case .actions(.undo): Self.actionsBit
        case .actions(.redo): Self.actionsBit | 1
        }
    }
}
