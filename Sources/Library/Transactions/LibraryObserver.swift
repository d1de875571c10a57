import Catalog
import Documents
import Synchronization

/// Is told of changes in the tree after their commit. Called from any thread, never with the tree's lock held.
public protocol LibraryObserver: Sendable {
    /// `name` in `parent` may mean another entry from now on, or none; a listing of `parent` may show other names.
    func nameChanged(_ name: String, in parent: InodeNumber)
    /// Runs `body` when the kernel has forgotten all names that changed until now.
    func whenNamesAreForgotten(_ body: @escaping @Sendable () -> Void)
    /// Waits, for a short while at most, until the kernel has forgotten all names that changed until now. Only for a request for which the
    /// kernel has not locked the directory of these names.
    func waitUntilNamesAreForgotten()
    /// A folder's listing and attributes changed, and the kernel does not know of it.
    func listingChanged(of folder: InodeNumber)
    /// An inode's attributes changed, and the kernel does not know of it.
    func attributesChanged(of inode: InodeNumber)
    /// The state of a document may have changed.
    func stateChanged()
    /// Tells watchers (inotify) of changes that no system call on the mount made: other devices changed the tree, or a document got
    /// another name otherwise than by rename(2).
    func tellWatchers(of changes: [RemoteChange])
    /// Tells watchers of what came and went in `.Trash-UID/files`, in this order, and not by a call on it.
    func trashChanged(_ changes: [TrashChange])
}

/// A name in `.Trash-UID/files` that came or went.
public struct TrashChange: Sendable, Equatable {
    public let label: String
    public let node: Node
    /// Whether it came; else it went.
    public let isThere: Bool
}

/// The observer, and the time of the last change of a state.
final class ChangeNotices: Sendable {
    private struct State {
        var observer: (any LibraryObserver)?
        var lastStateChange: Timestamp
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        state = Mutex(State(lastStateChange: now()))
    }

    var observer: (any LibraryObserver)? {
        get { state.withLock(\.observer) }
        set { state.withLock { $0.observer = newValue } }
    }

    /// The state of a document may have changed.
    func stateChanged() {
        let now = now()
        let observer = state.withLock { state in
            state.lastStateChange = now
            return state.observer
        }
        observer?.stateChanged()
    }

    /// When the state of a document may have changed last: the time of the state files.
    var stateTime: Timestamp { state.withLock(\.lastStateChange) }
}
