import CFuse
import CLinux
import Catalog
import Dispatch
import Documents
import Glibc
import Library
import Logging
import Synchronization
import SystemPackage

/// Tells programs that watch a folder with inotify what other devices did there, and of display names that changed without
/// rename(2). FUSE has no message for that, so a thread of ours does it once more as system calls on the mount (`Reenactment`).
final class RemoteEvents: Sendable {
    private struct State {
        var waiting = 0
        var hasEnded = false
    }

    /// As with inotify itself: who cannot keep up misses something.
    private static let mostWaiting = 4096

    private let stage: ReenactmentStage
    private let mountpoint: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "docfs.remote-events")
    private let thread = CallingThread()
    private let state = Mutex(State())
    /// The mount's device number, when the mount has recognised the thread.
    private let device = Mutex<dev_t?>(nil)

    init(on stage: ReenactmentStage, mountpoint: String, logger: Logger) {
        self.stage = stage
        self.mountpoint = mountpoint
        self.logger = logger
    }

    /// Shows the thread to the mount. Returns at once.
    func start() {
        queue.async { [self] in
            if thread.start() { device.withLock { $0 = thread.run { [self] in enter() } } }
            if device.withLock({ $0 }) != nil { return }
            logger.notice("watchers hear nothing of other devices: the mount does not know its thread by its number")
            state.withLock { $0.hasEnded = true }
        }
    }

    /// - Parameter expire: makes the kernel ask anew what a name means.
    func tell(_ change: RemoteChange, expire: @escaping @Sendable (_ name: String, _ folder: InodeNumber) -> Void) {
        let isTaken = state.withLock { state in
            guard !state.hasEnded, state.waiting < Self.mostWaiting else { return false }
            state.waiting += 1
            return true
        }
        if !isTaken { return }
        queue.async { [self] in
            let hasEnded = state.withLock { state in
                state.waiting -= 1
                return state.hasEnded
            }
            if !hasEnded { perform(change, expire) }
        }
    }

    /// Nothing is told any more after the call under way.
    func end() { state.withLock { $0.hasEnded = true } }

    /// Waits for what is under way, which the end of the mount sets free from any call.
    func drain() {
        queue.sync {
            stage.leave()
            thread.end()
        }
    }

    /// Somebody may look the name up between us and the kernel, which then does not ask what it means.
    private static let attempts = 3

    /// What a watcher does not hear of is done all the same.
    private func perform(_ change: RemoteChange, _ expire: (_ name: String, _ folder: InodeNumber) -> Void) {
        var failure = Errno(rawValue: 0)
        for _ in 0..<Self.attempts {
            for place in change.places { expire(place.entry.name, place.entry.folder) }
            failure = thread.run { [self] in Errno(rawValue: reenact(change)) }
            if failure.rawValue == 0 { return }
            if failure != .fileExists, failure != .notPermitted { break }
        }
        logger.debug("a change from elsewhere was not shown to watchers", metadata: ["error": "\(failure)"])
    }

    // MARK: On the thread

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

    /// - Returns: 0, or why it failed.
    private func reenact(_ change: RemoteChange) -> Int32 {
        let root = open(mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC)
        defer { close(root) }
        var status = stat()
        // What stands there now may be something else, as after an unmount.
        guard root >= 0, fstat(root, &status) == 0, status.st_dev == device.withLock({ $0 }) else { return ENODEV }
        return stage.perform(Reenactment(change: change)) { call(change, root) }
    }

    private func call(_ change: RemoteChange, _ root: Int32) -> Int32 {
        switch change {
        case .created(let place): inFolder(of: place, root) { make(place.entry, in: $0) }
        case .modified(let place): inFolder(of: place, root) { modify(place.entry.name, in: $0) }
        case .removed(let place):
            inFolder(of: place, root) {
                failure(unlinkat($0, place.entry.name, place.entry.kind == .folder ? AT_REMOVEDIR : 0))
            }
        case .moved(let from, let to):
            inFolder(of: from, root) { source in
                inFolder(of: to, root) { target in failure(renameat(source, from.entry.name, target, to.entry.name)) }
            }
        }
    }

    /// Reached by no link and no other mount: what a name means by now is nothing to go by.
    private func inFolder(of place: ListedPlace, _ root: Int32, _ body: (Int32) -> Int32) -> Int32 {
        let folder = docfs_open_beneath(root, place.folderPath, UInt64(O_PATH | O_DIRECTORY | O_CLOEXEC))
        guard folder >= 0 else { return errno }
        defer { close(folder) }
        return body(folder)
    }

    private func make(_ entry: ListedPlace.Step, in folder: Int32) -> Int32 {
        switch entry.kind {
        case .folder: return failure(mkdirat(folder, entry.name, 0o700))
        case .symbolicLink: return failure(symlinkat(".", folder, entry.name))
        case .document, .scratch:
            let file = openat(folder, entry.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return file < 0 ? errno : failure(close(file))
        }
    }

    /// An allocation of what is there already counts as a modification, and the close as the end of it.
    private func modify(_ name: String, in folder: Int32) -> Int32 {
        let file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return errno }
        defer { close(file) }
        return failure(fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 1))
    }

    private func failure(_ result: Int32) -> Int32 { result == 0 ? 0 : errno }
}
