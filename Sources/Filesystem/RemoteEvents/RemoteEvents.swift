import Documents
import Dispatch
import Library
import Logging
import Synchronization
import SystemPackage

/// Carries changes out once more as system calls on the mount, one at a time (`ReenactingThread`).
protocol ChangePerformer: Sendable {
    /// - Returns: whether it can.
    func start() -> Bool

    /// - Throws: the errno of a system call that failed.
    func perform(_ change: RemoteChange) throws(Errno)

    /// Ends the thread. No change may be under way.
    func end()
}

/// Tells programs that watch a folder with inotify what other devices did there, and of display names that changed without
/// rename(2). FUSE has no message for that, so a thread of ours does it once more as system calls on the mount (`Reenactment`).
///
/// Here is the order: one change after the other, each tried a few times, on a queue of its own, and a bound on how many wait.
/// A change that cannot be shown is done all the same.
final class RemoteEvents: Sendable {
    typealias Expire = @Sendable (_ name: String, _ folder: InodeNumber) -> Void

    private struct State {
        var waiting = 0
        var hasEnded = false
    }

    /// As with inotify itself: a watcher that cannot keep up misses something.
    static let mostWaiting = 4096
    /// Somebody may look the name up between `expire` and the system call, for which the kernel then does not ask what it means.
    static let attempts = 3

    private let performer: any ChangePerformer
    private let logger: Logger
    private let queue = DispatchQueue(label: "docfs.remote-events")
    private let state = Mutex(State())

    init(performer: any ChangePerformer, logger: Logger) {
        self.performer = performer
        self.logger = logger
    }

    /// Returns at once.
    func start() {
        queue.async { [self] in
            if state.withLock({ $0.hasEnded }) || performer.start() { return }
            logger.notice(
                "programs that watch folders do not hear of other devices: the kernel names the calling thread otherwise than this process does"
            )
            end()
        }
    }

    /// Shows a change to watchers, later.
    ///
    /// - Parameter expire: makes the kernel ask anew what a name means.
    func show(_ change: RemoteChange, expire: @escaping Expire) {
        let isWaiting = state.withLock { state in
            guard !state.hasEnded, state.waiting < Self.mostWaiting else { return false }
            state.waiting += 1
            return true
        }
        if !isWaiting { return }
        queue.async { [self] in
            let hasEnded = state.withLock { state in
                state.waiting -= 1
                return state.hasEnded
            }
            if !hasEnded { perform(change, expire) }
        }
    }

    /// Nothing is shown any more after the call under way.
    func end() { state.withLock { $0.hasEnded = true } }

    /// Waits for the call under way, and ends the thread. The answer lets it return, or the end of the mount.
    func drain() { queue.sync { performer.end() } }

    /// As `drain`, and no longer than `timeout`.
    func drain(within timeout: DispatchTimeInterval) {
        let drained = DispatchSemaphore(value: 0)
        queue.async { [performer] in
            performer.end()
            drained.signal()
        }
        _ = drained.wait(timeout: .now() + timeout)
    }

    private func perform(_ change: RemoteChange, _ expire: Expire) {
        for attempt in 1...Self.attempts {
            for path in change.paths { expire(path.entry.name, path.entry.folder) }
            do throws(Errno) { return try performer.perform(change) } catch {
                if attempt < Self.attempts, error == .fileExists || error == .notPermitted { continue }
                return logger.debug(
                    "a change from elsewhere was not shown to watchers", metadata: ["error": "\(error)"])
            }
        }
    }
}
