import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

extension Attributes {
    /// Changes what it is asked to and returns what then holds.
    ///
    /// - Throws: EAGAIN where the content must arrive first; `truncationArrival` waits for it.
    func setAttributes(of inode: InodeNumber, _ changes: AttributeChanges) throws(Refusal) -> FileAttributes {
        if let file = openFiles.file(inode), file.isUnlinked { return try change(file, changes) }
        let present = try mutate { catalog -> FileAttributes? in
            guard var entry = try catalog.entry(inode) else { return nil }
            let changes = try changes.resolved(for: entry.kind, mode: entry.mode) {
                entry.isBackingCurrent ? try backingStatus(of: entry, catalog).st_gid : getegid()
            }
            // As long as no row tells of the file, it tells of its attributes itself after a sudden end.
            if catalog.isUnwritten(inode), BackingFolder.keepsMode(changes.mode ?? entry.mode) {
                catalog.durability = .soon
            }
            if let size = changes.size { try contents.truncate(&entry, to: size, catalog) }
            if entry.isBackingCurrent {
                try applyToBacking(changes, entry, catalog)
            } else if entry.isHere {
                // The file of an older version is here. The newer one keeps its owner when it comes.
                try setOwner(changes, of: entry, in: backing.folder(entry.parent, catalog))
            } else if changes.owner.map({ $0 != geteuid() }) == true || changes.group.map({ $0 != getegid() }) == true {
                throw Refusal.ownerOfPlaceholder
            }
            try note(changes, in: &entry, catalog)
            return try attributes(of: entry, catalog)
        }
        if let present { return present }
        // It may have lost its name while this call waited for its turn.
        if let file = openFiles.file(inode), file.isUnlinked { return try change(file, changes) }
        guard var node = orphans[inode] else { throw .staleInode }
        node.attributes.take(changes, now: surroundings.now())
        orphans[inode] = node
        return node.attributes
    }

    private func change(_ file: OpenFile, _ changes: AttributeChanges) throws(Refusal) -> FileAttributes {
        let present = try unlinkedAttributes(file)
        let changes = changes.resolved(for: .document, mode: present.mode) { present.group }
        try Refusal.wrapping { try Self.apply(changes, to: file) }
        if let mode = changes.mode { orphans.setMode(mode, of: file.inode) }
        return try unlinkedAttributes(file)
    }

    private static func apply(_ changes: AttributeChanges, to file: OpenFile) throws(Errno) {
        let number = file.descriptor.number
        if let size = changes.size { try file.writable().truncate(to: size) }
        if let mode = changes.mode {
            _ = try Descriptor.check { fchmod(number, mode_t(mode | BackingFolder.fileAccess)) }
        }
        if changes.owner != nil || changes.group != nil {
            _ = try Descriptor.check { fchown(number, changes.owner ?? .max, changes.group ?? .max) }
        }
        if let times = changes.times { _ = try Descriptor.check { futimens(number, times) } }
    }

    private func setOwner(_ changes: AttributeChanges, of entry: Entry, in folder: BackingFolder) throws(Errno) {
        if changes.owner == nil, changes.group == nil { return }
        try folder.setOwner(entry.filename, owner: changes.owner ?? .max, group: changes.group ?? .max)
    }

    private func applyToBacking(
        _ changes: AttributeChanges, _ entry: Entry, _ catalog: CatalogTransaction
    ) throws {
        if entry.inode <= .documents {
            // No folder of the store stands for these alone.
            guard changes.isOfModeOnly else { throw Refusal.onlyModeOfTheTree }
            return
        }
        let folder = try backing.folder(entry.parent, catalog)
        defer { self.catalog.forgetStatus(of: entry.inode) }
        // Owner before mode: a change of owner clears set-id bits that the caller may be setting.
        try setOwner(changes, of: entry, in: folder)
        if let mode = changes.mode {
            switch entry.kind {
            case .folder: try folder.setFolderMode(entry.filename, mode)
            case .document, .scratch: try folder.setFileMode(entry.filename, mode)
            case .symbolicLink: break
            }
        }
        if let times = changes.times {
            try unseenWrites.settingTimes(of: entry.inode) { try folder.setTimes(entry.filename, times) }
        }
    }

    /// Mode and times travel with a cloud entry; for a placeholder the row is all there is of them. The modes of `Documents`, `local`
    /// and `cloud` are this machine's.
    private func note(_ changes: AttributeChanges, in entry: inout Entry, _ catalog: CatalogTransaction) throws {
        if entry.inode <= .cloud {
            guard let mode = changes.mode else { return }
            entry.mode = mode
            return try catalog.update(entry)
        }
        if !entry.isBackingCurrent { entry.changed = surroundings.now() }
        guard changes.mode != nil || changes.modified != nil else {
            if !entry.isBackingCurrent { try catalog.update(entry) }
            return
        }
        if let mode = changes.mode {
            entry.mode = mode
            entry.notePending(.mode)
            openFiles.noteMode(mode, of: entry.inode)
        }
        if let modified = changes.modified {
            // As the backing file has it, where there is one: by that a change is recognised later.
            let status =
                entry.isBackingCurrent
                ? try backing.folder(entry.parent, catalog).status(entry.filename) : nil
            entry.modified = status.map { Timestamp($0.st_mtim) } ?? modified.value(now: surroundings.now())
        }
        if changes.modified != nil { entry.notePending(.modified) }
        try catalog.update(entry)
        if entry.isReplicated { cloud.changesAreWaiting() }
    }

    /// Somebody without privilege changes what may run with another's: POSIX takes set-id bits away then.
    ///
    /// - Parameter isMember: whether the writer belongs to a group.
    func removeSetIDBits(of inode: InodeNumber, isMember: @escaping AttributeChanges.Membership) throws(Refusal) {
        let file = openFiles.file(inode)
        if let file, file.arrival == nil {
            guard file.state.withLock(\.hasSetID) else { return }
        } else {
            guard let mode = try inspect({ try $0.entry(inode)?.mode }), FileMode.hasSetID(mode) else { return }
        }
        var changes = AttributeChanges()
        changes.clearsSetID = isMember
        let before = try inspect { try $0.entry(inode)?.mode }
        let mode = try setAttributes(of: inode, changes).mode
        file?.state.withLock { $0.hasSetID = FileMode.hasSetID(mode) }
        // Set-group-id without group-execute may stay, and is looked at again with the next write.
        if mode != before { observer?.attributesChanged(of: inode) }
    }
}
