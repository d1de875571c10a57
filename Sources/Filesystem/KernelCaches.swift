import CFuse
import Catalog
import Dispatch
import Glibc
import Library
import Synchronization

/// Keeps the kernel from believing what is no longer true.
///
/// Attributes and listings are dropped at once: that takes no lock of the kernel's, so it may happen within a
/// request. A stat or open that comes by a name that went then asks us about its inode, is told
/// ESTALE, and looks the name up again. Names are dropped from a thread of their own, since the
/// kernel takes the directory's lock for it, which the request at hand may be holding. Names are
/// expired, not removed, so that a folder someone stands in stays theirs. Of a document's two names the one that is not listed is
/// forgotten with all names at once (`askForNamesAgain`).
final class KernelCaches: LibraryObserver {
    private let session: FuseSession
    private let queue = DispatchQueue(label: "docfs.kernel-caches")
    private let folderStreams: FolderStreams
    private let statePolls: StatePolls
    private let remoteEvents: RemoteEvents

    init(session: FuseSession, folderStreams: FolderStreams, statePolls: StatePolls, remoteEvents: RemoteEvents) {
        self.session = session
        self.folderStreams = folderStreams
        self.statePolls = statePolls
        self.remoteEvents = remoteEvents
    }

    func nameChanged(_ name: String, in parent: InodeNumber) {
        queue.async { [self] in
            session.expire(name, in: parent)
            listingChanged(of: parent)
        }
    }

    /// Makes the kernel ask for every name once more when it is used next.
    func askForNamesAgain() { session.increaseEpoch() }

    func listingChanged(of folder: InodeNumber) {
        folderStreams.overtake(folder)
        forgetListing(of: folder)
    }

    func forgetListing(of folder: InodeNumber) { session.forgetListing(of: folder) }

    func attributesChanged(of inode: InodeNumber) { _ = session.forgetAttributes(of: inode) }

    /// After the names that changed with it are expired. What tells of it locks the folder and then the document, which the request at
    /// hand may hold: if that waited for names of the folder (`settleNames`), all three would wait for one another.
    func remotelyChanged(_ changes: [RemoteChange]) {
        queue.async { [self] in tellWatchers(of: changes) }
    }

    /// Only where somebody can be watching: who watches a folder keeps the kernel from forgetting it.
    private func tellWatchers(of changes: [RemoteChange]) {
        var isKnown: [InodeNumber: Bool] = [:]
        for change in changes {
            let folders = change.places.map(\.entry.folder)
            for folder in folders where isKnown[folder] == nil {
                isKnown[folder] = session.forgetAttributes(of: folder)
            }
            guard folders.contains(where: { isKnown[$0] == true }) else { continue }
            remoteEvents.tell(change) { [session] in session.expire($0, in: $1) }
        }
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

/// What can be told to the kernel of a session at any time.
///
/// `@unchecked`: libfuse lets these be called from any thread; the session outlives all who have this.
struct FuseSession: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Makes the kernel ask once more for every name, when it is used next (Linux 6.16). It takes no lock, so it may happen within a
    /// request. libfuse 3.14 does not know this notification: a header alone, whose error is the code.
    fileprivate func increaseEpoch() {
        var header = fuse_out_header(len: UInt32(MemoryLayout<fuse_out_header>.size), error: 8, unique: 0)
        _ = write(fuse_session_fd(pointer), &header, Int(header.len))
    }

    /// Whether the kernel that speaks this version of the protocol can be told so.
    static func knowsEpochs(minor: UInt32) -> Bool { minor >= 44 }

    /// Makes the kernel ask anew what a name means. Not within a request that holds the folder.
    fileprivate func expire(_ name: String, in folder: InodeNumber) {
        // ENOENT means that the kernel did not know the name: nothing to do.
        _ = fuse_lowlevel_notify_expire_entry(
            pointer, fuse_ino_t(folder.number), name, name.utf8.count, FUSE_LL_EXPIRE_ONLY)
    }

    /// And its attributes.
    fileprivate func forgetListing(of folder: InodeNumber) {
        _ = fuse_lowlevel_notify_inval_inode(pointer, fuse_ino_t(folder.number), 0, 0)
    }

    /// - Returns: whether the kernel knows the inode.
    fileprivate func forgetAttributes(of inode: InodeNumber) -> Bool {
        fuse_lowlevel_notify_inval_inode(pointer, fuse_ino_t(inode.number), -1, 0) == 0
    }
}
