import Backing
import CFuse
import CLinux
import Catalog
import Documents
import Glibc
import Library
import Synchronization
import SystemPackage

/// Where the requests of the thread that reenacts remote changes (`RemoteEvents`) are told from everyone
/// else's, and find their answers.
final class ReenactmentStage: Sendable {
    /// Looked up once by the thread, to see whether it is known by its number here.
    static let cue = ".docfs-remote-events"

    private let performer = Atomic<pid_t>(0)
    private let wasRecognized = Atomic(false)
    private let current = Mutex<Reenactment?>(nil)

    /// The calling thread wants to be known: its requests are reenactments as soon as it has shown itself by
    /// looking up the cue.
    func enter() { performer.store(gettid(), ordering: .relaxed) }

    /// Its number may be another thread's from now on.
    func leave() {
        performer.store(0, ordering: .relaxed)
        wasRecognized.store(false, ordering: .relaxed)
    }

    /// Whether the kernel names the thread as it is named here; not so across namespaces of processes.
    var isPerformerKnown: Bool { wasRecognized.load(ordering: .relaxed) }

    func perform(_ reenactment: Reenactment, _ calls: () -> Int32) -> Int32 {
        current.withLock { $0 = reenactment }
        defer { current.withLock { $0 = nil } }
        return calls()
    }

    func isPerformer(_ request: fuse_req_t) -> Bool {
        let thread = performer.load(ordering: .relaxed)
        return thread != 0 && fuse_req_ctx(request)?.pointee.pid == thread
    }

    fileprivate func answer(to call: Reenactment.Call) -> Reenactment.Answer {
        guard isPerformerKnown else {
            if case .lookup(_, Self.cue) = call { wasRecognized.store(true, ordering: .relaxed) }
            return .notOurs
        }
        if let answer = current.withLock({ $0?.answer(to: call) }) { return answer }
        // Between two changes it does nothing.
        if case .lookup = call { return .notOurs } else { return .refused }
    }
}

/// Answers a request of the thread that reenacts remote changes.
///
/// - Returns: false for everyone else's requests, and for what means what it always means.
func isReenacted(_ request: fuse_req_t, _ call: @autoclosure () -> Reenactment.Call) -> Bool {
    let filesystem = filesystem(of: request)
    return filesystem.stage.isPerformer(request) && filesystem.answer(to: call(), request)
}

extension Filesystem {
    fileprivate func answer(to call: Reenactment.Call, _ request: fuse_req_t) -> Bool {
        switch stage.answer(to: call) {
        case .notOurs:
            return false
        case .refused:
            _ = fuse_reply_err(request, EPERM)
        case .absent:
            _ = fuse_reply_err(request, ENOENT)
        case .done:
            if case .open = call {
                var info = fuse_file_info(reenacted: ())
                _ = fuse_reply_open(request, &info)
            } else {
                _ = fuse_reply_err(request, 0)
            }
        case .entry(let step):
            reply(step, to: call, request)
        }
        return true
    }

    private func reply(_ step: ListedPlace.Step, to call: Reenactment.Call, _ request: fuse_req_t) {
        // Names are never remembered by this: they may mean something else by now.
        let resolved = Resolved(node: .entry(step.inode), attributes: attributes(of: step), isMemorable: false)
        var entry = fuse_entry_param(resolved, for: request)
        if case .make = call, step.kind == .document {
            var info = fuse_file_info(reenacted: ())
            _ = fuse_reply_create(request, &entry, &info)
        } else {
            _ = fuse_reply_entry(request, &entry)
        }
    }

    private func attributes(of step: ListedPlace.Step) -> FileAttributes {
        do throws(Errno) { return try library.attributes(of: .entry(step.inode)) } catch {
            return .departed(step.kind, at: Timestamp(seconds: 0, nanoseconds: 0))
        }
    }
}

extension fuse_file_info {
    /// An open of which nothing is registered. Past the page cache, so that it takes no part in how the kernel
    /// gets at the content (`DataPaths`), and without emptying that cache.
    fileprivate init(reenacted: Void) {
        self.init()
        fh = Filesystem.reenactedHandle
        direct_io = 1
        keep_cache = 1
        noflush = 1
    }
}

extension Filesystem {
    /// No handle of an open file has this number.
    static let reenactedHandle: UInt64 = 0
}

/// As a request carries them. A name that is no UTF-8 is none of ours.
extension Reenactment.Call {
    static func lookup(_ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?) -> Self {
        .lookup(folder: inode(folder), name: text(name))
    }

    static func make(_ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?) -> Self {
        .make(folder: inode(folder), name: text(name))
    }

    static func remove(_ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?) -> Self {
        .remove(folder: inode(folder), name: text(name))
    }

    static func rename(
        _ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ newFolder: fuse_ino_t, _ newName: UnsafePointer<CChar>?
    ) -> Self {
        .rename(folder: inode(folder), name: text(name), newFolder: inode(newFolder), newName: text(newName))
    }

    static func open(_ number: fuse_ino_t) -> Self { .open(inode(number)) }

    static func touch(_ number: fuse_ino_t) -> Self { .touch(inode(number)) }

    private static func inode(_ number: fuse_ino_t) -> InodeNumber { InodeNumber(Int64(bitPattern: UInt64(number))) }

    private static func text(_ name: UnsafePointer<CChar>?) -> String { String(decoding: bytes(name), as: UTF8.self) }
}
