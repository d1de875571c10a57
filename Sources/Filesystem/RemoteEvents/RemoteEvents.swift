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

    private let stage: ReenactmentStage
    private let mountpoint: String
    private let logger: Logger
    /// Makes the kernel ask anew what a name means.
    private let expire: @Sendable (_ name: String, _ folder: InodeNumber) -> Void
    private let queue = Mutex(Queue())
    /// Counts what is in the queue, and its end.
    private let arrivals = DispatchSemaphore(value: 0)
    private let thread = Mutex<pthread_t?>(nil)

    init(
        on stage: ReenactmentStage, mountpoint: String, logger: Logger,
        expire: @escaping @Sendable (_ name: String, _ folder: InodeNumber) -> Void
    ) {
        self.stage = stage
        self.mountpoint = mountpoint
        self.logger = logger
        self.expire = expire
    }

    func add(_ change: RemoteChange) {
        queue.withLock { $0.changes.append(change) }
        arrivals.signal()
    }

    func start() {
        let body = Unmanaged.passRetained(self)
        var started = pthread_t()
        let result = pthread_create(&started, nil, { body in
            Unmanaged<RemoteEvents>.fromOpaque(body!).takeRetainedValue().run()
            return nil
        }, body.toOpaque())
        guard result == 0 else {
            body.release()
            logger.warning("watchers hear nothing of other devices", metadata: ["error": "\(Errno(rawValue: result))"])
            return
        }
        thread.withLock { $0 = started }
    }

    /// Lets the thread end after the call it is in.
    func end() {
        queue.withLock { $0.hasEnded = true }
        arrivals.signal()
    }

    /// Waits for the thread, which the end of the mount sets free from any call.
    func join() {
        if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
    }

    private func run() {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        stage.enter()
        while let change = next() {
            guard isRecognized() else { return }
            let reenactment = Reenactment(change: change)
            for place in change.places { expire(place.entry.name, place.entry.folder) }
            stage.perform(reenactment) { perform(change) }
        }
    }

    private func next() -> RemoteChange? {
        arrivals.wait()
        return queue.withLock { $0.hasEnded ? nil : $0.changes.popFirst() }
    }

    /// Where the mount cannot tell the thread from others, it must keep still.
    private func isRecognized() -> Bool {
        if stage.isPerformerKnown { return true }
        _ = access(mountpoint + "/" + ReenactmentStage.cue, F_OK)
        if !stage.isPerformerKnown { logger.notice("watchers hear nothing of other devices: this thread has another number for the kernel") }
        return stage.isPerformerKnown
    }

    /// What fails here, a watcher does not hear of; the change itself is done.
    private func perform(_ change: RemoteChange) {
        let done =
            switch change {
            case .created(let place): make(place.entry.kind, path(place))
            case .modified(let place): modify(path(place))
            case .moved(let from, let to): rename(path(from), path(to)) == 0
            case .removed(let place): (place.entry.kind == .folder ? rmdir(path(place)) : unlink(path(place))) == 0
            }
        if !done { logger.debug("a change from elsewhere was not shown to watchers", metadata: ["error": "\(Errno(rawValue: errno))"]) }
    }

    private func path(_ place: ListedPlace) -> String { mountpoint + place.path }

    /// Somebody may look the name up between us and the kernel, which then finds that it exists.
    private static let attempts = 3

    private func make(_ kind: EntryKind, _ path: String) -> Bool {
        for _ in 0..<Self.attempts {
            let done =
                switch kind {
                case .folder: mkdir(path, 0o700) == 0
                case .symbolicLink: symlink(".", path) == 0
                case .document, .scratch: close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)) == 0
                }
            if done { return true }
            if errno != EEXIST { return false }
        }
        return false
    }

    /// An allocation of what is there already counts as a modification, and the close as the end of it.
    private func modify(_ path: String) -> Bool {
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 1) == 0
    }
}
