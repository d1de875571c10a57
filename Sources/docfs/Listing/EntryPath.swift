import CLinux
import Documents
import Glibc

/// A path of an entry: the folder, resolved, and the name in it as it was typed.
struct EntryPath {
    /// For messages.
    let typed: String
    var folder: String
    let name: String
    private var isMoved = false

    var path: String { folder + "/" + name }

    /// - Parameter title: what messages call it.
    init(_ typed: String, called title: String? = nil) throws {
        self.typed = title ?? typed
        var path = Substring(typed)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let last = path.split(separator: "/").last ?? ""
        if last == "." || last == ".." || last.isEmpty {
            path = Substring(try Self.resolve(String(path), of: typed))
        }
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        folder = try Self.resolve(parent, of: typed)
        name = String(slash.map { path[path.index(after: $0)...] } ?? path)
    }

    private static func resolve(_ path: String, of typed: String) throws -> String {
        guard let real = realpath(path, nil) else { throw CommandFailure.notFound(typed) }
        defer { free(real) }
        return String(cString: real)
    }

    private func status() throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw CommandFailure.notFound(typed) }
        return status
    }

    func requireExistence() throws { _ = try status() }

    func isSame(as other: EntryPath) throws -> Bool {
        let (own, others) = (try status(), try other.status())
        return own.st_ino == others.st_ino && own.st_dev == others.st_dev
    }

    /// - Throws: if the folder is sorted, before anything is moved to it.
    func requireNoSorting(of folder: String) throws {
        let mode = SortMode(ofFolder: folder)
        guard mode != .manual else { return }
        throw CommandFailure(
            "\(typed) cannot be put in order: \(folder) is sorted by \(mode.rawValue); "
                + "`docfs sort DIR manual` brings its own order back")
    }

    mutating func move(to newFolder: String) throws {
        var target = self
        target.folder = newFolder
        // One document may have two paths: those of the preferred location resolve in Documents, too.
        if folder == newFolder { return }
        var there = stat()
        if lstat(target.path, &there) == 0, there.st_ino == (try status()).st_ino { return }
        guard renameat2(AT_FDCWD, path, AT_FDCWD, target.path, RENAME_NOREPLACE) == 0 else {
            let reason = errno == EEXIST ? "something there has its name" : String(cString: strerror(errno))
            throw CommandFailure("\(typed) cannot be moved to \(newFolder): \(reason)")
        }
        target.isMoved = true
        self = target
    }

    func place(_ target: OrderTarget) throws {
        let value = Array(target.text.utf8)
        if lsetxattr(path, OrderAttribute.position, value, value.count, 0) == 0 { return }
        let reason = errno
        try requireNoSorting(of: folder)
        let isLink = (try status()).st_mode & S_IFMT == S_IFLNK
        let explanation =
            isLink
            ? "a symbolic link is moved by writing the folder's .order" : String(cString: strerror(reason))
        throw CommandFailure(
            isMoved
                ? "\(typed) was moved to \(folder), and stands last there: \(explanation)"
                : "\(typed) cannot be put in order: \(explanation)")
    }
}
