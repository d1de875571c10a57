import CLinux
import Glibc
import LinuxFiles
import SystemPackage

/// Whether the store is where it should be, and making it.
extension DirectoryStore {
    /// Its presence shows that the folder is a store, and not the mountpoint of one that is away.
    private static let marker = ".docfs-cloud"

    /// Whether the folder is there and has the marker of a store. Blocks.
    public var isPresent: Bool { absence == nil }

    /// Why the store cannot be found; nil when it is there.
    var absence: ObjectStoreError? {
        do throws(ObjectStoreError) {
            let root = try openRoot()
            try requireMarker(in: root)
            return nil
        } catch { return error }
    }

    /// - Throws: `gone` where a folder is not the root of a store.
    func requireMarker(in root: OpenDescriptor) throws(ObjectStoreError) {
        let status: stat?
        do throws(Errno) { status = try root.status(of: Self.marker) } catch {
            if error != .noSuchFileOrDirectory { throw Self.unreachable(self.root, error.rawValue) }
            status = nil
        }
        guard status?.isPlainFile == true else {
            throw .gone(
                "the cloud folder \(self.root) holds no container: mount its disk, or, if it was emptied, make it anew with "
                    + "`docfs check --repair`")
        }
    }

    public func recreate() async throws(ObjectStoreError) {
        try await onBlockingThread { () throws(ObjectStoreError) in try create() }
    }

    /// Makes the store, or what is missing of it. Where it would be of no use, at most empty folders stay.
    func create() throws(ObjectStoreError) {
        try Self.makeFolders(root)
        let folder = try openRoot()
        let isNew: Bool
        do throws(Errno) { isNew = try folder.makeFolder(Self.incoming) } catch {
            throw Self.unreachable(root + "/" + Self.incoming, error.rawValue)
        }
        do throws(ObjectStoreError) { try requireHardLinks(in: folder) } catch {
            // An empty folder that cannot be removed is harmless, and the error is thrown in any case.
            if isNew { try? folder.removeFolder(Self.incoming) }
            throw error
        }
        do throws(Errno) {
            _ = try folder.open(Self.marker, O_WRONLY | O_CREAT, mode: 0o600)
            // Without its marker the store would count as away after a power failure, for good.
            try Self.synchronize(try openFolder([], in: folder))
        } catch {
            throw error == .tooManySymbolicLinkLevels ? linked(Self.marker) : Self.unreachable(root, error.rawValue)
        }
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

    static func unreachable(_ path: String, _ number: Int32) -> ObjectStoreError {
        .unreachable("\(path): \(Errno(rawValue: number))")
    }
}
