import Backing
import CFuse
import Catalog
import Glibc
import Library
import SystemPackage

/// What a request is answered with. Each request gets exactly one: `answer` sends what its closure
/// returns, and nothing else replies.
enum Reply {
    case success
    case entry(Resolved)
    case attributes(FileAttributes, Node)
    case created(Resolved, OpenedFile)
    case opened(OpenedFile)
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

/// How long the kernel may believe what it was told. This daemon is the only one who changes things,
/// and says so when it does (`KernelCaches`).
enum CacheTime {
    private static let known = 3600.0

    static func name(_ resolved: Resolved) -> Double { resolved.isMemorable ? known : 0 }

    /// What the kernel writes by itself it knows of, but for what is written into a mapping; and into that of
    /// an empty file nothing can be.
    static func attributes(_ attributes: FileAttributes, of node: Node, for request: fuse_req_t) -> Double {
        switch node {
        case .entry(let inode):
            attributes.size > 0 && filesystem(of: request).dataPaths.isWrittenUnseen(fuse_ino_t(inode.number))
                ? 0 : known
        case .state, .versions, .version: 0
        }
    }
}

/// What an open gave.
struct OpenedFile {
    enum Content {
        /// Past the page cache, for what changes by itself.
        case direct
        /// The kernel may keep what it has cached of the inode: an open that goes past its cache empties it.
        case cached
        /// A folder's.
        case listing(FolderStreams.Permission)
        case passthrough(backing: Int32)
    }

    let handle: UInt64
    let content: Content
    /// Gives the handle back where the kernel does not take it.
    let release: () -> Void
}

/// A FUSE request that has not been answered yet.
///
/// `@unchecked`: libfuse allows a request to be answered from any thread, once; `answer` does it once.
struct Request: @unchecked Sendable {
    let pointer: fuse_req_t

    init(_ pointer: fuse_req_t) { self.pointer = pointer }

    /// Whether who asks may keep set-id bits on what they write to (CAP_FSETID, as root has it).
    var isPrivileged: Bool { fuse_req_ctx(pointer)?.pointee.uid == 0 }

    /// Whether who asks belongs to a group. To be called before the request is answered.
    var membership: AttributeChanges.Membership {
        { group in
            guard let context = fuse_req_ctx(pointer)?.pointee else { return false }
            if context.uid == 0 || context.gid == group { return true }
            var groups = [gid_t](repeating: 0, count: Int(fuse_req_getgroups(pointer, 0, nil)))
            let count = fuse_req_getgroups(pointer, Int32(groups.count), &groups)
            return count > 0 && groups.prefix(Int(count)).contains(group)
        }
    }

    var caller: Caller { Caller(thread: fuse_req_ctx(pointer)?.pointee.pid ?? 0) }

    /// Answers at once, on this thread.
    func answer(_ body: () throws(Errno) -> Reply) {
        do throws(Errno) { send(try body()) } catch { _ = fuse_reply_err(pointer, error.rawValue) }
    }

    func send(_ result: Result<Reply, Errno>) {
        answer { () throws(Errno) in try result.get() }
    }

    private func send(_ reply: Reply) {
        switch reply {
        case .success:
            _ = fuse_reply_err(pointer, 0)
        case .entry(let resolved):
            var parameters = fuse_entry_param(resolved, for: pointer)
            _ = fuse_reply_entry(pointer, &parameters)
        case .attributes(let attributes, let node):
            var status = attributes.stat(number: node.number)
            _ = fuse_reply_attr(pointer, &status, CacheTime.attributes(attributes, of: node, for: pointer))
        case .created(let resolved, let file):
            send(file, createdAs: fuse_entry_param(resolved, for: pointer))
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
    private func send(_ file: OpenedFile) {
        let result: Int32
        if case .passthrough(let backing) = file.content {
            var reply = docfs_open_out(handle: file.handle, backing: backing)
            result = fuse_reply_buf(pointer, &reply, MemoryLayout.size(ofValue: reply))
        } else {
            var info = fuse_file_info(file)
            result = fuse_reply_open(pointer, &info)
        }
        if result != 0 { file.release() }
    }

    private func send(_ file: OpenedFile, createdAs entry: fuse_entry_param) {
        let result: Int32
        if case .passthrough(let backing) = file.content {
            var reply = docfs_create_out(
                entry: fuse_entry_out(entry), open: docfs_open_out(handle: file.handle, backing: backing))
            result = fuse_reply_buf(pointer, &reply, MemoryLayout.size(ofValue: reply))
        } else {
            var (entry, info) = (entry, fuse_file_info(file))
            result = fuse_reply_create(pointer, &entry, &info)
        }
        if result != 0 { file.release() }
    }
}

extension fuse_entry_param {
    init(_ resolved: Resolved, for request: fuse_req_t) {
        self.init()
        ino = resolved.node.number
        attr = resolved.attributes.stat(number: resolved.node.number)
        attr_timeout = CacheTime.attributes(resolved.attributes, of: resolved.node, for: request)
        entry_timeout = CacheTime.name(resolved)
    }
}

extension fuse_file_info {
    fileprivate init(_ file: OpenedFile) {
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
        case .passthrough: break  // libfuse has no word for it
        }
    }
}
