import Catalog
import Documents
import Synchronization

/// Hears what changed in the tree, once it has. Called from any thread, never with the tree's lock.
public protocol LibraryObserver: Sendable {
    /// `name` in `parent` may mean something else from now on, or nothing; a listing of `parent` may show others.
    func nameChanged(_ name: String, in parent: InodeNumber)
    /// Runs `body` when the kernel has been told of all names that changed until now.
    func whenNamesAreForgotten(_ body: @escaping @Sendable () -> Void)
    /// Waits, for a short while at most, until names that changed are forgotten. Only where the kernel
    /// holds no directory for the operation under way.
    func settleNames()
    /// What a folder lists changed without the kernel's knowing, and with it the folder's attributes.
    func listingChanged(of folder: InodeNumber)
    /// The attributes of an inode changed without the kernel's knowing.
    func attributesChanged(of inode: InodeNumber)
    /// Some document's state may have changed.
    func stateChanged()
    /// Other devices changed the tree, or a document got another name otherwise than by rename(2); it is done.
    func remotelyChanged(_ changes: [RemoteChange])
}

/// Tells the observer, and when a state last changed.
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

    /// Some document's state may have changed.
    func stateChanged() {
        let now = now()
        let observer = state.withLock { state in
            state.lastStateChange = now
            return state.observer
        }
        observer?.stateChanged()
    }

    /// When some document's state last changed, or may have: the time of the state files.
    var stateTime: Timestamp { state.withLock(\.lastStateChange) }
}
