import CLinux
import Glibc
import SystemPackage

/// Whether the store is where it should be, and making it.
extension DirectoryStore {
    /// Its presence shows that the folder is a store, and not the mountpoint of one that is away.
    private static let marker = ".docfs-cloud"

    public var isPresent: Bool { absence == nil }

    /// Why the store cannot be found; nil when it is there.
    var absence: ObjectStoreError? {
        if access(root + "/" + Self.marker, F_OK) == 0 { return nil }
        let number = errno
        switch number {
        case ENOENT where Self.isFolder(root):
            return .gone(
                "the cloud folder \(root) holds no container: mount its disk, or, if it was emptied, make it anew with "
                    + "`docfs check --repair`")
        case ENOENT, ENOTDIR: return .unreachable("the folder \(root) is not there")
        default: return Self.unreachable(root, number)
        }
    }

    func requirePresence() throws(ObjectStoreError) {
        if let absence { throw absence }
    }

    public func recreate() async throws(ObjectStoreError) {
        try await onBlockingThread { () throws(ObjectStoreError) in try create() }
    }

    /// Makes the store, or what is missing of it. Where it would be of no use, at most empty folders stay.
    func create() throws(ObjectStoreError) {
        try Self.makeFolders(root)
        let isNew = mkdir(incoming, 0o700) == 0
        guard isNew || errno == EEXIST else { throw Self.unreachable(incoming, errno) }
        do throws(ObjectStoreError) { try requireHardLinks() } catch {
            if isNew { rmdir(incoming) }
            throw error
        }
        let file = open(root + "/" + Self.marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.unreachable(root, errno) }
        close(file)
        // Without its marker the store would count as away after a power failure, for good.
        try Self.synchronize(root)
    }

    private static func makeFolders(_ path: String) throws(ObjectStoreError) {
        var partial = ""
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            partial += "/" + String(decoding: component, as: UTF8.self)
            if mkdir(partial, 0o700) != 0, errno != EEXIST, access(partial, X_OK) != 0 {
                throw unreachable(partial, errno)
            }
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func unreachable(_ path: String, _ number: Int32) -> ObjectStoreError {
        .unreachable("\(path): \(Errno(rawValue: number))")
    }
}
