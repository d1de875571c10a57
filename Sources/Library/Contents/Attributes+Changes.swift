import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

extension Attributes {
    /// setattr: changes attributes and returns the attributes that an entry has then.
    ///
    /// - Throws: ESTALE, EISDIR and EINVAL for a change of size, EAGAIN where the content must arrive first
    ///   (`mustArriveToTruncate`), EPERM for the owner of a placeholder, of the mountpoint and of `Documents`, or
    ///   the backing file's own errno.
    func setAttributes(of inode: InodeNumber, _ changes: AttributeChanges) throws(Refusal) -> FileAttributes {
        if let file = openFiles.file(inode), file.isUnlinked { return try change(file, changes) }
        let present = try mutate(concerning: .only([inode])) { transaction -> FileAttributes? in
            guard var entry = try transaction.entry(inode) else { return nil }
            let changes = try changes.resolved(for: entry.kind, mode: entry.mode) {
                entry.isBackingCurrent ? try backingStatus(of: entry, transaction).st_gid : getegid()
            }
            // While the row is not yet committed, a crash rebuilds it from the file: its mode is there as well.
            if transaction.isRebuilt(entry, withMode: changes.mode) { transaction.durability = .soon }
            if let size = changes.size { try contents.truncate(&entry, to: size, transaction) }
            if entry.isBackingCurrent {
                try applyToBacking(changes, entry, transaction)
            } else if entry.isHere {
                // The file of an older version is here. The newer one gets its owner when it arrives.
                try setOwner(changes, of: entry, in: backing.folder(entry.parent, transaction), transaction)
            } else if changes.owner.map({ $0 != geteuid() }) == true || changes.group.map({ $0 != getegid() }) == true {
                throw Refusal.ownerOfPlaceholder
            }
            try record(changes, in: &entry, transaction)
            return try attributes(of: entry, transaction)
        }
        if let present { return present }
        // Another call removed its name before this transaction began.
        if let file = openFiles.file(inode), file.isUnlinked { return try change(file, changes) }
        guard var attributes = orphans.attributes(of: inode) else { throw .staleInode }
        attributes.apply(changes, now: surroundings.now())
        orphans.updateAttributes(of: inode) { $0 = attributes }
        return attributes
    }

    private func change(_ file: OpenFile, _ changes: AttributeChanges) throws(Refusal) -> FileAttributes {
        let present = try unlinkedAttributes(file)
        let changes = changes.resolved(for: .document, mode: present.mode) { present.group }
        try Refusal.wrapping { try Self.apply(changes, to: file) }
        if let mode = changes.mode { orphans.updateAttributes(of: file.inode) { $0.mode = mode } }
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

    private func setOwner(
        _ changes: AttributeChanges, of entry: Entry, in folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) {
        if changes.owner == nil, changes.group == nil { return }
        try folder.setOwner(
            entry.filename, owner: changes.owner ?? .max, group: changes.group ?? .max, transaction)
    }

    private func applyToBacking(
        _ changes: AttributeChanges, _ entry: Entry, _ transaction: Transaction
    ) throws {
        if entry.inode <= .documents {
            return try applyToTop(changes)
        }
        let folder = try backing.folder(entry.parent, transaction)
        defer { transactions.forgetStatus(of: entry.inode) }
        // Owner before mode: a change of owner clears set-id bits that the caller may be setting.
        try setOwner(changes, of: entry, in: folder, transaction)
        if let mode = changes.mode, entry.kind != .symbolicLink {
            try folder.setMode(mode, of: entry.filename, isFolder: entry.kind == .folder, transaction)
        }
        if let times = changes.times {
            try unseenWrites.settingTimes(of: entry.inode) { try folder.setTimes(entry.filename, times) }
        }
    }

    /// The mountpoint and `Documents` share the store's folder, which has their times. It belongs to docfs.
    private func applyToTop(_ changes: AttributeChanges) throws {
        let status = try backing.root.descriptor.status()
        if let owner = changes.owner, owner != status.st_uid { throw Refusal.ownerOfTheTree }
        if let group = changes.group, group != status.st_gid { throw Refusal.ownerOfTheTree }
        if let times = changes.times { try backing.root.setTimes(".", times) }
    }

    /// Records changed attributes in the row. Mode and time of modification are sent to other devices with a cloud entry, and of a
    /// placeholder the row alone has them. The modes of `Documents`, `local` and `cloud` stay on this device.
    private func record(_ changes: AttributeChanges, in entry: inout Entry, _ transaction: Transaction) throws {
        if entry.inode <= .cloud {
            guard let mode = changes.mode else { return }
            entry.mode = mode
            return try transaction.update(entry)
        }
        if !entry.isBackingCurrent { entry.changed = surroundings.now() }
        guard changes.mode != nil || changes.modified != nil else {
            if !entry.isBackingCurrent { try transaction.update(entry) }
            return
        }
        if let mode = changes.mode {
            entry.mode = mode
            entry.markPending(.mode)
            openFiles.setMode(mode, of: entry.inode)
        }
        if let modified = changes.modified {
            // Read back from the backing file, where there is one: later changes are recognised by comparison with it.
            let status =
                entry.isBackingCurrent
                ? try backing.folder(entry.parent, transaction).status(entry.filename) : nil
            entry.modified = status.map { Timestamp($0.st_mtim) } ?? modified.value(now: surroundings.now())
        }
        if changes.modified != nil { entry.markPending(.modified) }
        try transaction.update(entry)
        if entry.isReplicated { cloud.changesAreWaiting() }
    }

    /// Removes the set-id bits of a file that a caller without privilege writes to, as POSIX wants it.
    ///
    /// - Parameter isMember: whether the caller belongs to a group.
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
        // Set-group-id without group-execute may stay; the next write checks it again.
        if mode != before { notices.observer?.attributesChanged(of: inode) }
    }
}
