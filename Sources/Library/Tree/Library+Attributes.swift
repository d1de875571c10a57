import Backing
import CLinux
import Catalog
import Documents
import Glibc
import SystemPackage

/// Which attributes setattr is to change; nil leaves one as it is.
public struct AttributeChanges: Sendable {
    public enum Time: Sendable { case now, at(Timestamp) }

    public var mode: UInt16?
    public var owner: UInt32?
    public var group: UInt32?
    /// Bytes.
    public var size: Int64?
    public var accessed: Time?
    public var modified: Time?
    /// Set where the change takes set-id bits away: every change of owner does, and a change of size by somebody without
    /// privilege. Tells whether the caller belongs to a group, or has the privilege of every one.
    public var clearsSetID: Membership?

    public typealias Membership = @Sendable (_ group: UInt32) -> Bool

    public init() {}
}

extension Library {
    public func attributes(of node: Node) throws(Errno) -> FileAttributes {
        guard case .entry(let inode) = node else { return try inspect { try virtualAttributes(of: node, $0) } }
        if let file = openFiles.file(inode), file.isUnlinked { return try unlinkedAttributes(file) }
        let present = try inspect { catalog in
            try catalog.entry(inode).map { try attributes(of: $0, catalog) }
        }
        if let present { return present }
        return try departedAttributes(inode)
    }

    /// Changes what it is asked to and returns what then holds.
    ///
    /// - Throws: EAGAIN where the content must arrive first; `truncationArrival` waits for it.
    public func setAttributes(of inode: InodeNumber, _ changes: AttributeChanges) throws(Errno) -> FileAttributes {
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
            if let size = changes.size { try truncate(&entry, to: size, catalog) }
            if entry.isBackingCurrent {
                try applyToBacking(changes, entry, catalog)
            } else if entry.isHere {
                // The file of an older version is here. The newer one keeps its owner when it comes.
                try setOwner(changes, of: entry, in: backing.folder(entry.parent, catalog))
            } else if changes.owner.map({ $0 != geteuid() }) == true || changes.group.map({ $0 != getegid() }) == true {
                throw Errno.notPermitted  // an owner is this machine's, and there is no file here to have one
            }
            try note(changes, in: &entry, catalog)
            return try attributes(of: entry, catalog)
        }
        if let present { return present }
        // It may have lost its name while this call waited for its turn.
        if let file = openFiles.file(inode), file.isUnlinked { return try change(file, changes) }
        guard var node = departedNodes[inode] else { throw .staleNFSFileHandle }
        node.attributes.take(changes, now: surroundings.now())
        departedNodes[inode] = node
        return node.attributes
    }

    /// Whether a change of size must wait for content that is not here.
    public func mustArriveToTruncate(_ inode: InodeNumber, to size: Int64) throws(Errno) -> Bool {
        if let file = openFiles.file(inode), file.isUnlinked { return false }
        guard let entry = try inspect({ try $0.entry(inode) }), !canChangeAtOnce(entry) else { return false }
        return size > 0 || openFiles.isReadWhileArriving(inode)
    }

    func attributes(of entry: Entry, _ catalog: CatalogTransaction) throws -> FileAttributes {
        guard entry.isBackingCurrent else {
            // Who has an older version open for writing sees that one until it is closed.
            let open = entry.isHere ? openFiles.file(entry.inode) : nil
            guard let open else {
                var attributes = FileAttributes.placeholder(entry)
                // A new version from elsewhere keeps the owner that the file has here.
                if entry.isHere, let file = try? backing.folder(entry.parent, catalog).status(entry.filename) {
                    (attributes.owner, attributes.group) = (file.st_uid, file.st_gid)
                }
                return attributes
            }
            var attributes = FileAttributes(try open.descriptor.status())
            attributes.mode = entry.mode
            return attributes
        }
        let status: stat
        switch entry.inode {
        case .root, .documents: status = try backing.root.descriptor.status()
        default: status = try backingStatus(of: entry, catalog)
        }
        var attributes = FileAttributes(status)
        attributes.mode = entry.kind == .symbolicLink ? 0o777 : FileMode.held(entry.mode, by: status.st_mode)
        if entry.kind == .folder {
            // But for the set-group-id bit that a folder inherits when it is made.
            let inherited = UInt16(status.st_mode & S_ISGID)
            attributes.mode = entry.mode | inherited
        }
        return attributes
    }

    /// How long it is believed what lstat(2) said of a file: who mapped it before it was closed, or has had it open since before
    /// docfs was started, may change it without a word.
    private static let statusPatience = Duration.seconds(60)

    /// lstat(2) of an entry's file. Of one that nobody has opened or changed since, it is known what it said.
    private func backingStatus(of entry: Entry, _ catalog: CatalogTransaction) throws -> stat {
        func look() throws -> stat { try backing.folder(entry.parent, catalog).status(entry.filename) }
        guard entry.kind == .document || entry.kind == .scratch, let opens = openFiles.opensWhileClosed(entry.inode)
        else {
            return try look()
        }
        let now = surroundings.instant()
        if let known = catalog.status(of: entry.inode), now - known.time < Self.statusPatience { return known.status }
        let status = try look()
        catalog.noteStatus(NotedStatus(status, at: now), of: entry.inode)
        // Who opened it after it was looked at may have forgotten this before it was noted.
        if openFiles.opensWhileClosed(entry.inode) != opens { self.catalog.forgetStatus(of: entry.inode) }
        return status
    }

    private func unlinkedAttributes(_ file: OpenFile) throws(Errno) -> FileAttributes {
        var attributes = FileAttributes(try file.descriptor.status())
        attributes.links = 0
        if let mode = departedNodes.mode(of: file.inode) {
            attributes.mode = FileMode.held(mode, by: mode_t(attributes.mode))
        }
        return attributes
    }

    /// Of what has no row: it lost its name, perhaps while this call waited for its turn.
    private func departedAttributes(_ inode: InodeNumber) throws(Errno) -> FileAttributes {
        if let file = openFiles.file(inode), file.isUnlinked { return try unlinkedAttributes(file) }
        guard let node = departedNodes[inode] else { throw .staleNFSFileHandle }
        return node.attributes
    }

    private func change(_ file: OpenFile, _ changes: AttributeChanges) throws(Errno) -> FileAttributes {
        let present = try unlinkedAttributes(file)
        let changes = changes.resolved(for: .document, mode: present.mode) { present.group }
        try Self.apply(changes, to: file)
        if let mode = changes.mode { departedNodes.setMode(mode, of: file.inode) }
        return try unlinkedAttributes(file)
    }

    private func truncate(_ entry: inout Entry, to size: Int64, _ catalog: CatalogTransaction) throws {
        guard entry.kind == .document || entry.kind == .scratch else {
            throw entry.kind == .folder ? Errno.isDirectory : Errno.invalidArgument
        }
        if size < 0 { throw Errno.invalidArgument }
        if !canChangeAtOnce(entry) {
            guard size == 0, !openFiles.isReadWhileArriving(entry.inode) else {
                throw Errno.resourceTemporarilyUnavailable
            }
            try makeEmpty(&entry, catalog)
        } else if let file = openFiles.shareableFile(entry.inode, forWriting: true), file.isWritable {
            try file.descriptor.truncate(to: size)
        } else {
            let folder = try backing.folder(entry.parent, catalog)
            try folder.openFile(entry.filename, O_WRONLY).truncate(to: size)
        }
        if size == 0 { noteBaseOfWriters(of: &entry, catalog) }
        noteContentChange(&entry)
        if !openFiles.isOpenForWriting(entry.inode) { try finishSave(&entry, catalog) }
        try catalog.update(entry)
    }

    /// Whether the content that an edit starts from is here: the newest version, or an older one that
    /// somebody is editing already.
    private func canChangeAtOnce(_ entry: Entry) -> Bool {
        entry.isBackingCurrent || (entry.isHere && openFiles.isOpenForWriting(entry.inode))
    }

    /// Moves the time of change where no change of the backing file itself does (attributes live in the catalog).
    func noteChange(of entry: inout Entry, _ catalog: CatalogTransaction) throws {
        guard entry.isBackingCurrent, entry.inode > .documents else { return entry.changed = surroundings.now() }
        // It sets the mode once more, which could bring back set-id bits that a write is just taking away.
        if FileMode.hasSetID(entry.mode), openFiles.isOpenForWriting(entry.inode) { return }
        try backing.folder(entry.parent, catalog).touchChange(of: entry.filename)
        self.catalog.forgetStatus(of: entry.inode)
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
            guard changes.isOfModeOnly else { throw Errno.notPermitted }
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
        if entry.isReplicated { transfers.wake.signal() }
    }
}

extension AttributeChanges {
    /// With the mode that is left when the change takes set-id bits away.
    ///
    /// - Parameter group: the file's.
    fileprivate func resolved(
        for kind: EntryKind, mode current: UInt16, group: () throws -> UInt32
    ) rethrows -> AttributeChanges {
        guard let clearsSetID, kind == .document || kind == .scratch else { return self }
        var changes = self
        let mode = try FileMode.clearingSetID(mode ?? current) { clearsSetID(try group()) }
        if mode != current { changes.mode = mode }
        return changes
    }

    fileprivate var isOfModeOnly: Bool {
        owner == nil && group == nil && size == nil && accessed == nil && modified == nil
    }

    /// The argument of utimensat(2); nil when neither time changes.
    fileprivate var times: [timespec]? {
        if accessed == nil, modified == nil { return nil }
        return [accessed, modified].map { time in
            switch time {
            case nil: Glibc.timespec(tv_sec: 0, tv_nsec: UTIME_OMIT)
            case .now: Glibc.timespec(tv_sec: 0, tv_nsec: UTIME_NOW)
            case .at(let time): time.timespec
            }
        }
    }
}

extension FileAttributes {
    /// What chmod, chown and utimensat change of something that has no file any more.
    fileprivate mutating func take(_ changes: AttributeChanges, now: Timestamp) {
        if let mode = changes.mode { self.mode = mode }
        if let owner = changes.owner { self.owner = owner }
        if let group = changes.group { self.group = group }
        accessed = changes.accessed.map { $0.value(now: now) } ?? accessed
        modified = changes.modified.map { $0.value(now: now) } ?? modified
        changed = now
    }
}

extension AttributeChanges.Time {
    fileprivate func value(now: Timestamp) -> Timestamp {
        switch self {
        case .now: now
        case .at(let time): time
        }
    }
}

extension Entry {
    /// Remembers that the container must hear of a change. Local entries and scratch have no one to tell.
    mutating func notePending(_ changes: PendingChanges) {
        guard isReplicated else { return }
        pending.formUnion(changes)
        revision += 1
    }

    /// What the rules of renaming want to know of it.
    ///
    /// A filename is as old as its document: hardly any is generated later, and none of those for a temporary name.
    func renamed(at now: Timestamp) -> RenamedEntry {
        RenamedEntry(
            kind: kind, filename: filename, hasGeneratedFilename: hasGeneratedFilename,
            isFilenameFresh: hasGeneratedFilename && SavingInterval.contains(now, from: created), name: name,
            naming: naming)
    }
}
