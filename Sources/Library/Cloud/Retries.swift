import Documents
import Catalog
import Synchronization

/// When a transfer that failed may be tried again: after 1 s, 2 s, 4 s, up to 5 minutes.
package final class Retries: Sendable {
    private struct Failure {
        var count: Int
        var due: ContinuousClock.Instant
    }

    private static let longestPause = 300

    private let failures = Mutex<[InodeNumber: Failure]>([:])
    private let instant: @Sendable () -> ContinuousClock.Instant

    /// - Parameter instant: the present instant of a clock that only goes forward.
    package init(instant: @escaping @Sendable () -> ContinuousClock.Instant) { self.instant = instant }

    /// Whether a transfer may be tried now. True for an entry that has not failed since it last succeeded.
    package func isDue(_ inode: InodeNumber) -> Bool {
        let now = instant()
        return failures.withLock { $0[inode].map { $0.due <= now } ?? true }
    }

    /// - Returns: how long to wait before the next try.
    package func failed(_ inode: InodeNumber) -> Duration {
        let now = instant()
        return failures.withLock { failures in
            let count = (failures[inode]?.count ?? 0) + 1
            let pause = Duration.seconds(min(Self.longestPause, 1 << min(count - 1, 10)))
            failures[inode] = Failure(count: count, due: now + pause)
            return pause
        }
    }

    /// The inode number of an entry changed.
    func renumber(from inode: InodeNumber, to newInode: InodeNumber) {
        failures.withLock { failures in failures[newInode] = failures.removeValue(forKey: inode) }
    }

    /// The next failure waits one second again.
    package func succeeded(_ inode: InodeNumber) {
        failures.withLock { _ = $0.removeValue(forKey: inode) }
    }
}
