import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Who makes an entry, and with which permissions.
public struct Creator: Sendable {
    public var owner: UInt32
    public var group: UInt32
    /// Permission bits, the umask applied.
    public var mode: UInt16
    public var caller: Caller

    public init(owner: UInt32, group: UInt32, mode: UInt16, caller: Caller = .unknown) {
        self.owner = owner
        self.group = group
        self.mode = mode
        self.caller = caller
    }
}

extension Library {
    /// Creates a document (or a scratch file) called `name` and opens it. A name that some document
    /// answers to is that document.
    ///
    /// - Parameter flags: of open(2); O_EXCL and the access mode count.
    /// - Throws: EEXIST, EILSEQ, ENAMETOOLONG, EPERM.
    public func create(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator, flags: Int32
    ) throws(Errno) -> (Resolved, Opening) {
        let name = try Self.entryName(name)
        let hasRoom = hasRoom
        let outcome = try mutate { catalog -> CreationOutcome in
            let folder = try receivingFolder(parent, catalog)
            if let found = try resolve(name.text, in: parent, catalog),
                !(found.isUntitledAlias && flags & O_EXCL != 0)
            {
                if flags & O_EXCL != 0 { throw Errno.fileExists }
                return .existing(
                    Resolved(
                        node: .entry(found.entry.inode), attributes: try attributes(of: found.entry, catalog),
                        isMemorable: isMemorable(found, as: name.text, in: parent)))
            }
            if !hasRoom { throw Errno.noSpace }
            var (resolved, file) = try makeFile(name, in: folder, by: creator, flags: flags, catalog)
            if parent == .documents {
                resolved.isMemorable = false
                catalog.announce(.listingChanged(of: folder.inode))
            }
            return .created(resolved, file)
        }
        switch outcome {
        case .created(let resolved, let file):
            try expectUnseenWrites(to: file)
            return (resolved, .opened(file))
        case .existing(let resolved):
            guard case .entry(let inode) = resolved.node else { throw .ioError }
            return (resolved, try open(inode, flags: flags, by: creator.caller))
        }
    }

    private enum CreationOutcome {
        case created(Resolved, OpenedFile)
        case existing(Resolved)
    }

    public func makeFolder(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator
    ) throws(Errno) -> Resolved {
        try makeEntry(name, in: parent, kind: .folder) { entry, folder, name in
            entry.mode = creator.mode
            entry.place = folder.place.folder(name)
        } effect: { directory, name throws(Errno) in
            try directory.makeFolder(name, mode: creator.mode)
            try Self.assignOwner(creator, name, in: directory)
        }
    }

    public func makeSymbolicLink(
        _ name: some Collection<UInt8>, to target: [UInt8], in parent: InodeNumber, by creator: Creator
    ) throws(Errno) -> Resolved {
        try makeEntry(name, in: parent, kind: .symbolicLink) { entry, _, _ in
            entry.mode = 0o777
            entry.target = target
        } effect: { directory, name throws(Errno) in
            try directory.makeSymbolicLink(name, target: target)
            try Self.assignOwner(creator, name, in: directory)
        }
    }

    public func readSymbolicLink(_ inode: InodeNumber) throws(Errno) -> [UInt8] {
        try inspect { catalog in
            guard let entry = try catalog.entry(inode) ?? departedNodes[inode]?.entry else {
                throw Errno.staleNFSFileHandle
            }
            guard let target = entry.target else { throw Errno.invalidArgument }
            return target
        }
    }

    static func entryName(_ bytes: some Collection<UInt8>) throws(Errno) -> EntryName {
        do throws(NameError) { return try EntryName(bytes: bytes) } catch { throw Errno(error) }
    }

    // MARK: Files

    private func makeFile(
        _ name: EntryName, in folder: Entry, by creator: Creator, flags: Int32, _ catalog: CatalogTransaction
    ) throws -> (Resolved, OpenedFile) {
        var (entry, isKnownIdentity) = try newFile(name, in: folder, by: creator, catalog)
        let directory = try backing.folder(folder.inode, catalog)
        let isWritable = !unseenWrites.concern(entry)
        let descriptor = try directory.makeFile(entry.filename, isWritable ? O_RDWR : O_RDONLY, mode: creator.mode)
        let filename = entry.filename
        catalog.ifFailed { try? directory.removeFile(filename) }
        try Self.assignOwner(creator, filename, in: directory)
        // The row can be rebuilt from the file, except for its id, which nobody has seen yet.
        let hasItsName = entry.name.map { backing.mirror(displayName: $0.displayName, on: descriptor) } ?? true
        if hasItsName, BackingFolder.keepsMode(entry.mode), !isKnownIdentity, entry.naming == .given {
            catalog.durability = .soon
        }
        let found = try descriptor.identify()
        let status = found.status
        entry.backing = found.evidence
        entry.inode = try catalog.insert(entry)
        let file = OpenFile(entry: entry, descriptor: descriptor, isWritable: isWritable)
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let opened = register(
            Handle(file: file, canWrite: canWrite, opener: opener(of: file, creator.caller, flags: flags)))
        if entry.isReplicated { transfers.noteClosed(entry.inode) }
        let shown = configuration.showsDisplayNames ? entry.name?.full : nil
        var attributes = FileAttributes(status)
        attributes.mode = entry.mode
        let isListed = (shown ?? entry.filename).isIdentical(to: name.text)
        let meaning = Meaning(
            entry: entry, isListedName: isListed, isUntitledAlias: entry.naming == .untitled && !isListed)
        let resolved = Resolved(
            node: .entry(entry.inode), attributes: attributes,
            isMemorable: isMemorable(meaning, as: name.text, in: folder.inode))
        return (resolved, opened)
    }

    /// The row of a file that is being created: a document that was here a moment ago, whose identity it takes, or
    /// a new one.
    private func newFile(
        _ name: EntryName, in folder: Entry, by creator: Creator, _ catalog: CatalogTransaction
    ) throws -> (Entry, isKnownIdentity: Bool) {
        let now = surroundings.now()
        let isScratch = folder.place.isScratch(name)
        var entry = Entry(
            parent: folder.inode, container: folder.container, kind: isScratch ? .scratch : .document,
            filename: name.text, created: now, position: try catalog.nextPosition(in: folder.inode), mode: creator.mode)
        if isScratch { return (entry, false) }
        if let departed = departed.claim(name, in: folder.inode, now: now),
            try takeIdentity(of: departed, for: &entry, by: creator.caller, catalog)
        {
            return (entry, true)
        }
        try giveIdentity(to: &entry, called: name, in: folder, catalog)
        return (entry, false)
    }

    /// Makes an entry a document of its own, called `name`.
    func giveIdentity(
        to entry: inout Entry, called name: EntryName, in folder: Entry, _ catalog: CatalogTransaction
    ) throws {
        let documentName = DocumentName(splitting: name)
        var random = surroundings.random()
        entry.kind = .document
        entry.id = .random(using: &random)
        entry.naming = Naming(createdAs: documentName)
        if folder.place.keepsName(name) {
            entry.filename = name.text
            entry.hasGeneratedFilename = false
        } else {
            entry.filename = try newFilename(for: documentName, in: folder.inode, catalog)
            entry.hasGeneratedFilename = true
        }
        entry.name = documentName
        if entry.hasGeneratedFilename { try takeRestoredName(for: &entry) }
        if entry.naming == .untitled { entry.name = automaticName(of: entry, content: []) }
        entry.notePending([.creation, .content])
    }

    /// The filename of a document that is created under `name`. A document that a backup is restored to gets its old filename back, if
    /// that is free: so a program that restores it once more finds it.
    func newFilename(for name: DocumentName, in folder: InodeNumber, _ catalog: CatalogTransaction) throws -> String {
        if configuration.filenames.couldHaveMade(name), try !catalog.isFilenameTaken(name.full, in: folder),
            try !backing.folder(folder, catalog).exists(name.full)
        {
            return name.full
        }
        return try newFilename(name.pathExtension, in: folder, catalog)
    }

    /// A generated filename that no document on this device has.
    func newFilename(_ pathExtension: String, in folder: InodeNumber, _ catalog: CatalogTransaction) throws -> String {
        var random = surroundings.random()
        while true {
            let isSequential = configuration.filenames.convention == .sequential
            let number = isSequential ? Int(try catalog.next(.sequentialNumber)) : 0
            let filename = configuration.filenames.makeFilename(
                pathExtension: pathExtension, time: surroundings.localTime(surroundings.now()), number: number,
                random: &random)
            if try !catalog.isFilenameTaken(filename, in: folder) { return filename }
        }
    }

    /// A free name for an entry that must give up its own: `NAME (DEVICE).EXT`.
    func distinctFilename(of entry: Entry, _ catalog: CatalogTransaction) throws -> String {
        let split = DocumentName(splitting: try EntryName(entry.filename))
        let directory = try? backing.folder(entry.parent, catalog)
        var number = 1
        while true {
            let stem = DistinctName.make(
                split.displayName, device: device.name, number: number, pathExtension: split.pathExtension)
            let filename = DocumentName(storedDisplayName: stem, pathExtension: split.pathExtension).full
            if try catalog.entry(in: entry.parent, filename: filename) == nil, directory?.exists(filename) != true {
                return filename
            }
            number += 1
        }
    }

    /// The display name of a document that nobody named.
    func automaticName(of entry: Entry, content: [UInt8]) -> DocumentName {
        AutomaticName.make(
            content: content, filename: entry.filename, pathExtension: entry.name?.pathExtension ?? "")
    }

    // MARK: Folders and links

    private func makeEntry(
        _ name: some Collection<UInt8>, in parent: InodeNumber, kind: EntryKind,
        prepare: (inout Entry, _ folder: Entry, EntryName) -> Void,
        effect: (BackingFolder, String) throws(Errno) -> Void
    ) throws(Errno) -> Resolved {
        let name = try Self.entryName(name)
        return try mutate(makingNew: true) { catalog in
            // Only documents resolve in `Documents` itself: a folder cannot stand in two places.
            if parent == .documents { throw Errno.notPermitted }
            let folder = try receivingFolder(parent, catalog)
            if let found = try resolve(name.text, in: parent, catalog), !found.isUntitledAlias {
                throw Errno.fileExists
            }
            var entry = Entry(
                parent: folder.inode, container: folder.container, kind: kind, filename: name.text,
                created: surroundings.now(), position: try catalog.nextPosition(in: folder.inode), mode: 0)
            prepare(&entry, folder, name)
            if !folder.place.isScratch, !entry.place.isScratch {
                var random = surroundings.random()
                entry.id = .random(using: &random)
                entry.notePending(.creation)
            }
            let directory = try backing.folder(folder.inode, catalog)
            try effect(directory, name.text)
            catalog.ifFailed {
                if kind == .folder {
                    try? directory.removeFolder(name.text)
                } else {
                    try? directory.removeFile(name.text)
                }
            }
            entry.backing = try directory.identify(name.text).evidence
            entry.inode = try catalog.insert(entry)
            if entry.isReplicated { transfers.wake.signal() }
            return Resolved(
                node: .entry(entry.inode), attributes: try attributes(of: entry, catalog), isMemorable: true)
        }
    }

    /// With `--allow-other` a file belongs to whoever made it.
    private static func assignOwner(_ creator: Creator, _ name: String, in directory: BackingFolder) throws(Errno) {
        guard creator.owner != geteuid(), geteuid() == 0 else { return }
        try directory.setOwner(name, owner: creator.owner, group: creator.group)
    }
}
