import Glibc
import MountSupport
import SystemPackage

/// What programs see in one folder of the mount, as far as a kill must not change it. In an expectation, nil stands for anything.
struct KeptTree: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var type: mode_t
        var permissions: mode_t?
        /// Of a document the content, of a link the target.
        var content: String
        var id: String?
        var attributes: [String: String]?
        /// Of a file, in nanoseconds.
        var modified: Int64?
        /// Whether its content always stays on this device (`docfs keep`).
        var isKept: Bool?

        /// A file that an operation makes.
        static func newFile(_ content: String = "") -> Entry { Entry(type: S_IFREG, content: content) }
    }

    /// By path within the folder.
    var entries: [String: Entry] = [:]
    /// The names at the top of the folder, in the order of readdir.
    var order: [String]?

    init(of folder: FilePath) throws {
        let folder = TreePath(folder)
        let names = try folder.entries().map(\.name)
        order = names
        try read(names, in: folder, prefix: "")
    }

    private mutating func read(_ names: [String], in folder: TreePath, prefix: String) throws {
        for name in names {
            let path = folder / name
            let status = try path.linkStatus()
            var entry = Entry(
                type: status.st_mode & S_IFMT, permissions: status.st_mode & 0o7777, content: "", attributes: [:])
            switch entry.type {
            case S_IFDIR: try read(path.entries().map(\.name), in: path, prefix: prefix + name + "/")
            case S_IFLNK: entry.content = path.target ?? ""
            default:
                entry.isKept = (try? path.attribute("user.document.keep")) != nil
                entry.content = String(decoding: try path.bytes(), as: UTF8.self)
                entry.id = try? path.identifier()
                entry.modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
                entry.attributes = try path.userAttributes().mapValues { String(decoding: $0, as: UTF8.self) }
            }
            entries[prefix + name] = entry
        }
    }

    /// What other devices have, too: not scratch files, and not what stays where.
    var shared: KeptTree {
        func isScratch(_ path: String) -> Bool { path.hasSuffix(".tmp") || path.hasSuffix("~") }
        var tree = self
        tree.entries = entries.filter { !isScratch($0.key) }.mapValues { entry in
            var entry = entry
            entry.isKept = nil
            return entry
        }
        tree.order = order?.filter { !isScratch($0) }
        return tree
    }

    /// ext4 (mounted with dioread_nolock, as usual) records a file's new size when it begins to write the data. After a loss of power in between
    /// the file has that size and zeros, in a plain folder as well. That is nobody's loss where no former content is gone.
    mutating func replaceZeros(by expected: KeptTree, since before: KeptTree) {
        for (path, entry) in entries where !entry.content.isEmpty && entry.content.utf8.allSatisfy({ $0 == 0 }) {
            guard let wanted = expected.entries[path]?.content, wanted.utf8.count == entry.content.utf8.count else {
                continue
            }
            let former = before.entries[path]?.content
            guard former == nil || entries.values.contains(where: { $0.content == former }) else { continue }
            entries[path]?.content = wanted
        }
    }

    /// - Returns: the first difference; nil if this tree is as expected.
    func difference(from expected: KeptTree) -> String? {
        for path in Set(entries.keys).union(expected.entries.keys).sorted() {
            switch (entries[path], expected.entries[path]) {
            case (let seen?, nil): return "\(path) is there: \(seen)"
            case (nil, let entry?): return "\(path) is missing: \(entry)"
            case (let seen?, let entry?):
                if !seen.matches(entry) { return "\(path) is \(seen) instead of \(entry)" }
            case (nil, nil): break
            }
        }
        if let wanted = expected.order, wanted != order { return "the order is \(order ?? []) instead of \(wanted)" }
        return nil
    }
}

extension KeptTree.Entry {
    fileprivate func matches(_ expected: KeptTree.Entry) -> Bool {
        func isSame<Value: Equatable>(_ seen: Value?, _ expected: Value?) -> Bool {
            expected == nil || seen == expected
        }
        return type == expected.type && content == expected.content && isSame(permissions, expected.permissions)
            && isSame(id, expected.id) && isSame(attributes, expected.attributes) && isSame(modified, expected.modified)
            && isSame(isKept, expected.isKept)
    }
}

/// What operations do to a tree.
extension KeptTree {
    /// An entry gets another path, and a folder with all that is in it.
    mutating func move(_ old: String, to new: String) {
        for path in entries.keys where path == old || path.hasPrefix(old + "/") {
            entries[new + path.dropFirst(old.count)] = entries.removeValue(forKey: path)
        }
        order = nil
    }

    mutating func remove(_ path: String) {
        entries = entries.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
        order?.removeAll { $0 == path }
    }

    mutating func add(_ path: String, _ entry: Entry) {
        entries[path] = entry
        order = nil
    }

    mutating func change(_ path: String, _ body: (inout Entry) -> Void) {
        if var entry = entries[path] {
            body(&entry)
            entries[path] = entry
        }
    }
}
