import CFuse
import CLinux
import Glibc
import Synchronization

/// Reads requests from the kernel for libfuse's threads, as few of which as possible listen at once (`ListenerTurns`).
///
/// libfuse cancels its threads at the end, wherever they wait: so they wait in cancellation points, and hold no lock.
final class RequestListeners: Sendable {
    private let turns: Mutex<ListenerTurns>
    private let pressure = Mutex(ProcessorPressure())
    /// Resting threads wait for this. `unsafe`: made in `init` and destroyed in `deinit`; any thread may use it.
    private nonisolated(unsafe) let rest = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// - Parameter threads: how many libfuse has at most.
    init(threads: Int) {
        turns = Mutex(ListenerTurns(processors: Self.processors, most: threads))
        sem_init(rest, 0, 0)
    }

    deinit {
        sem_destroy(rest)
        rest.deallocate()
    }

    /// read(2) of the next request, once it is this thread's turn.
    func read(_ device: Int32, _ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int {
        let isAwake = awaitTurn()
        let start = ContinuousClock.now
        if isAwake { Self.lookFor(ListenerTurns.longestAwake, at: device) }
        let count = Glibc.read(device, buffer, size)
        let reason = errno
        if count > 0 {
            let leavesMore = Self.isWaitedFor(buffer, count) && Self.hasRequest(device)
            let now = ContinuousClock.now
            let wakes = turns.withLock { $0.receive(waited: now - start, leavesMore: leavesMore, now: now) }
            if wakes { sem_post(rest) }
        } else {
            let wakes = turns.withLock { $0.stopListening() }
            if wakes { sem_post(rest) }
            errno = reason
        }
        return count
    }

    /// Returns when this thread is to listen, and whether awake.
    private func awaitTurn() -> Bool {
        let now = ContinuousClock.now
        let isBusy = isBusy(now)
        var turn = turns.withLock { turns in
            if let isBusy { turns.machine(isBusy: isBusy) }
            return turns.turn(now: now)
        }
        while true {
            switch turn {
            case .listen(let awake):
                return awake
            case .watch:
                var period = timespec(tv_sec: 0, tv_nsec: Int(ListenerTurns.watchPeriod / .nanoseconds(1)))
                nanosleep(&period, nil)
                turn = turns.withLock { $0.tick() }
            case .rest:
                while sem_wait(rest) != 0 {}
                turn = turns.withLock { $0.turn(now: .now) }
            }
        }
    }

    /// Whether tasks wait for a processor; nil if that is not known anew.
    private func isBusy(_ now: ContinuousClock.Instant) -> Bool? {
        guard pressure.withLock({ $0.isDue(now: now) }) else { return nil }
        let waited = ProcessorPressure.waited()
        return pressure.withLock { $0.isBusy(waited: waited, now: now) }
    }

    /// Waits for a request without going to sleep.
    private static func lookFor(_ time: Duration, at device: Int32) {
        let end = ContinuousClock.now + time
        while !hasRequest(device), .now < end {}
    }

    private static func hasRequest(_ device: Int32) -> Bool {
        var device = pollfd(fd: device, events: Int16(POLLIN), revents: 0)
        return poll(&device, 1, 0) != 0
    }

    /// Whether the caller waits for the answer to a request.
    private static func isWaitedFor(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        guard count >= MemoryLayout<fuse_in_header>.size else { return false }
        switch fuse_opcode(rawValue: buffer.loadUnaligned(as: fuse_in_header.self).opcode) {
        case FUSE_RELEASE, FUSE_RELEASEDIR, FUSE_FORGET, FUSE_BATCH_FORGET, FUSE_INTERRUPT: return false
        default: return true
        }
    }

    /// How many this process may use.
    private static var processors: Int {
        var set = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return 1 }
        return withUnsafeBytes(of: set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    }
}
