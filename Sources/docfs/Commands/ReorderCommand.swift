import ArgumentParser
import CLinux
import Documents
import Glibc

struct ReorderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reorder", abstract: "Move a document or folder in the order of its folder.",
        discussion: """
            Each folder has an order of its own, which `ls -U`, `find` and `docfs ls` show. If the other document lies in another folder, \
            or in the other container, the document is moved there first. A whole folder is put into an order by writing its `.order`: \
            one name a line. A folder that is sorted has no order that could be changed; `docfs sort DIR manual` brings its own back.

            Example: docfs reorder Plan.txt --before Groceries.txt
            """)

    @Argument(help: "The document, or the folder, to move.", completion: .documents)
    var path: String

    @Option(help: ArgumentHelp("Put it before this one.", valueName: "path"), completion: .documents)
    var before: String?

    @Option(help: ArgumentHelp("Put it after this one.", valueName: "path"), completion: .documents)
    var after: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Put it at this place, counted from 1. Beyond either end means the end.", valueName: "number"))
    var to: Int?

    func validate() throws {
        guard [before != nil, after != nil, to != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("give one of --before, --after and --to")
        }
    }

    func run() throws {
        try CommandFailure.reported {
            var entry = try EntryPath(path)
            _ = try MountedTree(holding: entry.folder)
            try entry.requireExistence()
            let target: OrderTarget
            if let neighbour = try (before ?? after).map(EntryPath.init) {
                try neighbour.requireExistence()
                if try entry.isSame(as: neighbour) { return }
                try entry.requireNoSorting(of: neighbour.folder)
                try entry.move(to: neighbour.folder)
                target = before != nil ? .before(neighbour.name) : .after(neighbour.name)
            } else {
                target = .to(to ?? 1)
            }
            try entry.place(target)
        }
    }
}

/// A path of an entry: the folder, resolved, and the name in it as it was typed.
private struct EntryPath {
    let typed: String
    var folder: String
    let name: String
    private var isMoved = false

    var path: String { folder + "/" + name }

    init(_ typed: String) throws {
        self.typed = typed
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
        if lsetxattr(path, OrderAttribute.place, value, value.count, 0) == 0 { return }
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
