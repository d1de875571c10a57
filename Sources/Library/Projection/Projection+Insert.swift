import Backing
import Catalog
import Documents
import Glibc
import Replica
import Replication
import SystemPackage

/// Inserts entries that the tree does not have.
extension Projection {
    /// Inserts an entry and, if it is a folder, the entries that lie in it by the replica: they may have been inserted elsewhere while the
    /// folder did not exist.
    mutating func insertWithChildren(_ committed: ReplicaEntry) throws {
        try insert(committed)
        guard committed.isFolder else { return }
        for id in try transaction.replicaChildren(of: committed.id) { try projectLive(id) }
    }

    mutating func insert(_ committed: ReplicaEntry) throws {
        let description = committed.description
        guard let folder = try folder(description.parent) ?? transaction.entry(.cloudRoot) else { return }
        if try joinFound(committed, in: folder) { return }
        try willChangeEntries(of: folder)
        try freeFilename(description.filename, in: folder)
        let entry = try insertRow(committed, in: folder, isUndone: true)
        // It may have been in the trash.
        transaction.announceTrash()
        changes.recordCreation(of: entry)
        transaction.announce(.listingChanged(of: entry.parent))
        transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
    }

    /// Inserts an entry of a checkpoint, after its folder. It is not announced: no process has seen it.
    ///
    /// - Parameter isEmpty: whether the cloud's tree was empty before: then no filename can be taken.
    mutating func insertNew(_ committed: ReplicaEntry, intoEmptyTree isEmpty: Bool) throws {
        let parent = committed.description.parent
        if checkpointFolders[parent] == nil {
            checkpointFolders[parent] = try folder(parent) ?? transaction.entry(.cloudRoot)
        }
        guard let folder = checkpointFolders[parent] else { return }
        if !isEmpty {
            if try joinFound(committed, in: folder) { return }
            try freeFilename(committed.description.filename, in: folder)
        }
        // All of a checkpoint is one transaction, and the inverses keep each directory open.
        _ = try insertRow(committed, in: folder, isUndone: false)
    }

    /// - Parameter isUndone: whether the folder or link that is made goes when the transaction fails. Else the next attempt finds it.
    private mutating func insertRow(_ committed: ReplicaEntry, in folder: Entry, isUndone: Bool) throws -> Entry {
        var entry = try Entry(committed, in: folder)
        let kind = entry.kind
        let directory = try tree.backing.folder(folder.inode, transaction)
        let undoing = isUndone ? transaction : nil
        switch kind {
        case .folder: try directory.makeFolderUnlessPresent(entry.filename, mode: entry.mode, undoing)
        case .symbolicLink:
            try directory.makeSymbolicLinkUnlessPresent(entry.filename, target: entry.target ?? [], undoing)
            try directory.setModified(entry.filename, entry.modified.timespec)
        case .document, .scratch: break
        }
        if entry.isHere { entry.evidence = try directory.identify(entry.filename).evidence }
        entry.inode = try transaction.insert(entry)
        if kind == .folder { folderTimes.insert(entry.inode, time: entry.modified) }
        return entry
    }
}

// An earlier attempt, which failed or was killed, may have made the folder or link already.
extension BackingFolder {
    fileprivate func makeFolderUnlessPresent(
        _ name: String, mode: UInt16, _ undoing: Transaction?
    ) throws(Errno) {
        do throws(Errno) {
            if let undoing { try makeFolder(name, mode: mode, undoing) } else { try makeFolder(name, mode: mode) }
        } catch {
            guard error == .fileExists, try status(name).st_mode & S_IFMT == S_IFDIR else { throw error }
        }
    }

    fileprivate func makeSymbolicLinkUnlessPresent(
        _ name: String, target: [UInt8], _ undoing: Transaction?
    ) throws(Errno) {
        do throws(Errno) {
            if let undoing {
                try makeSymbolicLink(name, target: target, undoing)
            } else {
                try makeSymbolicLink(name, target: target)
            }
        } catch {
            // A file that is no link cannot be read as one: it is another entry.
            guard error == .fileExists, (try? readSymbolicLink(name)) == target else { throw error }
        }
    }
}

extension Entry {
    /// The row of an entry of the container, without a content.
    init(_ committed: ReplicaEntry, in folder: Entry) throws {
        let description = committed.description
        let nature: EntryNature =
            switch committed.content {
            case .folder: .folder(folder.namingContext.folder(try EntryName(description.filename)))
            case .symbolicLink(let target): .symbolicLink(target: Array(target))
            case .document: .document(description.identity)
            }
        self.init(
            parent: folder.inode, location: .cloud, nature: nature, filename: description.filename,
            created: committed.created, position: description.position.key, mode: description.mode)
        id = committed.id
        hasGeneratedFilename = description.hasGeneratedFilename
        modified = description.modified
        attributes = description.attributes.map(Array.init)
        isHere = kind != .document
        setVersions(committed.versions)
    }
}

extension EntryDescription {
    /// The identity of a document, which always has a name: a commit in which one has none is not applied (`CommitError`).
    var identity: DocumentIdentity {
        DocumentIdentity(
            name: DocumentName(storedDisplayName: displayName ?? filename, pathExtension: pathExtension ?? ""),
            naming: naming ?? .given)
    }
}
