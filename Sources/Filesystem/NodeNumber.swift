import CFuse
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
            case Self.actionsBit: Self(actionsNumber: inode.number)
            case Self.trashBit: Self(trashNumber: inode.number)
            default: .location
            }
    }

    var number: fuse_ino_t {
        switch self {
        case .entry(let inode): fuse_ino_t(inode.number)
        case .version(let inode): fuse_ino_t(inode.number)
        case .location: Self.locationBit
        case .report(.trash), .folderInTrash, .trashed, .trashInfo: Self.trashBit | fuse_ino_t(trashNumber)
        case .state(let inode): fuse_ino_t(inode.number) | Self.stateBit
        case .order(let inode): fuse_ino_t(inode.number) | Self.orderBit
        case .versions(.conflicts, let inode): fuse_ino_t(inode.number) | Self.conflictsBit
        case .versions(.history, let inode): fuse_ino_t(inode.number) | Self.historyBit
        case .actions(.undo): Self.actionsBit
        case .actions(.redo): Self.actionsBit | 1
        case .report(.undo): Self.actionsBit | 2
        case .report(.redo): Self.actionsBit | 3
        case .report(.devices): Self.actionsBit | 4
        }
    }

    /// Numbers below 8 are the list of the trash and its places. Of the others the lowest two bits tell a file in `files`, a file in `info`,
    /// and a folder in `files`.
    private init(trashNumber number: Int64) {
        self =
            switch number {
            case 0: .report(.trash)
            case 1: .folderInTrash(.top)
            case 2: .folderInTrash(.files)
            case 3: .folderInTrash(.info)
            case ..<8: .folderInTrash(.expunged)
            default:
                switch number & 3 {
                case 0: .trashed(number >> 3)
                case 1: .trashInfo(number >> 3)
                default: .folderInTrash(.folder(number >> 3))
                }
            }
    }

    private init(actionsNumber number: Int64) {
        self =
            switch number {
            case 0: .actions(.undo)
            case 1: .actions(.redo)
            case 2: .report(.undo)
            case 3: .report(.redo)
            default: .report(.devices)
            }
    }

    private var trashNumber: Int64 {
        switch self {
        case .folderInTrash(.top): 1
        case .folderInTrash(.files): 2
        case .folderInTrash(.info): 3
        case .folderInTrash(.expunged): 4
        case .trashed(let number): number << 3
        case .trashInfo(let number): number << 3 | 1
        case .folderInTrash(.folder(let number)): number << 3 | 2
        default: 0
        }
    }
}
