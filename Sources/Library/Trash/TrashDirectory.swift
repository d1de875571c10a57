import Backing
import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

/// `MOUNT/.Trash-UID`: the trash of `docfs trash`, as file managers show it and restore from it. What was deleted with its folder lies in
/// that folder, in `files`.
///
/// A program throws something away in two calls: it makes `info/NAME.trashinfo` first, and then moves the thing to `files/NAME`. What it
/// writes to the former docfs knows by itself, so the text is dropped.
final class TrashDirectory: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let notices: ChangeNotices
    let namespace: Namespace
    let contents: Contents
    let tree: Tree
    let undoing: Undoing
    let table = Mutex(TrashTable())
    let watch = Mutex(TrashWatch())

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, notices: ChangeNotices,
        namespace: Namespace, contents: Contents, tree: Tree, undoing: Undoing
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.notices = notices
        self.namespace = namespace
        self.contents = contents
        self.tree = tree
        self.undoing = undoing
    }

    // MARK: Items

    func items(_ rows: Rows) throws -> TrashTable.Items {
        let count = transactions.writeCount
        if let items = table.withLock({ $0.items(asOf: count) }) { return items }
        let tree = try undoing.trashTree(rows)
        return table.withLock { $0.setItems(tree, asOf: count) }
    }

    private func item(_ number: Int64, _ rows: Rows) throws -> TrashTable.Item {
        guard let path = path(number), let item = try items(rows).byPath[path] else { throw Refusal.staleInode }
        return item
    }

    private func path(_ number: Int64) -> String? { table.withLock { $0.path(number) } }

    func number(_ path: String) -> Int64 { table.withLock { $0.number(path) } }

    func isAnnounced(_ label: String) -> Bool { table.withLock { $0.announced.contains(label) } }

    private func isEmptied(_ path: String) -> Bool { table.withLock { $0.emptied.contains(path) } }

    /// The path of a name, from `files` on; nil for a place in which nothing of that kind lies.
    func path(of name: String, in folder: FolderInTrash) -> String? {
        switch folder {
        case .top, .info, .expunged: nil
        case .files: name
        case .folder(let number): path(number).map { "\($0)/\(name)" }
        }
    }

    static func text(_ name: some Collection<UInt8>) throws(Refusal) -> String {
        guard let text = String(validating: name, as: UTF8.self) else { throw .name(.notUTF8) }
        if text.utf8.count > EntryName.maximumLength { throw .name(.tooLong) }
        return text
    }

    // MARK: Names

    func lookup(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) -> Resolved {
        let name = try Self.text(name)
        let resolved = try inspect { rows in
            guard let node = try node(name, in: folder, rows) else { throw Refusal.noSuchName }
            return Resolved(node: node, attributes: try attributes(of: node, rows), isCacheable: false)
        }
        if resolved.node == .folderInTrash(.files) { try beginWatching() }
        return resolved
    }

    private func node(_ name: String, in folder: FolderInTrash, _ rows: Rows) throws -> Node? {
        switch folder {
        case .top: return FolderInTrash.named.first { $0.name == name }.map { .folderInTrash($0) }
        case .expunged: return nil
        case .files, .folder:
            guard let path = path(of: name, in: folder) else { return nil }
            if let item = try items(rows).byPath[path] { return node(item) }
            return isEmptied(path) ? .folderInTrash(.folder(number(path))) : nil
        case .info:
            return try TrashInfo.label(of: name).flatMap { label in
                try isAnnounced(label) || items(rows).byPath[label] != nil ? .trashInfo(number(label)) : nil
            }
        }
    }

    func node(_ item: TrashTable.Item) -> Node {
        let number = number(item.path)
        return item.trashed.isFolder ? .folderInTrash(.folder(number)) : .trashed(number)
    }

    func list(_ folder: FolderInTrash) throws(Refusal) -> [ListedName] {
        func listed(_ name: String, _ node: Node, _ kind: EntryKind) -> ListedName {
            ListedName(name: name, node: node, kind: kind, filename: nil, isCacheable: false)
        }
        let items = try inspect { try self.items($0) }
        func listed(_ paths: [String]) -> [ListedName] {
            paths.sorted().compactMap { items.byPath[$0] }.map { item in
                listed(item.name, node(item), item.trashed.isFolder ? .folder : .document)
            }
        }
        switch folder {
        case .top: return [FolderInTrash.files, .info].map { listed($0.name ?? "", .folderInTrash($0), .folder) }
        case .expunged: return []
        case .files: return listed(items.labels)
        case .folder(let number):
            guard let path = path(number), items.byPath[path] != nil || isEmptied(path) else { throw .staleInode }
            return listed(items.byPath[path]?.contents ?? [])
        case .info:
            let all = Set(items.labels).union(table.withLock(\.announced))
            return all.sorted().map { listed($0 + TrashInfo.suffix, .trashInfo(number($0)), .document) }
        }
    }

    /// The folder of a folder; nil for `.Trash-UID`, which lies in the mountpoint.
    func parent(of folder: FolderInTrash) -> FolderInTrash? {
        switch folder {
        case .top: return nil
        case .files, .info, .expunged: return .top
        case .folder(let number):
            guard let path = path(number), let end = path.lastIndex(of: "/") else { return .files }
            return .folder(self.number(String(path[..<end])))
        }
    }

    // MARK: Attributes and contents

    func attributes(of node: Node, _ rows: Rows) throws -> FileAttributes {
        switch node {
        case .folderInTrash(let folder):
            return .folder(at: try modified(folder, rows))
        case .trashed(let number):
            let entry = try item(number, rows).trashed.step.entry
            var attributes = FileAttributes.virtualFile(size: Int(entry.size), at: entry.modified)
            attributes.mode = 0o400
            return attributes
        default:
            guard case .trashInfo(let number) = node else { throw Refusal.staleInode }
            let text = try infoText(number, rows)
            var attributes = FileAttributes.virtualFile(size: text.utf8.count, at: notices.stateTime)
            attributes.mode = 0o600
            return attributes
        }
    }

    private func modified(_ folder: FolderInTrash, _ rows: Rows) throws -> Timestamp {
        guard case .folder(let number) = folder else { return notices.stateTime }
        if let path = path(number), isEmptied(path) { return notices.stateTime }
        return try item(number, rows).trashed.step.entry.modified
    }

    func infoText(_ number: Int64) throws(Refusal) -> String { try inspect { try infoText(number, $0) } }

    private func infoText(_ number: Int64, _ rows: Rows) throws -> String {
        guard let label = path(number) else { throw Refusal.staleInode }
        guard let trashed = try items(rows).byPath[label]?.trashed else {
            if isAnnounced(label) { return "" }
            throw Refusal.staleInode
        }
        let entry = trashed.step.entry
        let path = "Documents/\(try undoing.place(of: trashed.step, rows))/\(entry.name?.full ?? entry.filename)"
        return TrashInfo.text(path: path, deleted: surroundings.localTime(trashed.deleted))
    }

    /// Opens a document, for reading.
    func open(_ number: Int64, flags: Int32) throws(Refusal) -> OpenedFile {
        if flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0 { throw .versionNotWritable }
        let step = try inspect { try item(number, $0).trashed.step }
        guard step.isInTrash else { throw .contentNotInTrash }
        let inode = step.entry.inode
        if let file = openFiles.shareableFile(inode, forWriting: false) {
            return contents.register(Handle(file: file, canWrite: false))
        }
        let descriptor = try Refusal.wrapping {
            try backing.trash.openFile(BackingStore.trashName(inode), O_RDONLY)
        }
        return contents.register(Handle(file: OpenFile(inode: inode, descriptor: descriptor), canWrite: false))
    }
}

extension TrashTable.Item {
    /// In its folder.
    var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }
}

extension FileAttributes {
    fileprivate static func folder(at time: Timestamp) -> Self {
        var attributes = virtualFile(size: 0, at: time)
        attributes.type = .folder
        attributes.mode = 0o700
        attributes.links = 2
        return attributes
    }
}
