import CFuse
import Catalog
import Dispatch
import Library
import Synchronization

/// Keeps the kernel from believing what is no longer true.
///
/// Attributes are dropped at once: that takes no lock of the kernel's, so it may happen within a
/// request. A stat or open that comes by a name that went then asks us about its inode, is told
/// ESTALE, and looks the name up again. Names are dropped from a thread of their own, since the
/// kernel takes the directory's lock for it, which the request at hand may be holding. Names are
/// expired, not removed, so that a folder someone stands in stays theirs.
///
/// `@unchecked`: the session pointer is set once before the loop starts and outlives the queue's work.
final class KernelCaches: LibraryObserver, @unchecked Sendable {
    private let session: OpaquePointer
    private let queue = DispatchQueue(label: "docfs.kernel-caches")
    private let statePolls: StatePolls

    init(session: OpaquePointer, statePolls: StatePolls) {
        self.session = session
        self.statePolls = statePolls
    }

    func nameChanged(_ name: String, in parent: InodeNumber) {
        queue.async { [self] in
            // ENOENT means that the kernel did not know the name: nothing to do.
            _ = fuse_lowlevel_notify_expire_entry(
                session, fuse_ino_t(parent.number), name, name.utf8.count, FUSE_LL_EXPIRE_ONLY)
        }
    }

    func attributesChanged(of inode: InodeNumber) {
        _ = fuse_lowlevel_notify_inval_inode(session, fuse_ino_t(inode.number), -1, 0)
    }

    func stateChanged() {
        guard statePolls.hasWaiting else { return }
        queue.async { [statePolls] in statePolls.wakeAll() }
    }

    func whenNamesAreForgotten(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Bounded, since the kernel may be waiting for us with the directory's lock held.
    func settleNames() {
        let told = DispatchSemaphore(value: 0)
        queue.async { told.signal() }
        _ = told.wait(timeout: .now() + .milliseconds(100))
    }

    /// Waits until all that was to be told has been told.
    func drain() { queue.sync {} }
}
