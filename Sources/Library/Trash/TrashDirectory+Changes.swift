import Catalog
import Documents
import Synchronization

/// What programs do in the trash: throw things away, bring them back, remove them for good.
extension TrashDirectory {
    /// A program is about to throw something away.
    ///
    /// - Throws: EEXIST where the label is taken, EPERM for any other name than `NAME.trashinfo`.
    func announce(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) -> Resolved {
        guard place == .info, let label = TrashInfo.label(of: try Self.text(name)) else { throw .notCreatableThere }
        return try inspect { catalog in
            guard try items(catalog).byPath[label] == nil, table.withLock({ $0.announce(label) }) else {
                throw Refusal.nameExists
            }
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
            if try items(catalog).byPath[label] != nil { throw Refusal.nameExists }
            let entry = try namespace.existing(name, in: parent, catalog)
            if entry.inode <= .cloud { throw Refusal.isOfTheTree }
            if entry.kind == .scratch { throw Refusal.notCreatableThere }
            return entry
        }
        try asToldByKernel(label, .init(isFolder: entry.kind == .folder)) { () throws(Refusal) in
            try removeTree(Array(name), in: parent, by: caller)
            let step = try inspect { catalog -> ActionStep? in try entry.id.flatMap { try catalog.removedStep($0) } }
            table.withLock {
                $0.throwAway(step.map { .step(action: $0.action, number: $0.number) }, as: label)
            }
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

    /// Brings a document back under a name in a folder, or a folder with all that was deleted with it.
    ///
    /// - Throws: EEXIST where the name is taken, as `rename` for the folder, ENOSPC.
    func restore(
        _ name: some Collection<UInt8>, in place: TrashPlace, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, by caller: Caller
    ) throws(Refusal) {
        guard let path = path(of: try Self.text(name), in: place) else { throw .virtualName }
        let newName = try Namespace.entryName(newName)
        let (items, item, folder) = try inspect { catalog -> (TrashTable.Items, TrashTable.Item, Entry) in
            let items = try self.items(catalog)
            guard let item = items.byPath[path] else { throw Refusal.noSuchName }
            let folder = try namespace.receivingFolder(newParent, catalog)
            if let found = try namespace.resolve(newName.text, in: newParent, catalog), !found.isUntitledAlias {
                throw Refusal.nameExists
            }
            return (items, item, folder)
        }
        try asToldByKernel(path, nil) { () throws(Refusal) in
            if item.trashed.isFolder {
                let below = items.all(from: item).dropFirst().map(\.trashed)
                try undoing.restoreFromTrash(item.trashed, with: below, into: folder)
            } else {
                try undoing.restoreFromTrash(item.trashed.source.key, into: folder)
            }
            table.withLock { $0.takeOut(item, of: items) }
        }
        let back = try inspect { catalog -> Entry? in
            guard let entry = try item.trashed.step.entry.id.flatMap({ try catalog.entry($0) }) else {
                throw Refusal.staleInode
            }
            return try namespace.resolve(newName.text, in: newParent, catalog)?.entry.inode == entry.inode ? nil : entry
        }
        guard let back else { return }
        try tree.rename(
            back.filename.utf8, in: back.parent, to: newName.text.utf8, in: newParent, options: .noReplace, by: caller)
    }

    /// Moves something from one folder of the trash to another: to `expunged`, to remove it for good with all that lies in it.
    ///
    /// - Throws: ENOENT; EPERM for any other move.
    func move(_ name: some Collection<UInt8>, in place: TrashPlace, to newPlace: TrashPlace) throws(Refusal) {
        guard newPlace == .expunged, let path = path(of: try Self.text(name), in: place) else { throw .virtualName }
        let items = try inspect { try self.items($0) }
        guard let item = items.byPath[path] else { throw .noSuchName }
        try discard(item, of: items)
    }

    /// Removes a document for good, or the file in `info`. The latter of a document that is there still comes back by itself: some programs
    /// remove it first.
    ///
    /// - Throws: ENOENT, EISDIR; EPERM for the places.
    func remove(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) {
        let name = try Self.text(name)
        switch place {
        case .top, .expunged: throw .virtualName
        case .files, .folder:
            let items = try inspect { try self.items($0) }
            guard let item = path(of: name, in: place).flatMap({ items.byPath[$0] }) else { throw .noSuchName }
            if item.trashed.isFolder { throw .isFolder }
            try discard(item, of: items)
        case .info:
            guard let label = TrashInfo.label(of: name) else { throw .noSuchName }
            if table.withLock({ $0.withdraw(label) }) { return }
            if try inspect({ try items($0).byPath[label] == nil }) { throw .noSuchName }
        }
    }

    /// Removes a folder for good in which nothing lies.
    ///
    /// - Throws: ENOENT, ENOTDIR, ENOTEMPTY; EPERM for the places.
    func removeFolder(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) {
        guard let path = path(of: try Self.text(name), in: place) else { throw .virtualName }
        let items = try inspect { try self.items($0) }
        guard let item = items.byPath[path] else {
            if table.withLock({ $0.removeEmptied(path) }) { return }
            throw .noSuchName
        }
        if !item.trashed.isFolder { throw .notFolder }
        if !item.contents.isEmpty { throw .folderNotEmpty }
        try discard(item, of: items)
    }

    private func discard(_ item: TrashTable.Item, of items: TrashTable.Items) throws(Refusal) {
        try asToldByKernel(item.path, nil) { () throws(Refusal) in
            try undoing.discard(items.all(from: item).map(\.trashed))
            table.withLock { $0.takeOut(item, of: items) }
        }
    }
}
