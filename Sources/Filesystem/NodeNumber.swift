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

    init(number: fuse_ino_t) {
        if number == Self.locationBit {
            self = .location
            return
        }
        if let direction = Self.direction(number) {
            self = .actions(direction)
            return
        }
        let inode = InodeNumber(Int64(number & ~(Self.stateBit | Self.conflictsBit | Self.historyBit | Self.orderBit)))
        self =
            if number & Self.stateBit != 0 {
                .state(of: inode)
            } else if number & Self.conflictsBit != 0 {
                .versions(.conflicts, of: inode)
            } else if number & Self.historyBit != 0 {
                .versions(.history, of: inode)
            } else if number & Self.orderBit != 0 {
                .order(of: inode)
            } else {
                inode.isVersion ? .version(inode) : .entry(inode)
            }
    }

    var number: fuse_ino_t {
        switch self {
        case .entry(let inode): fuse_ino_t(inode.number)
        case .version(let inode): fuse_ino_t(inode.number)
        case .location: Self.locationBit
        case .state(let inode): fuse_ino_t(inode.number) | Self.stateBit
        case .order(let inode): fuse_ino_t(inode.number) | Self.orderBit
        case .versions(.conflicts, let inode): fuse_ino_t(inode.number) | Self.conflictsBit
        case .versions(.history, let inode): fuse_ino_t(inode.number) | Self.historyBit
        case .actions(.undo): Self.actionsBit
        case .actions(.redo): Self.actionsBit | 1
        }
    }

    private static func direction(_ number: fuse_ino_t) -> ActionDirection? {
        ActionDirection.allCases.first { Node.actions($0).number == number }
    }
}
