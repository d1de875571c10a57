import Glibc
import MountSupport
import SystemPackage

/// The program that works in one of the two trees: what it holds open, and its system calls.
final class Session {
    static let fileCount = 6
    static let folderCount = 3
    static let mappingCount = 2

    struct File {
        let descriptor: CInt
        let isFolder: Bool
        let canRead: Bool
        /// The path by which it was opened.
        let place: Place
    }

    struct Mapping {
        let address: UnsafeMutableRawPointer
        let count: Int
        /// A descriptor of its own, since a mapping outlives the one that it was made from.
        let descriptor: CInt
    }

    var root: TreePath
    var files = [File?](repeating: nil, count: fileCount)
    var folders = [CInt?](repeating: nil, count: folderCount)
    var mappings = [Mapping?](repeating: nil, count: mappingCount)

    init(root: TreePath) { self.root = root }

    deinit { closeAll() }

    func closeAll() {
        for slot in files.indices { closeFile(slot) }
        for slot in mappings.indices { _ = unmap(slot) }
        for slot in folders.indices { closeFolder(slot) }
    }

    func closeFile(_ slot: Int) {
        if let file = files[slot] { Glibc.close(file.descriptor) }
        files[slot] = nil
    }

    func closeFolder(_ slot: Int) {
        if let descriptor = folders[slot] { Glibc.close(descriptor) }
        folders[slot] = nil
    }

    /// A path for calls that take no descriptor of a folder.
    func path(_ place: Place) -> TreePath? {
        var base = root
        if let slot = place.folder {
            guard let descriptor = folders[slot] else { return nil }
            base = TreePath("/proc/self/fd/\(descriptor)")
        }
        return place.path.isEmpty ? base / "." : base / place.path
    }

    /// Calls C with the two arguments by which the *at calls take a path.
    func at(_ place: Place, _ body: (CInt, UnsafePointer<CChar>) -> CInt) -> String {
        guard let slot = place.folder else { return outcome(place.in(root).withCString { body(AT_FDCWD, $0) }) }
        guard let descriptor = folders[slot] else { return Self.nothingHeld }
        return outcome((place.path.isEmpty ? "." : place.path).withCString { body(descriptor, $0) })
    }

    func outcome(_ value: some SignedInteger) -> String {
        let code = errno
        return value < 0 ? "\(Errno(rawValue: code))" : "\(value)"
    }

    /// The operation is about a slot that is empty, on both sides alike.
    static let nothingHeld = "nothing held"
    static let done = "0"

    /// Carries out an operation that both trees have.
    func perform(_ operation: Operation) -> String {
        switch operation {
        case .open, .close, .write, .read, .seek, .resize, .allocate, .copyRange, .synchronize, .setModeOfHandle,
            .lock, .lockRange, .setAttributeOfHandle:
            performOnHandle(operation)
        case .map, .writeMapped, .readMapped, .unmap: performOnMapping(operation)
        default: performOnName(operation)
        }
    }
}

extension Place {
    func `in`(_ root: TreePath) -> String { path.isEmpty ? root.string : root.string + "/" + path }
}
