import Catalog
import Documents
import Synchronization

/// What programs do in the trash: throw things away, bring them back, remove them for good.
extension TrashDirectory {
    /// A program is about to throw something away.
    ///
    /// - Throws: EEXIST where the label is taken, EPERM for any other name than `NAME.trashinfo`.
    func announce(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) -> Resolved {
        guard folder == .info, let label = TrashInfo.label(of: try Self.text(name)) else { throw .notCreatableThere }
        return try inspect { rows in
            guard try items(rows).byPath[label] == nil, table.withLock({ $0.announce(label) }) else {
                throw Refusal.nameExists
            }
            let node = Node.trashInfo(number(label))
            return Resolved(node: node, attributes: try attributes(of: node, rows), isCacheable: false)
        }
    }

    /// Removes a document, or a folder with all that is in it, as rm(1) would.
    ///
    /// - Throws: EEXIST where the label is taken; EPERM outside of `files`, and for a scratch file, which nothing could bring back.
    func throwAway(
        _ name: some Collection<UInt8>, in parent: InodeNumber, as label: some Collection<UInt8>,
        in folder: FolderInTrash,
        by caller: Caller
    ) throws(Refusal) {
        let label = try Self.text(label)
        guard folder == .files else { throw .notCreatableThere }
        let entry = try inspect { rows in
            if try items(rows).byPath[label] != nil { throw Refusal.nameExists }
            let entry = try namespace.existing(name, in: parent, rows)
            if entry.inode <= .cloud { throw Refusal.isOfTheTree }
            if entry.kind == .scratch { throw Refusal.notCreatableThere }
            return entry
        }
        try asToldByKernel(label, .init(isFolder: entry.kind == .folder)) { () throws(Refusal) in
            try removeTree(Array(name), in: parent, by: caller)
            try nameThrownAway(entry, as: label)
        }
    }

    private func nameThrownAway(_ entry: Entry, as label: String) throws(Refusal) {
        let step = try inspect { rows -> ActionStep? in try entry.id.flatMap { try rows.removedStep($0) } }
        table.withLock { $0.throwAway(step.map { .step(action: $0.action, number: $0.number) }, as: label) }
    }

    private func removeTree(_ name: [UInt8], in parent: InodeNumber, by caller: Caller) throws(Refusal) {
        // Without recursion: folders may lie in each other thousands of levels deep.
        var waiting = [(name: name, parent: parent, isEmptied: false)]
        while let next = waiting.popLast() {
            if next.isEmptied {
                try tree.removeFolder(next.name, in: next.parent, by: caller)
                continue
            }
            let entry = try inspect { try namespace.existing(next.name, in: next.parent, $0) }
            guard entry.kind == .folder else {
                try tree.remove(next.name, in: next.parent, by: caller, isMeant: true)
                continue
            }
            waiting.append((next.name, next.parent, true))
            let inner = try tree.list(entry.inode).compactMap(\.filename)
            waiting += inner.reversed().map { (Array($0.utf8), entry.inode, false) }
        }
    }

    /// Brings a document back under a name in a folder, or a folder with all that was deleted with it.
    ///
    /// - Throws: EEXIST where the name is taken, as `rename` for the folder, ENOSPC; EPERM for a folder into `Documents`. It is in the trash
    ///   then.
    func restore(
        _ name: some Collection<UInt8>, in folder: FolderInTrash, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, by caller: Caller
    ) throws(Refusal) {
        guard let path = path(of: try Self.text(name), in: folder) else { throw .virtualName }
        let newName = try Namespace.entryName(newName)
        let (found, target) = try inspect { rows -> (Found, Entry) in
            let found = try self.found(path, rows)
            let target = try namespace.receivingFolder(newParent, rows)
            if let other = try namespace.resolve(newName.text, in: newParent, rows), !other.isUntitledAlias {
                throw Refusal.nameExists
            }
            try Namespace.requireUnreserved(newName)
            if found.trashed.isFolder, newParent == .documents { throw RenameRefusal.folderIntoDocuments }
            return (found, target)
        }
        try asToldByKernel(path, nil) { () throws(Refusal) in
            if found.trashed.isFolder {
                try undoing.restoreFromTrash(found.trashed, with: found.below, as: newName, into: target)
            } else {
                try undoing.restoreFromTrash(found.trashed.source.key, into: target, by: caller)
            }
            do throws(Refusal) { try bring(found.trashed, to: newName, in: newParent, by: caller) } catch {
                try throwAwayAgain(found.trashed, as: path, by: caller)
                throw error
            }
            table.withLock { $0.takeOut(path, asOf: transactions.writeCount) }
        }
    }

    /// What has come back gets the place and name that it is to have, where these are others: between `local` and `cloud` too.
    private func bring(
        _ trashed: Trashed, to newName: EntryName, in newParent: InodeNumber, by caller: Caller
    ) throws(Refusal) {
        let back = try inspect { rows -> Entry? in
            let entry = try self.entry(trashed, rows)
            return try namespace.resolve(newName.text, in: newParent, rows)?.entry.inode == entry.inode ? nil : entry
        }
        guard let back else { return }
        try tree.rename(
            back.filename.utf8, in: back.parent, to: newName.text.utf8, in: newParent, options: .noReplace, by: caller)
    }

    /// It cannot be where it was to be: nothing has happened.
    private func throwAwayAgain(_ trashed: Trashed, as path: String, by caller: Caller) throws(Refusal) {
        let entry = try inspect { try self.entry(trashed, $0) }
        try removeTree(Array(entry.filename.utf8), in: entry.parent, by: caller)
        if !path.contains("/") { try nameThrownAway(entry, as: path) }
    }

    private func entry(_ trashed: Trashed, _ rows: Rows) throws -> Entry {
        guard let entry = try trashed.step.entry.id.flatMap({ try rows.entry($0) }) else { throw Refusal.staleInode }
        return entry
    }

    /// Moves something from one folder of the trash to another: to `expunged`, to remove it for good with all that lies in it.
    ///
    /// - Throws: ENOENT; EPERM for any other move.
    func move(_ name: some Collection<UInt8>, in folder: FolderInTrash, to newFolder: FolderInTrash) throws(Refusal) {
        guard newFolder == .expunged, let path = path(of: try Self.text(name), in: folder) else { throw .virtualName }
        try discard(path) { _ in }
    }

    /// Removes a document for good, or the file in `info`. The latter of a document that is there still comes back by itself: some programs
    /// remove it first.
    ///
    /// - Throws: ENOENT, EISDIR; EPERM for the places.
    func remove(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) {
        let name = try Self.text(name)
        switch folder {
        case .top, .expunged: throw .virtualName
        case .files, .folder:
            guard let path = path(of: name, in: folder) else { throw .noSuchName }
            try discard(path) { found throws(Refusal) in if found.trashed.isFolder { throw .isFolder } }
        case .info:
            guard let label = TrashInfo.label(of: name) else { throw .noSuchName }
            if table.withLock({ $0.withdraw(label) }) { return }
            if try inspect({ try items($0).byPath[label] == nil }) { throw .noSuchName }
        }
    }

    /// Removes a folder for good in which nothing lies.
    ///
    /// - Throws: ENOENT, ENOTDIR, ENOTEMPTY; EPERM for the places.
    func removeFolder(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) {
        guard let path = path(of: try Self.text(name), in: folder) else { throw .virtualName }
        if table.withLock({ $0.removeEmptied(path) }) { return }
        try discard(path) { found throws(Refusal) in
            if !found.trashed.isFolder { throw .notFolder }
            if !found.below.isEmpty { throw .folderNotEmpty }
        }
    }

    private func discard(_ path: String, _ check: (Found) throws(Refusal) -> Void) throws(Refusal) {
        let found = try inspect { try self.found(path, $0) }
        try check(found)
        try asToldByKernel(path, nil) { () throws(Refusal) in
            try undoing.discard(found.trashed, with: found.below)
            table.withLock { $0.takeOut(path, asOf: transactions.writeCount) }
        }
    }

    private struct Found {
        let trashed: Trashed
        /// What lies in it, at any depth.
        let below: [Trashed]
    }

    private func found(_ path: String, _ rows: Rows) throws -> Found {
        let items = try self.items(rows)
        guard let item = items.byPath[path] else { throw Refusal.noSuchName }
        return Found(trashed: item.trashed, below: Array(items.all(from: item).dropFirst()))
    }
}
