import Documents
import Backing
import CFuse
import Glibc
import Library
import SystemPackage

/// The answer to a request.
enum Reply {
    case success
    case entry(Resolved)
    case attributes(FileAttributes, Node)
    case created(Resolved, OpenReply)
    case opened(OpenReply)
    case bytes([UInt8])
    /// A piece of a file, spliced without a copy where the kernel can.
    case file(Descriptor, offset: Int64, size: Int)
    case written(Int)
    case link([UInt8])
    case attributeSize(Int)
    case statistics(statvfs)
    case offset(Int64)
    case events(UInt32)
}

/// A reply, or the task that will make one.
enum Answer {
    case now(Reply)
    /// By a task that waits for content that is not here.
    case later(@Sendable () async throws(Refusal) -> Reply)
}

/// How long the kernel may keep names and attributes. Only this daemon changes them, and it notifies the kernel when it
/// does (`KernelCaches`).
enum CacheTime {
    private static let known = 3600.0

    static func name(_ resolved: Resolved) -> Double { resolved.isCacheable ? known : 0 }

    /// The kernel knows of the writes that it does by itself, except of those into a mapping. Nothing can be written into a
    /// mapping of an empty file.
    static func attributes(_ attributes: FileAttributes, of node: Node, in filesystem: Filesystem) -> Double {
        switch node {
        case .entry(let inode):
            attributes.size > 0 && filesystem.dataPaths.isWrittenUnseen(fuse_ino_t(inode.number))
                ? 0 : known
        case .state, .order, .location, .versions, .version, .actions, .report, .folderInTrash, .trashed, .trashInfo: 0
        }
    }
}

/// The reply to an open of a file or folder.
struct OpenReply {
    enum Content {
        /// Past the page cache, for content that changes by itself.
        case direct
        /// The kernel may keep what it has cached of the inode: an open that goes past its cache empties it.
        case cached
        /// For a folder.
        case listing(FolderStreams.Permission)
        /// - Parameter isDirect: whether each access asks docfs all the same.
        case passthrough(backing: Int32, isDirect: Bool)
    }

    let handle: UInt64
    let content: Content
    /// Closes the handle if the reply does not reach the kernel.
    let release: () -> Void
}

extension Request {
    func send(_ reply: Reply) {
        switch reply {
        case .success:
            _ = fuse_reply_err(pointer, 0)
        case .entry(let resolved):
            var parameters = fuse_entry_param(resolved, in: filesystem)
            _ = fuse_reply_entry(pointer, &parameters)
        case .attributes(let attributes, let node):
            var status = attributes.stat(number: node.number)
            _ = fuse_reply_attr(pointer, &status, CacheTime.attributes(attributes, of: node, in: filesystem))
        case .created(let resolved, let file):
            send(file, createdAs: fuse_entry_param(resolved, in: filesystem))
        case .opened(let file):
            send(file)
        case .bytes(let bytes):
            _ = bytes.withUnsafeBytes { fuse_reply_buf(pointer, $0.baseAddress, $0.count) }
        case .file(let descriptor, let offset, let size):
            var buffer = docfs_file_buffer(descriptor.number, size, off_t(offset))
            withExtendedLifetime(descriptor) {
                _ = fuse_reply_data(pointer, &buffer, FUSE_BUF_SPLICE_MOVE)
            }
        case .written(let count):
            _ = fuse_reply_write(pointer, count)
        case .link(let target):
            _ = (target + [0]).withUnsafeBytes {
                fuse_reply_readlink(pointer, $0.baseAddress!.assumingMemoryBound(to: CChar.self))
            }
        case .attributeSize(let size):
            _ = fuse_reply_xattr(pointer, size)
        case .statistics(var statistics):
            _ = fuse_reply_statfs(pointer, &statistics)
        case .offset(let offset):
            _ = fuse_reply_lseek(pointer, off_t(offset))
        case .events(let events):
            _ = fuse_reply_poll(pointer, events)
        }
    }
}

extension Request {
    private func send(_ file: OpenReply) {
        let result: Int32
        if case .passthrough(let backing, let isDirect) = file.content {
            var reply = docfs_open_out(handle: file.handle, backing: backing, isDirect: isDirect)
            result = fuse_reply_buf(pointer, &reply, MemoryLayout.size(ofValue: reply))
        } else {
            var info = fuse_file_info(file)
            result = fuse_reply_open(pointer, &info)
        }
        if result != 0 { file.release() }
    }

    private func send(_ file: OpenReply, createdAs entry: fuse_entry_param) {
        let result: Int32
        if case .passthrough(let backing, let isDirect) = file.content {
            var reply = docfs_create_out(
                entry: fuse_entry_out(entry),
                open: docfs_open_out(handle: file.handle, backing: backing, isDirect: isDirect))
            result = fuse_reply_buf(pointer, &reply, MemoryLayout.size(ofValue: reply))
        } else {
            var (entry, info) = (entry, fuse_file_info(file))
            result = fuse_reply_create(pointer, &entry, &info)
        }
        if result != 0 { file.release() }
    }
}

extension fuse_entry_param {
    init(_ resolved: Resolved, in filesystem: Filesystem) {
        self.init()
        ino = resolved.node.number
        attr = resolved.attributes.stat(number: resolved.node.number)
        attr_timeout = CacheTime.attributes(resolved.attributes, of: resolved.node, in: filesystem)
        entry_timeout = CacheTime.name(resolved)
    }
}

extension fuse_file_info {
    fileprivate init(_ file: OpenReply) {
        self.init()
        fh = file.handle
        // No data waits in the kernel for a close, so the kernel need not announce one.
        noflush = 1
        switch file.content {
        case .direct: direct_io = 1
        case .cached: keep_cache = 1
        case .listing(let permission):
            keep_cache = permission.reuses ? 1 : 0
            cache_readdir = permission.keeps ? 1 : 0
        case .passthrough: break  // libfuse 3.14 has no field for it
        }
    }
}
