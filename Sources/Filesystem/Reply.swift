import CFuse
import Glibc
import Library
import SystemPackage

/// What a request is answered with. Each request gets exactly one: `answer` sends what its closure
/// returns, and nothing else replies.
enum Reply {
    case success
    case entry(Resolved)
    case attributes(FileAttributes, Node)
    case created(Resolved, handle: UInt64)
    case opened(handle: UInt64, direct: Bool)
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
    static let attributes = 3600.0
    static let listedName = 3600.0
}

/// A FUSE request that has not been answered yet.
///
/// `@unchecked`: libfuse allows a request to be answered from any thread, once; `answer` does it once.
struct Request: @unchecked Sendable {
    let pointer: fuse_req_t

    init(_ pointer: fuse_req_t) { self.pointer = pointer }

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
            var parameters = fuse_entry_param(resolved)
            _ = fuse_reply_entry(pointer, &parameters)
        case .attributes(let attributes, let node):
            var status = attributes.stat(number: node.number)
            _ = fuse_reply_attr(pointer, &status, node.attributeTimeout)
        case .created(let resolved, let handle):
            var parameters = fuse_entry_param(resolved)
            var info = fuse_file_info(handle: handle, direct: false)
            _ = fuse_reply_create(pointer, &parameters, &info)
        case .opened(let handle, let direct):
            var info = fuse_file_info(handle: handle, direct: direct)
            _ = fuse_reply_open(pointer, &info)
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

extension Node {
    var attributeTimeout: Double {
        switch self {
        case .entry: CacheTime.attributes
        case .state, .versions, .version: 0
        }
    }
}

extension fuse_entry_param {
    init(_ resolved: Resolved) {
        self.init()
        ino = resolved.node.number
        attr = resolved.attributes.stat(number: resolved.node.number)
        attr_timeout = resolved.node.attributeTimeout
        entry_timeout = resolved.isListedName ? CacheTime.listedName : 0
    }
}

extension fuse_file_info {
    /// - Parameter direct: past the page cache; without it the kernel keeps what it has cached of an
    ///   inode, whose content never changes but through this mount.
    fileprivate init(handle: UInt64, direct: Bool) {
        self.init()
        fh = handle
        direct_io = direct ? 1 : 0
        keep_cache = direct ? 0 : 1
    }
}
