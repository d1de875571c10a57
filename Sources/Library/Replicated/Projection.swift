import Glibc
import Replica
import Backing
import CLinux
import Catalog
import Documents
import Foundation
import Replication
import SystemPackage

/// Brings the tree in line with the container: what is visible is the committed state with this
/// device's pending changes on top (DESIGN "The replicated container").
///
/// Runs inside one catalog transaction; what it took out of the tree is discarded after it.
struct Projection {
    private let tree: ReplicatedTree
    private let catalog: CatalogTransaction
    private let replica: CatalogReplica
    /// The documents of which the commit carried a save made here.
    private let saved: Set<EntryID>
    /// Files whose content can go when the transaction is committed.
    private(set) var discarded: [InodeNumber] = []
    private var changes = TreeChanges()
    /// The entries that are projected together.
    private var touched: [EntryID] = []
    /// The versions among theirs that went from one document to another with a rename over that one; nil before anybody asked.
    private var bequeathed: [VersionID: DocumentVersion]?
    /// The times that folders got elsewhere; given to them when all is done, since each entry that is put into one moves its time.
    private var folderTimes: [InodeNumber: Timestamp] = [:]
    /// Folders that a checkpoint put there, while it is taken over.
    private var knownFolders: [EntryID: Entry] = [:]

    init(_ tree: ReplicatedTree, _ catalog: CatalogTransaction, _ replica: CatalogReplica, saved: Set<EntryID>) {
        self.tree = tree
        self.catalog = catalog
        self.replica = replica
        self.saved = saved
    }

    /// What others did, with the names that listings show when all of it is done.
    func remoteChanges() throws -> [RemoteChange] {
        try changes.listed { id in
            try catalog.entry(id).flatMap { try tree.namespace.listedPlace(of: $0, catalog) }
        }
    }

    mutating func project(_ touched: [EntryID]) throws {
        (self.touched, bequeathed) = (touched, nil)
        for id in touched { try projectLive(id) }
        let gone = try touched.filter { try replica.entry($0)?.isDeleted != false }
        for id in gone { try projectDeleted(id, isFolder: false) }
        // Folders last, the inner ones first: they must be empty to go.
        for id in try deepestFirst(gone) { try projectDeleted(id, isFolder: true) }
        try setFolderTimes()
    }

    // MARK: What is there

    private mutating func projectLive(_ id: EntryID) throws {
        let committed = try replica.visibleEntry(id, at: tree.surroundings.now())
        guard let committed, !committed.isDeleted, try !catalog.hasWithdrawal(id) else { return }
        guard var entry = try catalog.entry(id) else { return try insertWithChildren(committed) }
        if entry.container == .cloud {
            try update(entry, to: committed)
        } else if !entry.isHere {
            try updateDeparting(entry, to: committed)
        } else {
            // It left the cloud with us, and an edit that did not know brought it back there: both stay.
            var random = tree.surroundings.random()
            entry.id = .random(using: &random)
            try catalog.update(entry)
            try insertWithChildren(committed)
        }
    }

    /// What lies in a folder by the container's word may have been put elsewhere while the folder was not there.
    private mutating func insertWithChildren(_ committed: ReplicaEntry) throws {
        try insert(committed)
        guard committed.isFolder else { return }
        for id in try catalog.replicaChildren(of: committed.id) { try projectLive(id) }
    }

    /// A document on its way out of the cloud brings the newest version along.
    private func updateDeparting(_ current: Entry, to committed: ReplicaEntry) throws {
        guard let version = committed.versions?.current, version.id != current.currentVersion else { return }
        var entry = current
        entry.currentVersion = version.id
        entry.size = version.size
        entry.modified = committed.description.modified
        tree.transfers.forget(current.inode)
        try leaveToReaders(&entry)
        try catalog.update(entry)
        catalog.announce(.entryChanged(EntryNames(current), besides: nil))
    }

    /// The row of the folder that a committed entry lies in, made if need be.
    private mutating func folder(_ id: EntryID) throws -> Entry? {
        if let folder = try catalog.entry(id) { return folder.container == .cloud ? folder : nil }
        guard let committed = try replica.visibleEntry(id, at: tree.surroundings.now()) else { return nil }
        try insert(committed)
        return try catalog.entry(id)
    }

    private mutating func insert(_ committed: ReplicaEntry) throws {
        guard let entry = try insertRow(committed) else { return }
        changes.noteCreation(of: entry)
        catalog.announce(.listingChanged(of: entry.parent))
        catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
    }

    /// An entry of a checkpoint, whose folder came before it; nobody has seen anything of it yet.
    ///
    /// - Parameter isEmpty: whether nothing was in the cloud's tree before: no name can be taken then.
    mutating func insertNew(_ committed: ReplicaEntry, intoEmptyTree isEmpty: Bool) throws {
        let parent = committed.description.parent
        if knownFolders[parent] == nil { knownFolders[parent] = try folder(parent) ?? catalog.entry(.cloudRoot) }
        guard let folder = knownFolders[parent] else { return }
        if !isEmpty { try makeRoom(for: committed.description.filename, in: folder) }
        try insertRow(committed, in: folder)
    }

    private mutating func insertRow(_ committed: ReplicaEntry) throws -> Entry? {
        let description = committed.description
        guard let folder = try folder(description.parent) ?? catalog.entry(.cloudRoot) else { return nil }
        try touch(folder)
        try makeRoom(for: description.filename, in: folder)
        return try insertRow(committed, in: folder)
    }

    @discardableResult
    private mutating func insertRow(_ committed: ReplicaEntry, in folder: Entry) throws -> Entry {
        let description = committed.description
        let nature: EntryNature =
            switch committed.content {
            case .folder: .folder(folder.place.folder(try EntryName(description.filename)))
            case .symbolicLink(let target): .symbolicLink(target: Array(target))
            case .document: .document(description.identity)
            }
        let kind = nature.kind
        var entry = Entry(
            parent: folder.inode, container: .cloud, nature: nature, filename: description.filename,
            created: committed.created, position: description.position, mode: description.mode)
        entry.id = committed.id
        entry.describe(as: description)
        entry.isHere = kind != .document
        entry.note(committed.versions)
        let directory = try tree.backing.folder(folder.inode, catalog)
        switch kind {
        case .folder: try makeFolder(entry, in: directory)
        case .symbolicLink:
            try makeSymbolicLink(entry, in: directory)
            try directory.setTimes(entry.filename, [entry.modified.timespec, entry.modified.timespec])
        case .document, .scratch: break
        }
        if entry.isHere { entry.backing = try directory.identify(entry.filename).evidence }
        entry.inode = try catalog.insert(entry)
        if kind == .folder { folderTimes[entry.inode] = entry.modified }
        return entry
    }

    // What an earlier try, which failed or was killed after it, made already is as good.

    private func makeFolder(_ entry: Entry, in directory: BackingFolder) throws {
        do throws(Errno) { try directory.makeFolder(entry.filename, mode: entry.mode) } catch {
            let isThere = (try? directory.status(entry.filename)).map { $0.st_mode & S_IFMT == S_IFDIR }
            guard error == .fileExists, isThere == true else { throw error }
        }
    }

    private func makeSymbolicLink(_ entry: Entry, in directory: BackingFolder) throws {
        let target = entry.target ?? []
        do throws(Errno) { try directory.makeSymbolicLink(entry.filename, target: target) } catch {
            guard error == .fileExists, (try? directory.readSymbolicLink(entry.filename)) == target else { throw error }
        }
    }

    // MARK: What changed

    private mutating func update(_ current: Entry, to committed: ReplicaEntry) throws {
        var entry = current
        let description = committed.description
        if !current.pending.contains(.place) { try move(&entry, to: description) }
        if current.kind == .document, !current.pending.contains(.name) { entry.document = description.identity }
        if !current.pending.contains(.attributes) { entry.attributes = description.attributes.map(Array.init) }
        if !current.pending.contains(.position) { entry.position = description.position }
        if !current.pending.contains(.mode) { entry.mode = description.mode }
        entry.pending.remove(.revival)
        entry.currentVersion = committed.versions?.current.id
        entry.conflicts = committed.versions?.conflicts.count ?? 0
        // The file holds a version that is another document's now, and safe there.
        if !entry.pending.contains(.content), try inherited(from: entry) != nil { entry.contentVersion = nil }
        // Also while a content that was made here hides them: it may turn out to be none.
        if !current.pending.contains(.modified) { entry.modified = description.modified }
        entry.size = committed.versions?.current.size ?? 0
        if !current.pending.contains(.content) { try settleContent(&entry, was: current) }
        try noteTimes(of: entry, was: current)
        if !entry.isHere { entry.changed = tree.surroundings.now() }
        try mirrorName(of: entry, was: current)
        let isMoved = entry.parent != current.parent || entry.filename != current.filename
        let formerPlace =
            isMoved || entry.name != current.name ? try tree.namespace.listedPlace(of: current, catalog) : nil
        // Also where the newest version was known before: a save made here hid it until now, and lost to it.
        let isOther = entry.currentVersion != current.currentVersion || saved.contains(committed.id)
        if entry.isOutdated || !entry.isHere, isOther { try leaveToReaders(&entry) }
        try catalog.update(entry)
        if isMoved || entry.name != current.name || entry.inode != current.inode {
            catalog.announce(.entryChanged(EntryNames(current), besides: nil))
            catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
        }
        // A folder with the versions in conflict is listed beside it, or is not any more.
        if (entry.conflicts > 0) != (current.conflicts > 0) { catalog.announce(.listingChanged(of: entry.parent)) }
        if let formerPlace { changes.noteMove(of: entry, from: formerPlace) }
        if entry.inode != current.inode { changes.noteContent(of: entry) }
        catalog.announce(.attributesChanged(of: entry.inode))
    }

    /// The content of an inode never changes but through the mount, so that the kernel may keep what
    /// it has cached of it: a new version gets a new inode number. Whoever has the old one open goes on
    /// reading what they opened. Who may still write keeps the document: an edit would become a
    /// conflict version, and must not go to a file without a name.
    private func leaveToReaders(_ entry: inout Entry) throws {
        let inode = entry.inode
        if tree.openFiles.isOpenForWriting(inode) {
            tree.openFiles.noteOvertaken(inode)
            return
        }
        tree.contents.noteHolders(of: entry)
        tree.openFiles.detach(inode)
        entry.inode = try catalog.renumber(inode)
    }

    private func settleContent(_ entry: inout Entry, was current: Entry) throws {
        guard entry.inode > .cloud, entry.isBackingCurrent, entry.kind != .symbolicLink else { return }
        let directory = try tree.backing.folder(entry.parent, catalog)
        if entry.mode != current.mode {
            tree.openFiles.noteMode(entry.mode, of: entry.inode)
            if entry.kind == .folder {
                try directory.setFolderMode(entry.filename, entry.mode)
            } else {
                try directory.setFileMode(entry.filename, entry.mode)
            }
        }
        if entry.modified != current.modified, entry.kind == .document {
            try tree.unseenWrites.settingTimes(of: entry.inode) {
                try directory.setTimes(entry.filename, [entry.modified.timespec, entry.modified.timespec])
            }
        }
    }

    private mutating func noteTimes(of entry: Entry, was current: Entry) throws {
        guard entry.modified != current.modified else { return }
        switch entry.kind {
        case .folder:
            // Else it changed here since, which the container has still to be told.
            if try folderTimes[entry.inode] != nil || isUnchanged(current) { folderTimes[entry.inode] = entry.modified }
        case .symbolicLink:
            let times = [entry.modified.timespec, entry.modified.timespec]
            try tree.backing.folder(entry.parent, catalog).setTimes(entry.filename, times)
        case .document, .scratch: break
        }
    }

    /// Something is about to change in a folder. If nothing has changed there on this device that the container has not been told, the
    /// folder's time is to be the container's in the end; else it is the time of this change.
    private mutating func touch(_ folder: Entry) throws {
        if folderTimes[folder.inode] != nil { return }
        if try isUnchanged(folder) { folderTimes[folder.inode] = folder.modified }
        try tree.backing.folder(folder.inode, catalog).touch()
    }

    /// Whether the time of a folder is the one that the container has of it.
    private func isUnchanged(_ folder: Entry) throws -> Bool {
        if folder.inode <= .cloud || folder.pending.contains(.modified) { return false }
        let status = try tree.backing.folder(folder.inode, catalog).descriptor.status()
        return tree.surroundings.folderTime(Timestamp(status.st_mtim)) == folder.modified
    }

    /// To be called when nothing more is put into folders.
    mutating func setFolderTimes() throws {
        for (inode, time) in folderTimes {
            guard let entry = try catalog.entry(inode) else { continue }
            try tree.backing.folder(entry.parent, catalog).setTimes(entry.filename, [time.timespec, time.timespec])
            catalog.announce(.attributesChanged(of: inode))
        }
        folderTimes = [:]
    }

    /// Whatever version the file holds, it carries the document's name: after an unclean end the name on a file is believed.
    private func mirrorName(of entry: Entry, was current: Entry) throws {
        guard entry.isHere, entry.kind == .document, entry.name != current.name else { return }
        let directory = try tree.backing.folder(entry.parent, catalog)
        tree.backing.mirror(displayName: entry.name?.displayName, of: entry.filename, in: directory)
    }

    private mutating func move(_ entry: inout Entry, to description: EntryDescription) throws {
        guard let folder = try folder(description.parent) ?? catalog.entry(.cloudRoot) else { return }
        let isRenamed = !entry.filename.isIdentical(to: description.filename)
        guard folder.inode != entry.parent || isRenamed else { return }
        // Our own pending move of the folder may have put it inside this entry.
        if try catalog.isInside(folder.inode, ancestor: entry.inode) { return }
        for inode in [entry.parent, folder.inode] { if let folder = try catalog.entry(inode) { try touch(folder) } }
        try makeRoom(for: description.filename, in: folder)
        let source = try tree.backing.folder(entry.parent, catalog)
        let target = try tree.backing.folder(folder.inode, catalog)
        let isMoved = try source.renameIfPresent(
            entry.filename, to: target, description.filename, flags: RENAME_NOREPLACE)
        // An earlier try may have moved it, and failed after that.
        if !isMoved, entry.isHere, !target.exists(description.filename) { throw Errno.noSuchFileOrDirectory }
        catalog.announce(.listingChanged(of: entry.parent))
        catalog.announce(.listingChanged(of: folder.inode))
        entry.parent = folder.inode
        entry.filename = description.filename
        entry.hasGeneratedFilename = description.hasGeneratedFilename
    }

    /// What stands here under a filename that the container gives to another entry gives way: by the
    /// log's order it came later, or it never leaves this machine.
    private mutating func makeRoom(for filename: String, in folder: Entry) throws {
        guard var other = try catalog.entry(in: folder.inode, filename: filename) else { return }
        let before = other
        let place = try tree.namespace.listedPlace(of: before, catalog)
        other.filename = try tree.namespace.distinctFilename(of: before, catalog)
        let directory = try tree.backing.folder(folder.inode, catalog)
        _ = try directory.renameIfPresent(filename, to: directory, other.filename)
        // One that leaves this place anyway, by what the container says, is only parked.
        if try staysPut(before) { other.notePending(.place) }
        try catalog.update(other)
        if let place { changes.noteMove(of: other, from: place) }
        catalog.announce(.entryChanged(EntryNames(before), besides: nil))
    }

    /// The version that the file of an entry holds, if it has just gone to another document with a rename over that one.
    private mutating func inherited(from entry: Entry) throws -> DocumentVersion? {
        guard let id = entry.id, let held = entry.contentVersion,
            try replica.entry(id)?.versions?.contains(held) == false
        else { return nil }
        let known = try bequeathed ?? bequeathedVersions()
        bequeathed = known
        return known[held].flatMap { $0.keeper == id ? $0 : nil }
    }

    private func bequeathedVersions() throws -> [VersionID: DocumentVersion] {
        let versions = try touched.flatMap { try replica.entry($0)?.versions?.all ?? [] }
        return Dictionary(versions.filter { $0.keeper != nil }.map { ($0.id, $0) }) { first, _ in first }
    }

    private func staysPut(_ entry: Entry) throws -> Bool {
        guard !entry.pending.contains(.place), let id = entry.id, let committed = try replica.entry(id) else {
            return true
        }
        let folder = try catalog.entry(entry.parent)
        return !committed.isDeleted && committed.description.parent == folder?.id
            && committed.description.filename.isIdentical(to: entry.filename)
    }

    // MARK: What is gone

    private func deepestFirst(_ gone: [EntryID]) throws -> [EntryID] {
        try gone.compactMap { id in try catalog.entry(id).map { (id, try catalog.depth(of: $0)) } }
            .sorted { $0.1 > $1.1 }.map(\.0)
    }

    private mutating func projectDeleted(_ id: EntryID, isFolder: Bool) throws {
        guard var entry = try catalog.entry(id), entry.container == .cloud, (entry.kind == .folder) == isFolder,
            !entry.pending.contains(.creation), entry.inode > .cloud
        else { return }
        let inherited = try inherited(from: entry)
        let isKept =
            isFolder
            ? try catalog.hasChildren(entry.inode)
            : try entry.pending.contains(.content)
                || tree.foundFiles.noteEditInStore(of: &entry, inherited: inherited, catalog)
        if isFolder, isKept, try !catalog.hasReplicatedChildren(entry.inode) {
            // What is no document brings nothing back elsewhere.
            entry.pending.insert(.revival)
            return try catalog.update(entry)
        }
        if isKept {
            // What was changed here since brings it back. It is no change itself: the revision stays, and the save of it
            // that is under way is the one that the container needs.
            entry.pending.insert(.creation)
            try catalog.update(entry)
            tree.cloud.changesAreWaiting()
            return
        }
        if let place = try tree.namespace.listedPlace(of: entry, catalog) {
            changes.noteRemoval(of: entry, from: place)
        }
        if let folder = try catalog.entry(entry.parent) { try touch(folder) }
        try tree.removal.noteDeparture(of: entry, catalog)
        try catalog.delete(entry.inode)
        let directory = try tree.backing.folder(entry.parent, catalog)
        if isFolder {
            try directory.removeFolder(entry.filename)
            tree.backing.forget(entry.inode)
        } else {
            tree.openFiles.detach(entry.inode)
            try tree.backing.setAside(entry.filename, of: entry.inode, in: directory)
            tree.transfers.forget(entry.inode)
            discarded.append(entry.inode)
        }
        catalog.announce(.listingChanged(of: entry.parent))
        catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
    }
}

extension Entry {
    fileprivate mutating func describe(as description: EntryDescription) {
        hasGeneratedFilename = description.hasGeneratedFilename
        modified = description.modified
        attributes = description.attributes.map(Array.init)
    }

    fileprivate mutating func note(_ versions: VersionHistory?) {
        currentVersion = versions?.current.id
        conflicts = versions?.conflicts.count ?? 0
        size = versions?.current.size ?? 0
    }
}

extension EntryDescription {
    /// Of a document: a commit in which one has no name is not applied (`CommitError`).
    fileprivate var identity: DocumentIdentity {
        DocumentIdentity(
            name: DocumentName(storedDisplayName: displayName ?? filename, pathExtension: pathExtension ?? ""),
            naming: naming ?? .given)
    }
}
