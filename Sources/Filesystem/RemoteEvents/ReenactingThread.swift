import CFuse
import CLinux
import Documents
import Glibc
import Library
import Synchronization
import SystemPackage

/// The thread that carries remote changes out as system calls on our own mount, where `ReenactmentStage` answers them.
final class ReenactingThread: ChangePerformer {
    private let stage: ReenactmentStage
    private let mountpoint: String
    private let thread = CallingThread()
    /// The mount's device number, once the mount has recognised the thread.
    private let device = Mutex<dev_t?>(nil)

    init(on stage: ReenactmentStage, mountpoint: String) {
        self.stage = stage
        self.mountpoint = mountpoint
    }

    /// Shows the thread to the mount.
    func start() -> Bool {
        guard thread.start(), let number = thread.run({ [self] in showThread() }) else { return false }
        device.withLock { $0 = number }
        return true
    }

    func perform(_ change: RemoteChange) throws(Errno) {
        let failure = thread.run { [self] in reenact(change) }
        if failure != 0 { throw Errno(rawValue: failure) }
    }

    func end() {
        stage.leave()
        thread.end()
    }

    // MARK: On the thread

    private func showThread() -> dev_t? {
        stage.enter()
        let root = open(mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC)
        defer { close(root) }
        var status = stat()
        _ = faccessat(root, ReenactmentStage.cue, F_OK, 0)
        if root >= 0, stage.isPerformerKnown, fstat(root, &status) == 0 { return status.st_dev }
        stage.leave()
        return nil
    }

    /// - Returns: 0, or why it failed.
    private func reenact(_ change: RemoteChange) -> Int32 {
        let root = open(mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC)
        defer { close(root) }
        var status = stat()
        // Something else may be mounted there now, or nothing, as after an unmount.
        guard root >= 0, fstat(root, &status) == 0, status.st_dev == device.withLock({ $0 }) else { return ENODEV }
        return stage.perform(Reenactment(change: change)) { call(change, root) }
    }

    private func call(_ change: RemoteChange, _ root: Int32) -> Int32 {
        switch change {
        case .created(let path): inFolder(of: path, root) { make(path.entry, in: $0) }
        case .modified(let path): inFolder(of: path, root) { modify(path.entry.name, in: $0) }
        case .removed(let path):
            inFolder(of: path, root) {
                failure(unlinkat($0, path.entry.name, path.entry.kind == .folder ? AT_REMOVEDIR : 0))
            }
        case .moved(let from, let to):
            inFolder(of: from, root) { source in
                inFolder(of: to, root) { target in failure(renameat(source, from.entry.name, target, to.entry.name)) }
            }
        }
    }

    /// Opens the folder through no symbolic link and no other mount: its path may mean something else by now.
    private func inFolder(of path: ListedPath, _ root: Int32, _ body: (Int32) -> Int32) -> Int32 {
        let folder = docfs_open_beneath(root, path.folderPath, UInt64(O_PATH | O_DIRECTORY | O_CLOEXEC))
        guard folder >= 0 else { return errno }
        defer { close(folder) }
        return body(folder)
    }

    private func make(_ entry: ListedPath.Component, in folder: Int32) -> Int32 {
        switch entry.kind {
        case .folder: return failure(mkdirat(folder, entry.name, 0o700))
        case .symbolicLink: return failure(symlinkat(".", folder, entry.name))
        case .document, .scratch:
            let file = openat(folder, entry.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return file < 0 ? errno : failure(close(file))
        }
    }

    /// An allocation of room that is there already counts as a modification, and the close as the end of it.
    private func modify(_ name: String, in folder: Int32) -> Int32 {
        let file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return errno }
        defer { close(file) }
        return failure(fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 1))
    }

    private func failure(_ result: Int32) -> Int32 { result == 0 ? 0 : errno }
}

extension ListedPath {
    /// The path of its folder from the mountpoint on.
    var folderPath: String { ([top] + folders.map(\.name)).joined(separator: "/") }
}
