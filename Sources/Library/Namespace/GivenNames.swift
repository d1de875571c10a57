import Catalog
import Documents
import Synchronization

/// Which names of documents the kernel has been given, of those with two names: the one that listings show, and the other one.
///
/// The kernel can be made to forget a name while a request holds its folder only by making it ask for every name once more
/// (FUSE_NOTIFY_INC_EPOCH, Linux 6.16). So it is told of a change only if it has been given a name that goes with it, other than the one
/// in the call. Where the kernel cannot be told, it may remember listed names only.
///
/// Names are noted with the tree's lock, in the same turn in which they are resolved: a change that follows finds them here.
final class GivenNames: Sendable {
    private struct Place: Hashable {
        let folder: InodeNumber
        let name: ExactName
    }

    private struct State {
        /// Makes the kernel ask for every name once more. Nil where it cannot be told.
        var askAgain: (@Sendable () -> Void)?
        var typed: Set<Place> = []
        /// The documents whose listed names the kernel may remember.
        var listed: Set<InodeNumber> = []
        /// More were listed than are kept here: any may be remembered.
        var hasMoreListed = false

        mutating func forgetAll() {
            typed = []
            listed = []
            hasMoreListed = false
            // Still with the lock: who finds nothing to forget may rely on the kernel's having been told.
            askAgain?()
        }
    }

    /// Of each kind: some MB of memory.
    private static let most = 1 << 16

    private let isEnabled = Atomic(false)
    private let state = Mutex(State())

    /// - Parameter askAgain: makes the kernel ask for every name once more; takes no lock of the kernel's or of ours.
    func enable(askAgain: @escaping @Sendable () -> Void) {
        state.withLock { $0.askAgain = askAgain }
        isEnabled.store(true, ordering: .releasing)
    }

    /// The kernel is about to be given a name that no listing shows.
    ///
    /// - Returns: whether it may remember it.
    func noteTyped(_ name: String, in folder: InodeNumber) -> Bool {
        // In `Documents` itself a name means a document of the preferred folder: what it means changes there.
        if folder <= .documents || !isEnabled.load(ordering: .acquiring) { return false }
        return state.withLock { state in
            if state.typed.count >= Self.most { state.forgetAll() }
            state.typed.insert(Place(folder: folder, name: ExactName(name)))
            return true
        }
    }

    /// The kernel is about to be given the listed names of documents, which it may remember.
    func noteListed(_ documents: some Sequence<InodeNumber>) {
        if !isEnabled.load(ordering: .acquiring) { return }
        state.withLock { state in
            for document in documents where !state.hasMoreListed {
                state.listed.insert(document)
                state.hasMoreListed = state.listed.count >= Self.most
            }
            if state.hasMoreListed { state.listed = [] }
        }
    }

    /// The kernel holds an inode no longer, and so none of its names.
    func forget(_ inode: InodeNumber) {
        if !isEnabled.load(ordering: .acquiring) { return }
        state.withLock { state in
            if !state.listed.isEmpty { state.listed.remove(inode) }
        }
    }

    /// These names may mean something else from now on. If the kernel may remember one of them, it asks for every name once more when this
    /// returns.
    ///
    /// - Parameter document: the document that has just been changed by one of its names, where that is not the listed one.
    func changed(_ names: @autoclosure () -> [String], in folder: InodeNumber, of document: InodeNumber? = nil) {
        if !isEnabled.load(ordering: .acquiring) { return }
        let names = names()
        state.withLock { state in
            let isListed = document.map { state.hasMoreListed || state.listed.contains($0) } ?? false
            if isListed || names.contains(where: { state.typed.contains(Place(folder: folder, name: ExactName($0))) }) {
                state.forgetAll()
            }
        }
    }
}
