import Catalog
import Documents
import Synchronization

/// The names that the kernel may have in its cache, of documents with two names: the one that listings show (listed), and the other
/// one (typed).
///
/// While a request holds a folder, the kernel can be made to forget a name in it only by expiring all names at once
/// (FUSE_NOTIFY_INC_EPOCH, Linux 6.16). That is costly. So names are expired only if the kernel has been given a name that changes its
/// meaning, other than the one in the call. A kernel without this notification may cache listed names only.
///
/// Names are recorded under the tree's lock, in the transaction in which they are resolved: a change that follows finds them here.
final class GivenNames: Sendable {
    private struct FolderName: Hashable {
        let folder: InodeNumber
        let name: ExactName
    }

    private struct State {
        /// Makes the kernel look up every name anew. Nil where the kernel cannot do so.
        var expireAllNames: (@Sendable () -> Void)?
        var typed: Set<FolderName> = []
        /// The documents whose listed names the kernel may have cached.
        var listed: Set<InodeNumber> = []
        /// More were listed than are recorded here: the kernel may have cached any listed name.
        var hasMoreListed = false

        mutating func forgetAll() {
            typed = []
            listed = []
            hasMoreListed = false
            // With the lock held: another thread that finds nothing recorded relies on the kernel's having been told.
            expireAllNames?()
        }
    }

    /// Of each kind. They need some MB of memory.
    private static let maximumCount = 1 << 16

    private let isEnabled = Atomic(false)
    private let state = Mutex(State())

    /// - Parameter expireAllNames: makes the kernel look up every name anew; takes no lock of the kernel's or of ours.
    func enable(expireAllNames: @escaping @Sendable () -> Void) {
        state.withLock { $0.expireAllNames = expireAllNames }
        isEnabled.store(true, ordering: .releasing)
    }

    /// The kernel is about to be given a name that no listing shows.
    ///
    /// - Returns: whether the kernel may cache it.
    func recordTyped(_ name: String, in folder: InodeNumber) -> Bool {
        // A name in `Documents` means a document of the preferred folder. Changes there do not tell of the name here.
        if folder <= .documents || !isEnabled.load(ordering: .acquiring) { return false }
        return state.withLock { state in
            if state.typed.count >= Self.maximumCount { state.forgetAll() }
            state.typed.insert(FolderName(folder: folder, name: ExactName(name)))
            return true
        }
    }

    /// The kernel is about to be given the listed names of documents, which it may cache.
    func recordListed(_ documents: some Sequence<InodeNumber>) {
        if !isEnabled.load(ordering: .acquiring) { return }
        state.withLock { state in
            for document in documents where !state.hasMoreListed {
                state.listed.insert(document)
                state.hasMoreListed = state.listed.count >= Self.maximumCount
            }
            if state.hasMoreListed { state.listed = [] }
        }
    }

    /// The kernel has forgotten an inode, and with it all its names.
    func forget(_ inode: InodeNumber) {
        if !isEnabled.load(ordering: .acquiring) { return }
        state.withLock { state in
            if !state.listed.isEmpty { state.listed.remove(inode) }
        }
    }

    /// These names may mean another entry from now on. If the kernel may have cached one of them, all its names are expired when this
    /// returns.
    ///
    /// - Parameter document: the document of the names, if the call did not use its listed name: then that name changes as well.
    func expire(_ names: @autoclosure () -> [String], in folder: InodeNumber, of document: InodeNumber? = nil) {
        if !isEnabled.load(ordering: .acquiring) { return }
        let names = names()
        state.withLock { state in
            let isListed = document.map { state.hasMoreListed || state.listed.contains($0) } ?? false
            if isListed
                || names.contains(where: { state.typed.contains(FolderName(folder: folder, name: ExactName($0))) })
            {
                state.forgetAll()
            }
        }
    }
}
