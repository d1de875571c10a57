import Documents
import Library

/// A remote change that a thread of ours carries out once more as system calls on our own mount, because
/// the kernel tells watchers (inotify) of system calls only. Without it no program that watches a folder hears of other devices
/// (Mechanisms). A display name that a document got here without rename(2) is shown in the same way.
///
/// The tree has the change already: the calls are answered as if they made it, and do nothing. Names are answered as they were when the
/// change happened, whatever they mean since: so several changes replay one after the other.
struct Reenactment {
    /// A request of that thread.
    enum Call: Equatable {
        case lookup(folder: InodeNumber, name: String)
        /// create, mkdir or symlink
        case make(folder: InodeNumber, name: String)
        /// unlink or rmdir
        case remove(folder: InodeNumber, name: String)
        case rename(folder: InodeNumber, name: String, newFolder: InodeNumber, newName: String)
        case open(InodeNumber)
        case touch(InodeNumber)
    }

    enum Answer: Equatable {
        /// The entry that the name means, or that the call has made.
        case entry(ListedPath.Component)
        case absent
        case done
        /// The call does not belong to the change. It is refused, so that this thread never changes anything.
        case refused
        /// The file system answers as always: a name above `local` and `cloud`, or a request that is not for the change.
        case notOurs
    }

    let change: RemoteChange
    /// Inodes that the kernel was told of under the names of the change. Without it the kernel may hold something
    /// else under a name that it did not ask for.
    private var known: Set<InodeNumber> = []

    init(change: RemoteChange) { self.change = change }

    mutating func answer(to call: Call) -> Answer {
        let answer = reply(to: call)
        if case .lookup = call, case .entry(let listed) = answer { known.insert(listed.inode) }
        return answer
    }

    private func reply(to call: Call) -> Answer {
        switch (change, call) {
        case (_, .lookup(let folder, let name)): meaning(of: name, in: folder)
        case (.created(let path), .make(let folder, let name)) where path.entry.isNamed(name, in: folder):
            .entry(path.entry)
        case (.removed(let path), .remove(let folder, let name))
        where path.entry.isNamed(name, in: folder) && known.contains(path.entry.inode): .done
        case (.moved(let from, let to), .rename(let folder, let name, let newFolder, let newName))
        where from.entry.isNamed(name, in: folder) && to.entry.isNamed(newName, in: newFolder)
            && known.contains(from.entry.inode):
            .done
        case (.modified(let path), .open(let inode)) where path.entry.inode == inode: .done
        case (.modified(let path), .touch(let inode)) where path.entry.inode == inode: .done
        default: .refused
        }
    }

    private func meaning(of name: String, in folder: InodeNumber) -> Answer {
        for path in change.paths {
            if let listed = path.folders.first(where: { $0.isNamed(name, in: folder) }) { return .entry(listed) }
        }
        switch change {
        case .created(let path):
            if path.entry.isNamed(name, in: folder) { return .absent }
        case .modified(let path), .removed(let path):
            if path.entry.isNamed(name, in: folder) { return .entry(path.entry) }
        case .moved(let from, let to):
            if from.entry.isNamed(name, in: folder) { return .entry(from.entry) }
            if to.entry.isNamed(name, in: folder) { return .absent }
        }
        return folder < .local ? .notOurs : .absent
    }
}

extension ListedPath.Component {
    fileprivate func isNamed(_ name: String, in folder: InodeNumber) -> Bool {
        self.folder == folder && self.name.isIdentical(to: name)
    }
}
