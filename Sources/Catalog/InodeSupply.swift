import Documents
import Synchronization

/// Gives out unused inode numbers: no row has them, and none was given out since the catalog was opened.
///
/// The count is kept in memory. After a crash a number may be given out again that no row had; that is safe, because the
/// kernel forgets all numbers when the mount ends.
final class InodeSupply: Sendable {
    private let last: Mutex<Int64>

    /// - Parameter last: the greatest number that a row has or, as far as SQLite recorded it, ever had.
    init(last: Int64) { self.last = Mutex(last) }

    func next() -> InodeNumber {
        last.withLock { last in
            last += 1
            return InodeNumber(last)
        }
    }
}
