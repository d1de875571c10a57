import CLinux
import Documents
import Filesystem
import Glibc

/// A docfs mount, as the commands access it: through its files and attributes.
struct MountedTree {
    let mountpoint: String

    /// Finds the mount that contains `path`.
    init(holding path: String) throws {
        let absolute = Self.absolute(path)
        guard let mount = try MountTable.docfsMount(holding: absolute) else {
            throw CommandFailure("\(path) is not in a docfs mount; see `docfs mount --help`")
        }
        mountpoint = mount.mountpoint
    }

    /// The mount that holds the current folder, else the only one there is.
    static func nearest() throws -> MountedTree {
        let mounts = Set(try MountTable.current().filter { $0.fileSystemType == "fuse.docfs" }.map(\.mountpoint))
        if let here = try MountTable.docfsMount(holding: absolute(".")) {
            return MountedTree(mountpoint: here.mountpoint)
        }
        guard let only = mounts.first else { throw CommandFailure("no docfs is mounted; see `docfs mount --help`") }
        guard mounts.count == 1 else {
            throw CommandFailure(
                "several docfs mounts are there: \(mounts.sorted().joined(separator: ", ")); name one of them")
        }
        return MountedTree(mountpoint: only)
    }

    private init(mountpoint: String) { self.mountpoint = mountpoint }

    /// The path that realpath(3) gives.
    static func resolved(_ path: String) throws -> String {
        guard let real = realpath(path, nil) else {
            throw CommandFailure.notFound(path)
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// The daemon's process id; nil if it does not answer.
    var process: pid_t? { attribute(.process).flatMap { pid_t($0) } }

    /// Whether the daemon's process id is valid in this process's namespace.
    var isInOwnProcessNamespace: Bool { attribute(.processNamespace) == MountAttribute.ownProcessNamespace }

    /// How the kernel reads and writes contents (passthrough or not), and why.
    var dataPath: String? { attribute(.dataPath) }

    /// Whether the daemon has died and left its mountpoint.
    var isDead: Bool {
        getxattr(mountpoint, MountAttribute.process.rawValue, nil, 0) < 0
            && (errno == ENOTCONN || errno == ECONNABORTED)
    }

    var documents: String { mountpoint + "/Documents" }

    /// The outcome of the last undo or redo: `done NAME` or `refused REASON`.
    var outcomeOfUndo: String { attribute(.undo) ?? "" }

    private func attribute(_ attribute: MountAttribute) -> String? {
        attributeText(attribute.rawValue, of: mountpoint).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Makes a path absolute. The path of a dead mount cannot be resolved, so its parent is resolved instead.
    private static func absolute(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        var components = path.split(separator: "/", omittingEmptySubsequences: true)
        let last = components.popLast().map(String.init) ?? ""
        let parent = (path.hasPrefix("/") ? "/" : "./") + components.joined(separator: "/")
        guard let real = realpath(parent, nil) else { return path }
        defer { free(real) }
        let folder = String(cString: real)
        return (folder == "/" ? "" : folder) + "/" + last
    }
}
