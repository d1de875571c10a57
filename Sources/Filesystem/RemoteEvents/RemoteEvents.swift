import CFuse
import CLinux
import Catalog
import DequeModule
import Dispatch
import Documents
import Glibc
import Library
import Logging
import Synchronization
import SystemPackage

/// Tells programs that watch a folder with inotify what other devices did there: FUSE has no message for
/// that, so a thread of ours does it once more as system calls on the mount (`Reenactment`).
final class RemoteEvents: Sendable {
    private struct Queue {
        var changes: Deque<RemoteChange> = []
        var hasEnded = false
    }

    /// As with inotify itself: who cannot keep up misses something.
    private static let mostWaiting = 4096

    private let stage: ReenactmentStage
    private let mountpoint: String
    private let logger: Logger
    private let queue = Mutex(Queue())
    /// Counts what is in the queue, and its end.
    private let arrivals = DispatchSemaphore(value: 0)
    private let thread = Mutex<pthread_t?>(nil)

    init(on stage: ReenactmentStage, mountpoint: String, logger: Logger) {
        self.stage = stage
        self.mountpoint = mountpoint
        self.logger = logger
    }

    func add(_ change: RemoteChange) {
        let isTaken = queue.withLock { queue in
            let isTaken = !queue.hasEnded && queue.changes.count < Self.mostWaiting
            if isTaken { queue.changes.append(change) }
            return isTaken
        }
        if isTaken { arrivals.signal() }
    }

    /// - Parameter expire: makes the kernel ask anew what a name means, and returns when it has been told.
    func start(expire: @escaping @Sendable (_ name: String, _ folder: InodeNumber) -> Void) {
        let work = Unmanaged.passRetained(Work { [self] in run(expire) })
        var started = pthread_t()
        let result = pthread_create(&started, nil, { work in
            Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().body()
            return nil
        }, work.toOpaque())
        guard result == 0 else {
            work.release()
            end()
            logger.warning("watchers hear nothing of other devices", metadata: ["error": "\(Errno(rawValue: result))"])
            return
        }
        thread.withLock { $0 = started }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Lets the thread end after the call it is in.
    func end() {
        queue.withLock { $0 = Queue(hasEnded: true) }
        arrivals.signal()
    }

    /// Waits for the thread, which the end of the mount sets free from any call.
    func join() {
        if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
    }

    private func run(_ expire: (_ name: String, _ folder: InodeNumber) -> Void) {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        guard shareNoDescriptors(), let device = enter() else {
            logger.notice("watchers hear nothing of other devices: the mount does not know this thread by its number")
            return end()
        }
        defer { stage.leave() }
        while let change = next() {
            if !perform(change, expire, device) {
                logger.debug("a change from elsewhere was not shown to watchers", metadata: ["error": "\(Errno(rawValue: errno))"])
            }
        }
    }

    /// When the process is killed while this thread is in a call on the mount, the device must be closed all the
    /// same: who waits for an answer to a request that somebody has read cannot be killed before that.
    private func shareNoDescriptors() -> Bool { unshare(CLONE_FILES) == 0 && close_range(3, .max, 0) == 0 }

    /// Shows the thread to the mount.
    ///
    /// - Returns: the mount's device number; nil where the mount does not recognise the thread.
    private func enter() -> dev_t? {
        stage.enter()
        let root = open(mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC)
        defer { close(root) }
        var status = stat()
        _ = faccessat(root, ReenactmentStage.cue, F_OK, 0)
        if root >= 0, stage.isPerformerKnown, fstat(root, &status) == 0 { return status.st_dev }
        stage.leave()
        return nil
    }

    private func next() -> RemoteChange? {
        arrivals.wait()
        return queue.withLock { $0.hasEnded ? nil : $0.changes.popFirst() }
    }

    // MARK: Calls

    /// Somebody may look the name up between us and the kernel, which then does not ask what it means.
    private static let attempts = 3

    /// - Returns: false for what a watcher does not hear of; the change itself is done.
    private func perform(
        _ change: RemoteChange, _ expire: (_ name: String, _ folder: InodeNumber) -> Void, _ device: dev_t
    ) -> Bool {
        let root = open(mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC)
        defer { close(root) }
        var status = stat()
        // What stands there now may be something else, as after an unmount.
        guard root >= 0, fstat(root, &status) == 0, status.st_dev == device else { return false }
        for _ in 0..<Self.attempts {
            for place in change.places { expire(place.entry.name, place.entry.folder) }
            if stage.perform(Reenactment(change: change), { call(change, root) }) { return true }
            if errno != EEXIST && errno != EPERM { return false }
        }
        return false
    }

    private func call(_ change: RemoteChange, _ root: Int32) -> Bool {
        switch change {
        case .created(let place): inFolder(of: place, root) { make(place.entry, in: $0) }
        case .modified(let place): inFolder(of: place, root) { modify(place.entry.name, in: $0) }
        case .removed(let place):
            inFolder(of: place, root) { unlinkat($0, place.entry.name, place.entry.kind == .folder ? AT_REMOVEDIR : 0) == 0 }
        case .moved(let from, let to):
            inFolder(of: from, root) { source in
                inFolder(of: to, root) { target in renameat(source, from.entry.name, target, to.entry.name) == 0 }
            }
        }
    }

    /// Reached by no link and no other mount: what a name means by now is nothing to go by.
    private func inFolder(of place: ListedPlace, _ root: Int32, _ body: (Int32) -> Bool) -> Bool {
        let folder = docfs_open_beneath(root, place.folderPath, UInt64(O_PATH | O_DIRECTORY | O_CLOEXEC))
        guard folder >= 0 else { return false }
        let done = body(folder)
        let failure = errno
        close(folder)
        errno = failure
        return done
    }

    private func make(_ entry: ListedPlace.Step, in folder: Int32) -> Bool {
        switch entry.kind {
        case .folder: return mkdirat(folder, entry.name, 0o700) == 0
        case .symbolicLink: return symlinkat(".", folder, entry.name) == 0
        case .document, .scratch:
            let file = openat(folder, entry.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return file >= 0 && close(file) == 0
        }
    }

    /// An allocation of what is there already counts as a modification, and the close as the end of it.
    private func modify(_ name: String, in folder: Int32) -> Bool {
        let file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 1) == 0
    }
}
