import Synchronization

/// Commits that several writes share. A commit takes longer than all else that making a small file does,
/// and is there for the case that the process dies suddenly; what can be found out anew then may wait. Who asked has
/// the answer meanwhile, so that even the rows can be written after it.
///
/// Most of it is used within the catalog's queue only; whether anything waits is asked from anywhere.
public final class Deferral: Sendable {
    /// How long one may wait.
    public static let longest = Duration.milliseconds(10)
    private static let mostChanges = 500

    /// What a row tells of that can be seen in the files as well. The two never wait together: a new file may get the
    /// inode number of a removed one, by which it would be taken for that. For the same reason a file whose place was
    /// taken goes after the commit (`Catalog.whenCommitted`).
    public enum Kind: Sendable {
        case creation, removal
    }

    /// A change that waits: kept, so that it can be made again when another write is rolled back, which
    /// takes the whole transaction.
    enum Change: Sendable {
        case insertion(Entry)
        case update(Entry)
        case deletion(InodeNumber)
        /// Another file took the place of an entry's.
        case replacement(InodeNumber, by: Entry)

        fileprivate var takesPlace: Bool { if case .replacement = self { true } else { false } }
    }

    private struct Write {
        /// What of it may wait.
        var kind: Kind?
        /// Whether it asked for that.
        var isAsked = false
        var changes: [Change] = []
    }

    private struct State {
        /// The one under way.
        var write = Write()
        /// What the writes in the open transaction are.
        var waiting: Kind?
        var changes: [Change] = []
        /// How many of them, the last ones, are not in the rows yet.
        var postponed = 0
        /// What was made by those writes, and has not taken the place of anything: no row tells of it.
        var created: Set<InodeNumber> = []
        /// What must not be done before the commit, and what need not wait for one any more.
        var kept: [@Sendable () -> Void] = []
        var released: [@Sendable () -> Void] = []
        /// Whether somebody has been told to commit them.
        var isScheduled = false
        var hasLost = false

        mutating func noteCreated(_ changes: [Change]) {
            for change in changes {
                switch change {
                case .insertion(let entry): created.insert(entry.inode)
                case .replacement(_, let entry): created.remove(entry.inode)
                case .update, .deletion: break
                }
            }
        }

        mutating func endChanges() { (changes, created) = ([], []) }
    }

    private let state = Mutex(State())

    /// Whether a transaction is open that others may join.
    var isOpen: Bool { state.withLock { !$0.changes.isEmpty } }

    /// Whether changes wait for their rows.
    var hasPostponed: Bool { state.withLock { $0.postponed > 0 } }

    /// Whether changes were lost that had waited.
    var hasLost: Bool { state.withLock(\.hasLost) }

    /// - Parameter kind: nil where nothing may wait.
    /// - Returns: whether the write that begins needs a transaction of its own.
    func begin(_ kind: Kind?) -> Bool {
        state.withLock { state in
            state.write = Write(kind: kind)
            return state.changes.isEmpty
        }
    }

    /// Whether a write of that kind may wait with what waits already: decided before it does anything, since what it
    /// does to files cannot be undone when a commit fails.
    func canJoin(_ kind: Kind) -> Bool {
        state.withLock { $0.changes.isEmpty || $0.waiting == kind && $0.changes.count < Self.mostChanges }
    }

    func ask() {
        state.withLock { state in state.write.isAsked = state.write.kind != nil }
    }

    /// A change that is going to be made.
    ///
    /// - Returns: whether its row waits.
    func postpones(_ change: @autoclosure () -> Change) -> Bool {
        state.withLock { state in
            if state.write.isAsked { state.write.changes.append(change()) }
            return state.write.isAsked
        }
    }

    /// Whether the making of an entry waits, so that no row tells of its file.
    func isCreated(_ inode: InodeNumber) -> Bool { state.withLock { $0.created.contains(inode) } }

    enum Next: Equatable { case commit, schedule, nothing }

    /// What is to be done after a write.
    func next() -> Next {
        state.withLock { state in
            let write = state.write
            // What changed nothing leaves to wait what waits.
            guard write.isAsked, !write.changes.isEmpty || !state.changes.isEmpty else { return .commit }
            state.waiting = write.kind
            state.changes += write.changes
            state.postponed += write.changes.count
            state.noteCreated(write.changes)
            defer { state.isScheduled = true }
            return state.isScheduled ? .nothing : .schedule
        }
    }

    /// The changes whose rows are written now.
    func takePostponed() -> [Change] {
        state.withLock { state in
            defer { state.postponed = 0 }
            // What is done now is no write of its own.
            state.write = Write()
            return Array(state.changes.suffix(state.postponed))
        }
    }

    /// Who was told to commit is there.
    func come() { state.withLock { $0.isScheduled = false } }

    /// They are committed.
    func end() {
        state.withLock { state in
            state.endChanges()
            state.released += state.kept
            state.kept = []
        }
    }

    /// Whether something waits that took the place of something.
    var hasTakenPlaces: Bool { state.withLock { $0.changes.contains(where: \.takesPlace) } }

    /// Keeps what must not be done before what waits is committed.
    ///
    /// - Returns: false where nothing waits.
    func keep(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if !state.changes.isEmpty { state.kept.append(work) }
            return !state.changes.isEmpty
        }
    }

    /// What was kept and need not be any longer.
    func takeReleased() -> [@Sendable () -> Void] {
        state.withLock { state in
            defer { state.released = [] }
            return state.released
        }
    }

    /// The transaction is gone, and with it what waited in it: to be made again.
    func take() -> [Change] {
        state.withLock { state in
            defer {
                state.endChanges()
                (state.postponed, state.write) = (0, Write())
            }
            return state.changes
        }
    }

    func restore(_ changes: [Change]) { state.withLock { $0.changes = changes } }

    func lose() { state.withLock { $0.hasLost = true } }
}
