import Dispatch
import Documents
import Library

/// Keeps the kernel from believing what is no longer true.
///
/// Attributes and listings are forgotten at once: that takes no lock of the kernel's, so it may happen within a
/// request. A stat or open by a name that is gone then asks docfs about the inode, gets ESTALE, and the kernel looks the name up
/// again. Names are expired from a thread of their own, since the kernel takes the directory's lock for it, which the request at hand may
/// be holding. Names are expired, not removed, so that a folder in which a process stands stays its working directory. Of a document's two
/// names the one that is not listed is forgotten with all names at once (`askForNamesAgain`).
final class KernelCaches: LibraryObserver {
    typealias WatcherNotice =
        @Sendable (
            _ change: RemoteChange, _ expire: @escaping @Sendable (_ name: String, _ folder: InodeNumber) -> Void
        ) -> Void

    private let kernel: any KernelNotifications
    private let queue = DispatchQueue(label: "docfs.kernel-caches")
    private let folderStreams: FolderStreams
    private let statePolls: StatePolls
    private let showToWatchers: WatcherNotice
    private let patience: DispatchTimeInterval

    /// - Parameters:
    ///   - patience: how long a request waits at most until names are forgotten.
    ///   - showToWatchers: `RemoteEvents.show`.
    init(
        kernel: any KernelNotifications, folderStreams: FolderStreams, statePolls: StatePolls,
        patience: DispatchTimeInterval = .milliseconds(100), showToWatchers: @escaping WatcherNotice
    ) {
        self.patience = patience
        self.kernel = kernel
        self.folderStreams = folderStreams
        self.statePolls = statePolls
        self.showToWatchers = showToWatchers
    }

    func nameChanged(_ name: String, in parent: InodeNumber) {
        queue.async { [self] in
            kernel.expire(name, in: parent)
            listingChanged(of: parent)
        }
    }

    /// Makes the kernel ask for every name once more when it is used next.
    func askForNamesAgain() { kernel.expireAllNames() }

    func listingChanged(of folder: InodeNumber) {
        folderStreams.invalidate(folder)
        forgetListing(of: folder)
    }

    func forgetListing(of folder: InodeNumber) { kernel.forgetListing(of: folder) }

    func attributesChanged(of inode: InodeNumber) { _ = kernel.forgetAttributes(of: inode) }

    /// Tells watchers after the names that changed are expired. The thread that does so locks the folder and then the document, which the
    /// present request may hold: if that request waited for names of the folder (`waitUntilNamesAreForgotten`), all three would wait for
    /// one another.
    func tellWatchers(of changes: [RemoteChange]) {
        queue.async { [self] in show(changes) }
    }

    /// Only in folders that somebody can be watching: a watch keeps the kernel from forgetting the folder.
    private func show(_ changes: [RemoteChange]) {
        var isKnown: [InodeNumber: Bool] = [:]
        for change in changes {
            let folders = change.paths.map(\.entry.folder)
            for folder in folders where isKnown[folder] == nil {
                isKnown[folder] = kernel.forgetAttributes(of: folder)
            }
            guard folders.contains(where: { isKnown[$0] == true }) else { continue }
            showToWatchers(change) { [kernel] in kernel.expire($0, in: $1) }
        }
    }

    func trashChanged(_ changes: [TrashChange]) {
        tellWatchers(of: changes.map { $0.isThere ? .created(ListedPath($0)) : .removed(ListedPath($0)) })
    }

    func stateChanged() {
        guard statePolls.hasWaiting else { return }
        queue.async { [statePolls] in statePolls.wakeAll() }
    }

    func whenNamesAreForgotten(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Waits until the kernel has expired all names that changed until now. Bounded, since the kernel may be waiting for us with the
    /// directory's lock held.
    func waitUntilNamesAreForgotten() {
        let expired = DispatchSemaphore(value: 0)
        queue.async { expired.signal() }
        _ = expired.wait(timeout: .now() + patience)
    }

    /// Waits until the kernel has been told everything.
    func drain() { queue.sync {} }
}

extension ListedPath {
    /// The path of something in the trash. Its inode numbers are the kernel's.
    init(_ change: TrashChange) {
        let top = Node.folderInTrash(.top), files = Node.folderInTrash(.files)
        var kind = EntryKind.document
        if case .folderInTrash = change.node { kind = .folder }
        self.init(
            below: Library.trashDirectoryName,
            folders: [
                .init(
                    folder: InodeNumber(kernel: top), name: FolderInTrash.files.name ?? "",
                    inode: InodeNumber(kernel: files), kind: .folder)
            ],
            entry: .init(
                folder: InodeNumber(kernel: files), name: change.label, inode: InodeNumber(kernel: change.node),
                kind: kind))
    }
}

extension InodeNumber {
    /// The kernel's number of any node.
    init(kernel node: Node) { self.init(Int64(node.number)) }
}
