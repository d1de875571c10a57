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
        var isEnabled = false
        var typed: Set<Place> = []
        /// The documents whose listed names the kernel may remember.
        var listed: Set<InodeNumber> = []
        /// More were listed than are kept here: any may be remembered.
        var hasMoreListed = false

        mutating func forgetAll() {
            typed = []
            listed = []
            hasMoreListed = false
        }
    }

    /// Of each kind: some MB of memory.
    private static let most = 1 << 16

    private let state = Mutex(State())

    /// The kernel can be told to ask for every name once more.
    func enable() { state.withLock { $0.isEnabled = true } }

    /// The kernel is about to be given a name that no listing shows.
    ///
    /// - Returns: whether it may remember it.
    func noteTyped(_ name: String, in folder: InodeNumber) -> Bool {
        // In `Documents` itself a name means a document of the preferred folder: what it means changes there.
        if folder <= .documents { return false }
        return state.withLock { state in
            guard state.isEnabled, state.typed.count < Self.most else { return false }
            state.typed.insert(Place(folder: folder, name: ExactName(name)))
            return true
        }
    }

    /// The kernel is about to be given the listed names of documents, which it may remember.
    func noteListed(_ documents: some Sequence<InodeNumber>) {
        state.withLock { state in
            guard state.isEnabled else { return }
            for document in documents where !state.hasMoreListed {
                state.listed.insert(document)
                state.hasMoreListed = state.listed.count >= Self.most
            }
            if state.hasMoreListed { state.listed = [] }
        }
    }

    /// The kernel holds an inode no longer, and so none of its names.
    func forget(_ inode: InodeNumber) {
        state.withLock { state in
            if !state.listed.isEmpty { state.listed.remove(inode) }
        }
    }

    /// These names may mean something else from now on.
    ///
    /// - Parameter document: the document that has just been changed by one of its names, where that is not among `names`.
    /// - Returns: whether the kernel may remember one of them, and must be told to ask for every name once more; then all are forgotten here.
    func mustAskAgain(_ names: [String], in folder: InodeNumber, of document: InodeNumber? = nil) -> Bool {
        state.withLock { state in
            let isListed = document.map { state.hasMoreListed || state.listed.contains($0) } ?? false
            let isGiven = isListed || names.contains { state.typed.contains(Place(folder: folder, name: ExactName($0))) }
            if isGiven { state.forgetAll() }
            return isGiven
        }
    }
}
