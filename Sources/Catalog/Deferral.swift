import Synchronization

/// Commits that several writes share. A commit takes longer than all else that making a small file does,
/// and is there for the case that the process dies suddenly; what can be found out anew then may wait.
///
/// Used within the catalog's queue only; the lock is for the compiler.
public final class Deferral: Sendable {
    /// How long one may wait.
    public static let longest = Duration.milliseconds(10)
    private static let mostChanges = 500

    /// What a row tells of that can be seen in the files as well. The two never wait together: a new file may get the
    /// inode number of a removed one, by which it would be taken for that.
    public enum Kind: Sendable {
        case creation, removal
    }

    /// A change that waits: kept, so that it can be made again when another write is rolled back, which
    /// takes the whole transaction.
    enum Change: Sendable {
        case insertion(Entry)
        case deletion(InodeNumber)
    }

    private struct State {
        /// Whether the write under way asked for it.
        var isAsked = false
        /// What it has changed.
        var change: Change?
        /// What the writes in the open transaction are.
        var waiting: Kind?
        var changes: [Change] = []
        /// Whether somebody has been told to commit them.
        var isScheduled = false
        var hasLost = false
    }

    private let state = Mutex(State())

    /// Whether a transaction is open that others may join.
    var isOpen: Bool { state.withLock { !$0.changes.isEmpty } }

    /// Whether changes were lost that had waited.
    var hasLost: Bool { state.withLock(\.hasLost) }

    /// - Returns: whether the write that begins needs a transaction of its own.
    func begin() -> Bool {
        state.withLock { state in
            (state.isAsked, state.change) = (false, nil)
            return state.changes.isEmpty
        }
    }

    /// Whether a write of that kind may wait with what waits already: decided before it does anything, since what it
    /// does to files cannot be undone when a commit fails.
    func canJoin(_ kind: Kind) -> Bool {
        state.withLock { $0.changes.isEmpty || $0.waiting == kind && $0.changes.count < Self.mostChanges }
    }

    func ask() { state.withLock { $0.isAsked = true } }

    func note(_ change: @autoclosure () -> Change) {
        state.withLock { state in if state.isAsked { state.change = change() } }
    }

    enum Next: Equatable { case commit, schedule, nothing }

    /// What is to be done after a write.
    ///
    /// - Parameter kind: nil where it may not wait.
    func next(kind: Kind?) -> Next {
        state.withLock { state in
            guard let kind, state.isAsked, let change = state.change else { return .commit }
            state.waiting = kind
            state.changes.append(change)
            defer { state.isScheduled = true }
            return state.isScheduled ? .nothing : .schedule
        }
    }

    /// Who was told to commit is there.
    func come() { state.withLock { $0.isScheduled = false } }

    func end() { state.withLock { $0.changes = [] } }

    /// The transaction is gone, and with it what waited in it: to be made again.
    func take() -> [Change] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    func restore(_ changes: [Change]) { state.withLock { $0.changes = changes } }

    func lose() { state.withLock { $0.hasLost = true } }
}
