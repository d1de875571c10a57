import CLinux
import Glibc
import SystemPackage

/// The folders of the container. No symbolic link below its root is followed: otherwise anybody who may write to the container
/// could make docfs read, write and remove files elsewhere. So each name is used in a folder that is open, and folders
/// are opened by openat2(2). The path of the root itself is the person's, and may go through links.
extension DirectoryStore {
    /// - Throws: `unreachable`.
    func openRoot() throws(ObjectStoreError) -> OpenDescriptor {
        let number = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)
        if number >= 0 { return OpenDescriptor(number) }
        throw errno == ENOENT || errno == ENOTDIR
            ? .unreachable("the folder \(root) is not there") : Self.unreachable(root, errno)
    }

    /// Opens a folder below the root to be read and synced.
    func openFolder(_ components: some Sequence<String>, in root: OpenDescriptor) throws(Errno) -> OpenDescriptor {
        let path = components.joined(separator: "/")
        return try root.open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY)
    }

    /// Opens a folder below the root, and makes it and those above it where they are missing; these are durable then.
    func makeFolder(_ components: some Sequence<String>, in root: OpenDescriptor) throws(Errno) -> OpenDescriptor {
        do throws(Errno) { return try openFolder(components, in: root) } catch {
            if error != .noSuchFileOrDirectory { throw error }
        }
        var folder = try openFolder([], in: root)
        for component in components {
            if try folder.makeFolder(component) { try Self.synchronize(folder) }
            folder = try openFolder([component], in: folder)
        }
        return folder
    }

    /// Some network file systems cannot sync a folder (EINVAL); they write names through.
    static func synchronize(_ folder: OpenDescriptor) throws(Errno) {
        do throws(Errno) { try folder.synchronize() } catch .invalidArgument {}
    }

    /// The reason that is given when a symbolic link (ELOOP) is on the path of an object.
    func linked(_ path: String) -> ObjectStoreError {
        .unusable(
            "a symbolic link is on the way to \(root)/\(path), and no link inside the cloud folder is followed; remove it"
        )
    }
}
