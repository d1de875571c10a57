import Backing
import CFuse
import Synchronization

/// The files that the kernel may read and write by itself.
protocol BackingFiles: Sendable {
    /// - Returns: the number by which the kernel knows the file from now on; nil where it does not take it.
    func register(_ file: Descriptor) -> Int32?

    /// Files that are open stay registered until they are closed.
    func unregister(_ number: Int32)
}

/// How the kernel gets at the content of each file that is open: past docfs, straight at the backing
/// file, or by asking docfs for what it does not have in its cache. The first way writes 4 KiB in a third of the time (Mechanisms).
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

        var isWrittenUnseen: Bool { opens > 0 && writers > 0 && path != .cached }
    }

    private struct Table {
        var inodes: [fuse_ino_t: OpenInode] = [:]
        /// How many inodes the kernel may be writing to by itself: usually none, and then nothing must be looked up.
        var writtenUnseen = 0

        /// Changes what is known of an inode, and counts.
        mutating func update(_ number: fuse_ino_t, _ old: OpenInode?, _ new: OpenInode) {
            inodes[number] = new.opens > 0 ? new : nil
            if old?.isWrittenUnseen == true { writtenUnseen -= 1 }
            if new.isWrittenUnseen { writtenUnseen += 1 }
        }
    }

    private let backingFiles: any BackingFiles
    private let table = Mutex(Table())

    init(backingFiles: any BackingFiles) { self.backingFiles = backingFiles }

    /// The path of one more open of an inode.
    ///
    /// - Parameter shareable: the backing file, if the kernel may read and write it by itself.
    func open(_ number: fuse_ino_t, shareable: Descriptor?, canWrite: Bool) -> Path {
        table.withLock { table in
            let old = table.inodes[number]
            var inode = old ?? OpenInode(path: choose(shareable))
            inode.opens += 1
            if canWrite { inode.writers += 1 }
            table.update(number, old, inode)
            return inode.path
        }
    }

    private func choose(_ shareable: Descriptor?) -> Path {
        guard let shareable, let backing = backingFiles.register(shareable) else { return .cached }
        return .passthrough(backing: backing)
    }

    func close(_ number: fuse_ino_t, isWriter: Bool) {
        let unused = table.withLock { table -> Path? in
            guard let old = table.inodes[number] else { return nil }
            var inode = old
            inode.opens -= 1
            if isWriter { inode.writers -= 1 }
            table.update(number, old, inode)
            return inode.opens > 0 ? nil : inode.path
        }
        if case .passthrough(let backing) = unused { backingFiles.unregister(backing) }
    }

    /// Whether size and times of an inode may change without a word, so that the kernel must ask for them.
    func isWrittenUnseen(_ number: fuse_ino_t) -> Bool {
        table.withLock { $0.writtenUnseen > 0 && $0.inodes[number]?.isWrittenUnseen == true }
    }
}
