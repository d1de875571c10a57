import Synchronization

/// Gives out inode numbers that nothing has had since the catalog was opened, and no row has.
///
/// They are counted in memory: a kernel that has seen one forgets it with the mount.
final class InodeSupply: Sendable {
    private let last: Mutex<Int64>

    /// - Parameter last: the greatest number that a row has, or had as far as SQLite knows.
    init(last: Int64) { self.last = Mutex(last) }

    func next() -> InodeNumber {
        last.withLock { last in
            last += 1
            return InodeNumber(last)
        }
    }
}
