import Synchronization

/// Commits that several writes share. A commit takes longer than all else that making a small file does,
/// and is there for the case that the process dies suddenly; what can be found out anew then may wait.
///
/// Used within the catalog's queue only; the lock is for the compiler.
public final class Deferral: Sendable {
    /// How long one may wait.
    public static let longest = Duration.milliseconds(10)
    private static let mostWrites = 500

    /// What a row tells of that can be seen in the files as well. The two never wait in one transaction: a new file
    /// may have got the inode number of a removed one, by which it would be taken for that.
    public enum Kind: Sendable {
        case creation, removal
    }

    private struct State {
        /// What the write under way is, if it asked for it.
        var asked: Kind?
        /// What the writes in the open transaction are.
        var waiting: Kind?
        /// In the transaction that is open.
        var writes = 0
        /// Whether somebody has been told to commit it.
        var isScheduled = false
        var hasLost = false
    }

    private let state = Mutex(State())

    /// Whether a transaction is open that others may join.
    var isOpen: Bool { state.withLock { $0.writes > 0 } }

    /// Whether writes were lost that had been left open.
    var hasLost: Bool { state.withLock(\.hasLost) }

    /// - Returns: whether the write that begins needs a transaction of its own.
    func begin() -> Bool {
        state.withLock { state in
            state.asked = nil
            return state.writes == 0
        }
    }

    func ask(_ kind: Kind) { state.withLock { $0.asked = kind } }

    enum Next: Equatable { case commit, schedule, nothing }

    /// What is to be done after a write.
    func next(isPossible: Bool) -> Next {
        state.withLock { state in
            guard isPossible, let kind = state.asked, state.writes == 0 || state.waiting == kind, state.writes < Self.mostWrites else {
                return .commit
            }
            state.waiting = kind
            state.writes += 1
            defer { state.isScheduled = true }
            return state.isScheduled ? .nothing : .schedule
        }
    }

    /// Who was told to commit is there.
    func come() { state.withLock { $0.isScheduled = false } }

    func end() { state.withLock { $0.writes = 0 } }

    /// The transaction is gone, and what was in it.
    func lose() {
        state.withLock { state in
            state.hasLost = state.hasLost || state.writes > 0
            state.writes = 0
        }
    }
}
