import Backing
import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

/// `MOUNT/.Trash-UID`: the trash of `docfs trash`, as file managers show it and restore from it. Each document in it is a file of its own in
/// `files`, whatever it was thrown away with.
///
/// A program throws something away in two calls: it makes `info/NAME.trashinfo` first, and then moves the thing to `files/NAME`. What it
/// writes to the former docfs knows by itself, so the text is dropped.
final class TrashDirectory: LibraryPart {
    let transactions: Transactions
    let namespace: Namespace
    let contents: Contents
    let tree: Tree
    let undoing: Undoing

    struct Item {
        /// In `files`.
        let label: String
        let trashed: Trashed

        var step: ActionStep { trashed.step }
    }

    private struct Table {
        /// The names in `files`: those that programs chose for what they threw away, others after the documents. They stay until the mount
        /// ends.
        var labels: [Trashed.Source: String] = [:]
        /// Labels of which only the file in `info` exists: before something is moved to `files`, and after it has left.
        var announced: Set<String> = []
        var numbers: [String: Int64] = [:]
        var names: [String] = []
        /// The items as of this count of writes.
        var known: (asOf: Int, items: [String: Item])?

        /// Gives labels to the documents that have none, in this order, and forgets those of documents that are gone.
        mutating func label(_ all: [Trashed]) {
            let sources = Set(all.map(\.source))
            labels = labels.filter { sources.contains($0.key) }
            var taken = announced.union(labels.values)
            for trashed in all where labels[trashed.source] == nil {
                // Only documents are in the trash, and each has a name.
                guard let name = trashed.step.entry.name else { continue }
                var number = 1
                while taken.contains(TrashInfo.label(for: name, number: number)) { number += 1 }
                let label = TrashInfo.label(for: name, number: number)
                labels[trashed.source] = label
                taken.insert(label)
            }
        }
    }

    private let table = Mutex(Table())

    init(_ transactions: Transactions, namespace: Namespace, contents: Contents, tree: Tree, undoing: Undoing) {
        self.transactions = transactions
        self.namespace = namespace
        self.contents = contents
        self.tree = tree
        self.undoing = undoing
    }

    // MARK: Looking

    private func items(_ catalog: CatalogTransaction) throws -> [String: Item] {
        let count = self.catalog.writeCount
        if let known = table.withLock({ $0.known }), known.asOf == count { return known.items }
        let all = try undoing.trashed(catalog).reversed()
        return table.withLock { table in
            table.label(Array(all))
            var items: [String: Item] = [:]
            for trashed in all {
                guard let label = table.labels[trashed.source] else { continue }
                items[label] = Item(label: label, trashed: trashed)
            }
            table.known = (count, items)
            return items
        }
    }

    private func item(_ label: String, _ catalog: CatalogTransaction) throws -> Item? { try items(catalog)[label] }

    private func item(_ number: Int64, _ catalog: CatalogTransaction) throws -> Item {
        guard let label = label(number), let item = try item(label, catalog) else { throw Refusal.staleInode }
        return item
    }

    /// The number of a label, for the kernel.
    private func number(_ label: String) -> Int64 {
        table.withLock { table in
            if let number = table.numbers[label] { return number }
            table.names.append(label)
            table.numbers[label] = Int64(table.names.count)
            return Int64(table.names.count)
        }
    }

    private func label(_ number: Int64) -> String? {
        table.withLock { $0.names.indices.contains(Int(number) - 1) ? $0.names[Int(number) - 1] : nil }
    }

    private func isAnnounced(_ label: String) -> Bool { table.withLock { $0.announced.contains(label) } }

    private static func text(_ name: some Collection<UInt8>) throws(Refusal) -> String {
        guard let text = String(validating: name, as: UTF8.self) else { throw .name(.notUTF8) }
        if text.utf8.count > EntryName.maximumLength { throw .name(.tooLong) }
        return text
    }

    func lookup(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) -> Resolved {
        let name = try Self.text(name)
        return try inspect { catalog in
            guard let node = try node(name, in: place, catalog) else { throw Refusal.noSuchName }
            return Resolved(node: node, attributes: try attributes(of: node, catalog), isCacheable: false)
        }
    }

    private func node(_ name: String, in place: TrashPlace, _ catalog: CatalogTransaction) throws -> Node? {
        switch place {
        case .top: TrashPlace.allCases.first { $0.name == name }.map { .trashPlace($0) }
        case .expunged: nil
        case .files: try item(name, catalog).map { .trashed(number($0.label)) }
        case .info:
            try TrashInfo.label(of: name).flatMap { label in
                try isAnnounced(label) || item(label, catalog) != nil ? .trashInfo(number(label)) : nil
            }
        }
    }

    func list(_ place: TrashPlace) throws(Refusal) -> [ListedName] {
        func listed(_ name: String, _ node: Node, _ kind: EntryKind) -> ListedName {
            ListedName(name: name, node: node, kind: kind, filename: nil, isCacheable: false)
        }
        func labels() throws(Refusal) -> [String] { try inspect { try items($0).keys.sorted() } }
        switch place {
        case .top: return [TrashPlace.files, .info].map { listed($0.name ?? "", .trashPlace($0), .folder) }
        case .expunged: return []
        case .files: return try labels().map { listed($0, .trashed(number($0)), .document) }
        case .info:
            let all = Set(try labels()).union(table.withLock { $0.announced })
            return all.sorted().map { listed($0 + TrashInfo.suffix, .trashInfo(number($0)), .document) }
        }
    }

    func attributes(of node: Node, _ catalog: CatalogTransaction) throws -> FileAttributes {
        switch node {
        case .trashPlace:
            var attributes = FileAttributes.virtualFile(size: 0, at: transactions.notices.stateTime)
            attributes.type = .folder
            attributes.mode = 0o700
            attributes.links = 2
            return attributes
        case .trashed(let number):
            let entry = try item(number, catalog).step.entry
            var attributes = FileAttributes.virtualFile(size: Int(entry.size), at: entry.modified)
            attributes.mode = 0o400
            return attributes
        default:
            guard case .trashInfo(let number) = node else { throw Refusal.staleInode }
            let text = try infoText(number, catalog)
            var attributes = FileAttributes.virtualFile(size: text.utf8.count, at: transactions.notices.stateTime)
            attributes.mode = 0o600
            return attributes
        }
    }

    func infoText(_ number: Int64) throws(Refusal) -> String { try inspect { try infoText(number, $0) } }

    private func infoText(_ number: Int64, _ catalog: CatalogTransaction) throws -> String {
        guard let label = label(number) else { throw Refusal.staleInode }
        guard let item = try item(label, catalog) else {
            if isAnnounced(label) { return "" }
            throw Refusal.staleInode
        }
        let entry = item.step.entry
        let path = "Documents/\(try undoing.place(of: item.step, catalog))/\(entry.name?.full ?? entry.filename)"
        return TrashInfo.text(path: path, deleted: surroundings.localTime(item.trashed.deleted))
    }

    /// Opens what is in `files`, for reading.
    func open(_ number: Int64, flags: Int32) throws(Refusal) -> OpenedFile {
        if flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0 { throw .versionNotWritable }
        let step = try inspect { try item(number, $0).step }
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

    // MARK: Throwing away

    /// A program is about to throw something away.
    ///
    /// - Throws: EEXIST where the label is taken, EPERM for any other name than `NAME.trashinfo`.
    func announce(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) -> Resolved {
        guard place == .info, let label = TrashInfo.label(of: try Self.text(name)) else { throw .notCreatableThere }
        return try inspect { catalog in
            if try isAnnounced(label) || item(label, catalog) != nil { throw Refusal.nameExists }
            table.withLock { _ = $0.announced.insert(label) }
            let node = Node.trashInfo(number(label))
            return Resolved(node: node, attributes: try attributes(of: node, catalog), isCacheable: false)
        }
    }

    /// Removes a document, or a folder with all that is in it, as rm(1) would.
    ///
    /// - Throws: EEXIST where the label is taken; EPERM outside of `files`, and for a scratch file, which nothing could bring back.
    func throwAway(
        _ name: some Collection<UInt8>, in parent: InodeNumber, as label: some Collection<UInt8>, in place: TrashPlace,
        by caller: Caller
    ) throws(Refusal) {
        let label = try Self.text(label)
        guard place == .files else { throw .notCreatableThere }
        let entry = try inspect { catalog in
            if try item(label, catalog) != nil { throw Refusal.nameExists }
            let entry = try namespace.existing(name, in: parent, catalog)
            if entry.inode <= .cloud { throw Refusal.isOfTheTree }
            if entry.kind == .scratch { throw Refusal.notCreatableThere }
            return entry
        }
        try removeTree(Array(name), in: parent, by: caller)
        let step = try inspect { try $0.trashedSteps().first { $0.entry.inode == entry.inode } }
        table.withLock { table in
            table.announced.remove(label)
            if let step { table.labels[.step(action: step.action, number: step.number)] = label }
            table.known = nil
        }
    }

    private func removeTree(_ name: [UInt8], in parent: InodeNumber, by caller: Caller) throws(Refusal) {
        let entry = try inspect { try namespace.existing(name, in: parent, $0) }
        guard entry.kind == .folder else { return try tree.remove(name, in: parent, by: caller, isMeant: true) }
        for child in try tree.list(entry.inode) {
            guard let filename = child.filename else { continue }
            try removeTree(Array(filename.utf8), in: entry.inode, by: caller)
        }
        try tree.removeFolder(name, in: parent, by: caller)
    }

    // MARK: What is in it

    /// Brings a document back under a name in a folder.
    ///
    /// - Throws: EEXIST where the name is taken, as `rename` for the folder, ENOSPC.
    func restore(
        _ label: some Collection<UInt8>, in place: TrashPlace, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, by caller: Caller
    ) throws(Refusal) {
        guard place == .files else { throw .virtualName }
        let label = try Self.text(label)
        let newName = try Namespace.entryName(newName)
        let (item, folder) = try inspect { catalog -> (Item, Entry) in
            guard let item = try self.item(label, catalog) else { throw Refusal.noSuchName }
            let folder = try namespace.receivingFolder(newParent, catalog)
            if let found = try namespace.resolve(newName.text, in: newParent, catalog), !found.isUntitledAlias {
                throw Refusal.nameExists
            }
            return (item, folder)
        }
        try undoing.restoreFromTrash(item.trashed.source.key, into: folder)
        table.withLock { _ = $0.announced.insert(label) }
        let back = try inspect { catalog -> Entry? in
            guard let entry = try item.step.entry.id.flatMap({ try catalog.entry($0) }) else {
                throw Refusal.staleInode
            }
            return try namespace.resolve(newName.text, in: newParent, catalog)?.entry.inode == entry.inode ? nil : entry
        }
        guard let back else { return }
        try tree.rename(
            back.filename.utf8, in: back.parent, to: newName.text.utf8, in: newParent, options: .noReplace, by: caller)
    }

    /// Moves a document from one folder of the trash to another: to `expunged`, to remove it for good.
    ///
    /// - Throws: ENOENT; EPERM for any other move.
    func move(_ name: some Collection<UInt8>, in place: TrashPlace, to newPlace: TrashPlace) throws(Refusal) {
        guard place == .files, newPlace == .expunged else { throw .virtualName }
        try remove(name, in: place)
    }

    /// Removes a document for good, or the file in `info`. The latter of a document that is there still comes back by itself: some programs
    /// remove it first.
    ///
    /// - Throws: ENOENT; EPERM for the folders.
    func remove(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) {
        let name = try Self.text(name)
        switch place {
        case .top, .expunged: throw .virtualName
        case .files:
            guard let item = try inspect({ try self.item(name, $0) }) else { throw .noSuchName }
            try undoing.discard(item.trashed)
            table.withLock { _ = $0.announced.insert(name) }
        case .info:
            guard let label = TrashInfo.label(of: name) else { throw .noSuchName }
            let wasAnnounced = table.withLock { $0.announced.remove(label) != nil }
            if wasAnnounced { return }
            if try inspect({ try item(label, $0) == nil }) { throw .noSuchName }
        }
    }
}
