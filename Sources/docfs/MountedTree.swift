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
        let here = try MountTable.docfsMount(holding: absolute("."))?.mountpoint
        return MountedTree(mountpoint: try nearest(here: here, all: try all().map(\.mountpoint)))
    }

    /// - Parameters:
    ///   - here: the mountpoint that the current folder is below.
    ///   - all: every mountpoint.
    static func nearest(here: String?, all: [String]) throws(CommandFailure) -> String {
        if let here { return here }
        guard let only = all.first else { throw CommandFailure("no docfs is mounted; see `docfs mount --help`") }
        guard all.count == 1 else {
            throw CommandFailure("several docfs mounts are there: \(all.joined(separator: ", ")); name one of them")
        }
        return only
    }

    /// The docfs mounts of this mount namespace, by mountpoint.
    static func all() throws -> [MountedTree] {
        let mounts = try MountTable.current().filter { $0.fileSystemType == "fuse.docfs" }
        return Set(mounts.map(\.mountpoint)).sorted().map(MountedTree.init(mountpoint:))
    }

    /// Finds the mount that contains `path`; without one, as `nearest`.
    init(holdingOrNearest path: String?) throws {
        self = if let path { try MountedTree(holding: path) } else { try MountedTree.nearest() }
    }

    /// Whether a word of a command means a folder of a mount, and not a name.
    static func hasFolder(_ path: String) -> Bool {
        (try? Listing.isFolder(path)) == true && (try? MountedTree(holding: path)) != nil
    }

    /// What a command is about where no path is given: the current folder, else the only mount there is.
    static func nearestPath() throws -> String {
        if try MountTable.docfsMount(holding: absolute(".")) != nil { return "." }
        return try nearest().mountpoint
    }

    /// The paths that a person gave, else what a command is about without one.
    static func pathsOrNearest(_ paths: [String]) throws -> [String] { paths.isEmpty ? [try nearestPath()] : paths }

    /// Whether a path means the mountpoint.
    func isMountpoint(_ path: String) -> Bool { Self.absolute(path) == mountpoint }

    /// Whether a path means the folder `Documents`.
    func isDocuments(_ path: String) -> Bool { Self.absolute(path) == documents }

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

    /// The path of its store.
    var store: String? { attribute(.store) }

    /// When the mount began: ISO 8601 in UTC.
    var began: String? { attribute(.began) }

    /// Whether listings show display names.
    var showsDisplayNames: Bool { attribute(.showsDisplayNames) == ListingMode.displayNames.rawValue }

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
