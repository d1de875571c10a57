import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// The owner, permissions and calling process of an entry that is created.
public struct Creator: Sendable {
    /// The user id of the calling process.
    public var owner: UInt32
    /// The group id of the calling process.
    public var group: UInt32
    /// Permission bits, the umask applied.
    public var mode: UInt16
    /// The thread that makes the call. The list of actions and held versions go by it.
    public var caller: Caller

    public init(owner: UInt32, group: UInt32, mode: UInt16, caller: Caller = .unknown) {
        self.owner = owner
        self.group = group
        self.mode = mode
        self.caller = caller
    }
}

extension Tree {
    /// Creates a document (or a scratch file) called `name` and opens it. If the name means a document already, that one is opened.
    ///
    /// - Parameter flags: of open(2); only O_EXCL and the access mode are looked at.
    /// - Throws: EEXIST, EILSEQ, ENAMETOOLONG, EPERM.
    func create(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator, flags: Int32
    ) throws(Refusal) -> (Resolved, Opening) {
        let name = try Namespace.entryName(name)
        let hasRoom = transactions.hasRoom
        let outcome = try mutate(names: [(name.text, parent)]) { transaction, _ -> CreationOutcome in
            let folder = try namespace.receivingFolder(parent, transaction)
            let continuation = try identities.continuation(
                called: name, in: folder.inode, isExclusive: flags & O_EXCL != 0, transaction)
            if let found = try namespace.resolve(name.text, in: parent, transaction),
                !(found.isUntitledAlias && (flags & O_EXCL != 0 || continuation != nil))
            {
                if flags & O_EXCL != 0 { throw Refusal.nameExists }
                return .existing(
                    Resolved(
                        node: .entry(found.entry.inode),
                        attributes: try fileAttributes.attributes(of: found.entry, transaction),
                        isCacheable: namespace.isCacheable(found, as: name.text, in: parent)))
            }
            try Namespace.requireUnreserved(name)
            if !hasRoom { throw Refusal.noRoom }
            var (resolved, file) = try makeFile(
                name, in: folder, continuing: continuation, by: creator, flags: flags, transaction)
            if parent == .documents {
                resolved.isCacheable = false
                transaction.announce(.listingChanged(of: folder.inode))
            }
            return .created(resolved, file)
        }
        switch outcome {
        case .created(let resolved, let file):
            try openings.expectUnseenWrites(to: file)
            return (resolved, .opened(file))
        case .existing(let resolved):
            guard case .entry(let inode) = resolved.node else { throw .staleInode }
            return (resolved, try openings.open(inode, flags: flags, by: creator.caller))
        }
    }

    private enum CreationOutcome {
        case created(Resolved, OpenedFile)
        case existing(Resolved)
    }

    private func makeFile(
        _ name: EntryName, in folder: Entry, continuing continuation: Continuation?, by creator: Creator, flags: Int32,
        _ transaction: Transaction
    ) throws -> (Resolved, OpenedFile) {
        var (entry, isKnownIdentity) = try newFile(
            name, in: folder, continuing: continuation, by: creator, transaction)
        let directory = try backing.folder(folder.inode, transaction)
        let isWritable = !unseenWrites.mayWrite(to: entry)
        let descriptor = try directory.makeFile(
            entry.filename, isWritable ? O_RDWR : O_RDONLY, mode: creator.mode, transaction)
        try Self.assignOwner(creator, entry.filename, in: directory, isFile: true)
        // The row can be rebuilt from the file, except for its id, which no one has seen yet.
        let hasItsName = entry.name.map { backing.writeDisplayName($0.displayName, on: descriptor) } ?? true
        if hasItsName, BackingFolder.keepsMode(entry.mode), !isKnownIdentity, entry.naming == .given {
            transaction.durability = .soon
        }
        let found = try descriptor.identify()
        let status = found.status
        entry.evidence = found.evidence
        entry.inode = try transaction.insert(entry)
        if !isKnownIdentity { try actions.recordCreation(of: entry, by: creator.caller, transaction) }
        let file = OpenFile(entry: entry, descriptor: descriptor, isWritable: isWritable)
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let opened = contents.register(
            Handle(file: file, canWrite: canWrite, opener: contents.opener(of: file, creator.caller, flags: flags)))
        if entry.isReplicated { transfers.markClosed(entry.inode) }
        let shown = namespace.configuration.showsDisplayNames ? entry.name?.full : nil
        var attributes = FileAttributes(status)
        attributes.mode = entry.mode
        let isListed = (shown ?? entry.filename).isIdentical(to: name.text)
        let meaning = Namespace.Meaning(
            entry: entry, isListedName: isListed, isUntitledAlias: entry.naming == .untitled && !isListed)
        let resolved = Resolved(
            node: .entry(entry.inode), attributes: attributes,
            isCacheable: namespace.isCacheable(meaning, as: name.text, in: folder.inode))
        return (resolved, opened)
    }

    /// Makes the row of a file that is being created. It continues a document that was removed from this name a moment ago, or is a new one.
    private func newFile(
        _ name: EntryName, in folder: Entry, continuing continuation: Continuation?, by creator: Creator,
        _ transaction: Transaction
    ) throws -> (Entry, isKnownIdentity: Bool) {
        let now = surroundings.now()
        var entry = Entry(
            parent: folder.inode, location: folder.location, nature: .scratch, filename: name.text, created: now,
            position: try nextPosition(in: folder.inode, transaction), mode: creator.mode)
        let birth = RenameRule.creation(
            of: name, in: folder.namingContext,
            couldBeGenerated: namespace.couldHaveGenerated(DocumentName(splitting: name)))
        if birth.kind == .scratch { return (entry, false) }
        identities.recentlyRemoved.forget(name, in: folder.inode, transaction)
        if let continuation {
            try identities.carryOut(continuation, on: &entry, by: creator.caller, transaction)
        } else {
            try identities.begin(&entry, as: birth, transaction)
        }
        return (entry, continuation != nil)
    }
}
