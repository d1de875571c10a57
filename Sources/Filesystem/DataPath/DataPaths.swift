import Backing
import CFuse
import Library
import Synchronization
import SystemPackage

/// How the kernel gets at the content of each file that is open: past docfs, straight at the backing
/// file, or by asking docfs for what it does not have in its cache.
///
/// The kernel keeps an inode to one of the two, and to one backing file, for as long as it is open at
/// all: the first open chooses, and the others follow.
final class DataPaths: Sendable {
    enum Path: Equatable {
        case passthrough(backing: Int32)
        case cached
    }

    private struct OpenInode {
        let path: Path
        var opens = 0
        var writers = 0
    }

    private struct Table {
        var inodes: [fuse_ino_t: OpenInode] = [:]
        /// Inodes that the kernel may be writing to by itself.
        var unseenWriters = 0
    }

    let passthrough = Passthrough()
    private let table = Mutex(Table())

    /// The path of one more open of an inode.
    func open(_ number: fuse_ino_t, _ handle: Handle) -> Path {
        table.withLock { table in
            var inode = table.inodes[number] ?? OpenInode(path: choose(for: handle))
            inode.opens += 1
            if handle.canWrite {
                inode.writers += 1
                if inode.writers == 1, inode.path != .cached { table.unseenWriters += 1 }
            }
            table.inodes[number] = inode
            return inode.path
        }
    }

    private func choose(for handle: Handle) -> Path {
        guard case .available(let device) = passthrough.availability, handle.canBypass else { return .cached }
        let id = docfs_open_backing(device, handle.descriptor.number)
        return id > 0 ? .passthrough(backing: id) : .cached
    }

    func close(_ number: fuse_ino_t, isWriter: Bool) {
        let unused = table.withLock { table -> Path? in
            guard var inode = table.inodes[number] else { return nil }
            inode.opens -= 1
            if isWriter {
                inode.writers -= 1
                if inode.writers == 0, inode.path != .cached { table.unseenWriters -= 1 }
            }
            table.inodes[number] = inode.opens > 0 ? inode : nil
            return inode.opens > 0 ? nil : inode.path
        }
        if case .passthrough(let id) = unused, case .available(let device) = passthrough.availability {
            _ = docfs_close_backing(device, UInt32(id))
        }
    }

    /// Whether size and times of an inode may change without a word, so that the kernel must ask for them.
    func isWrittenUnseen(_ number: fuse_ino_t) -> Bool {
        table.withLock { table in
            guard table.unseenWriters > 0, let inode = table.inodes[number] else { return false }
            return inode.writers > 0 && inode.path != .cached
        }
    }
}
