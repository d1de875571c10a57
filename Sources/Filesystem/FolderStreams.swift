import Catalog
import Library
import Synchronization

/// The open directories: each shows the snapshot that was taken when its reader began.
///
/// The kernel keeps what a reader was told as the folder's listing (FOPEN_CACHE_DIR). It forgets that when it is told of a
/// change, but not what a reader is being told in that moment: such a stream is overtaken.
final class FolderStreams: Sendable {
    final class Stream: Sendable {
        let names: [ListedName]
        let parent: UInt64

        init(names: [ListedName], parent: UInt64) {
            self.names = names
            self.parent = parent
        }
    }

    private struct OpenFolder {
        /// Nil for one that no listing is kept of.
        let inode: InodeNumber?
        var stream: Stream?
        var isOvertaken = false
    }

    private struct Table {
        var folders: [UInt64: OpenFolder] = [:]
        var last: UInt64 = 0
    }

    private let table = Mutex(Table())

    func open(_ folder: InodeNumber?) -> UInt64 {
        table.withLock { table in
            table.last += 1
            table.folders[table.last] = OpenFolder(inode: folder)
            return table.last
        }
    }

    subscript(number: UInt64) -> Stream? {
        get { table.withLock { $0.folders[number]?.stream } }
        set { table.withLock { $0.folders[number]?.stream = newValue } }
    }

    /// - Returns: the folder, if the stream was overtaken.
    func close(_ number: UInt64) -> InodeNumber? {
        table.withLock { table in
            guard let folder = table.folders.removeValue(forKey: number), folder.isOvertaken else { return nil }
            return folder.inode
        }
    }

    /// What is listed in `folder` changes.
    func overtake(_ folder: InodeNumber) {
        table.withLock { table in
            for (number, open) in table.folders where open.inode == folder { table.folders[number]?.isOvertaken = true }
        }
    }
}
