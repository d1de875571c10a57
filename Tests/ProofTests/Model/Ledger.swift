import Glibc
import MountSupport
import SystemPackage

/// What a plain folder does not know of documents: which one a file is, and its place in the order of its folder. It also gives the files
/// of the plain folder the attributes of the documents that they are. Files are known by their inode numbers in the plain folder.
final class Ledger {
    /// A document of which a file may be the continuation (Semantics, "Saving").
    struct Removed {
        var identity: Int
        var attributes: [String: [UInt8]]
        /// nil where it is left open.
        var position: Int?
        /// When it was removed, as a number.
        var time: Int
        /// It was renamed to a backup name, and is there still.
        var hasBackup: Bool
    }

    struct RemovedName: Hashable {
        var folder: Int
        var name: String
    }

    struct Entry {
        let inode: UInt64
        let path: TreePath
        let folder: UInt64
        let name: String
        let mode: UInt32
        let attributes: [String: [UInt8]]

        var isFile: Bool { mode & S_IFMT == S_IFREG }
        var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    }

    /// The documents among the files.
    var documents: [UInt64: Int] = [:]
    var positions: [UInt64: Int] = [:]
    /// Folders, also those that get the inode number of one that was removed.
    var folders: [UInt64: Int] = [:]
    /// The scratch files, while `Snapshot`s need to know them again.
    var scratch: [UInt64: Int] = [:]
    var removed: [RemovedName: Removed] = [:]
    /// The ids that the mount gave.
    var ids: [Int: String] = [:]
    private var lastNumber = 0

    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func folder(_ inode: UInt64) -> Int {
        if let known = folders[inode] { return known }
        let number = newNumber()
        folders[inode] = number
        return number
    }

    // MARK: What is there

    /// The entry at a path of the plain folder, of which the last name may be a link.
    func entry(_ path: TreePath) -> Entry? {
        guard let status = try? path.linkStatus(), let name = path.name,
            let folder = try? path.folder.status(), let attributes = try? path.userAttributes()
        else { return nil }
        return Entry(
            inode: UInt64(status.st_ino), path: path, folder: UInt64(folder.st_ino), name: name,
            mode: status.st_mode,
            attributes: attributes)
    }

    /// *New documents last*; so does what is moved to another folder.
    private func placeLast(_ entry: Entry) { positions[entry.inode] = newNumber() }

    /// A document that comes back gets its place again. If it was the last of its folder, and others were made meanwhile, its place among
    /// those is left open.
    private func place(_ entry: Entry, as document: Removed) throws {
        let others = try entry.path.folder.entries().compactMap { $0.inode == entry.inode ? nil : positions[$0.inode] }
        guard let position = document.position else { return positions[entry.inode] = nil }
        let isFollowed = others.contains { $0 > position && $0 < document.time }
        positions[entry.inode] = isFollowed || !others.contains { $0 > document.time } ? position : nil
    }

    private func forget(_ inode: UInt64) {
        documents[inode] = nil
        positions[inode] = nil
        folders[inode] = nil
    }

    // MARK: What was done

    /// A file, folder or link was made.
    func made(_ path: TreePath) throws {
        guard let entry = entry(path) else { return }
        placeLast(entry)
        scratch[entry.inode] = nil
        if entry.isFolder { folders[entry.inode] = newNumber() }
        guard entry.isFile, !DocumentNames.isScratch(entry.name) else { return }
        if try continueRemoved(entry, named: entry.name) { return }
        documents[entry.inode] = newNumber()
    }

    /// *When a document is deleted, and created again within 15 seconds, it is the same document.*
    func wasRemoved(_ entry: Entry) {
        if let identity = documents[entry.inode] {
            remember(entry, identity, hasBackup: false)
        }
        forget(entry.inode)
    }

    private func remember(_ entry: Entry, _ identity: Int, hasBackup: Bool) {
        removed[RemovedName(folder: folder(entry.folder), name: entry.name)] = Removed(
            identity: identity, attributes: entry.attributes, position: positions[entry.inode],
            time: newNumber(), hasBackup: hasBackup)
    }

    /// Makes a file the document that had its name a moment ago, if there is one.
    private func continueRemoved(_ entry: Entry, named name: String, from source: Int? = nil) throws -> Bool {
        let key = RemovedName(folder: folder(entry.folder), name: name)
        guard let document = removed.removeValue(forKey: key), document.identity != source else { return false }
        if let holder = documents.first(where: { $0.value == document.identity })?.key {
            guard document.hasBackup else { return false }
            // *The new file is the same document. The backup is a new document.*
            documents[holder] = newNumber()
        } else if document.hasBackup {
            return false
        }
        documents[entry.inode] = document.identity
        try place(entry, as: document)
        try entry.path.setUserAttributes(document.attributes.merging(entry.attributes) { $1 })
        return true
    }

    /// - Parameters:
    ///   - source: what was renamed, as it was.
    ///   - target: what had the new name.
    ///   - isByFilename: whether the document keeps its name.
    func renamed(_ source: Entry, to path: TreePath, over target: Entry?, isByFilename: Bool = false) throws {
        if source.inode == target?.inode { return }
        guard let entry = entry(path) else { return }
        if let target, let identity = documents[target.inode], source.isFile {
            // *A file that is renamed over a document replaces the document's content.*
            let position = positions[target.inode]
            forget(target.inode)
            documents[entry.inode] = identity
            positions[entry.inode] = position
            return try path.setUserAttributes(target.attributes.merging(source.attributes) { $1 })
        }
        if let target { forget(target.inode) }
        let identity = documents[source.inode]
        if source.isFile, DocumentNames.isScratch(entry.name) {
            if let identity { remember(source, identity, hasBackup: false) }
            documents[entry.inode] = nil
        } else if source.isFile, !isByFilename {
            if try continueRemoved(entry, named: entry.name, from: identity) { return }
            if identity == nil { documents[entry.inode] = newNumber() }
            if let identity, DocumentNames.isBackup(entry.name, of: source.name) {
                remember(source, identity, hasBackup: true)
            }
        }
        if entry.folder != source.folder { placeLast(entry) }
    }

    /// *`RENAME_EXCHANGE` swaps the contents of two documents; names and identities stay.* So do places.
    func exchanged(_ first: Entry, _ second: Entry) throws {
        if first.inode == second.inode { return }
        (positions[first.inode], positions[second.inode]) = (positions[second.inode], positions[first.inode])
        guard first.isFile else { return }
        (documents[first.inode], documents[second.inode]) = (documents[second.inode], documents[first.inode])
        try first.path.setUserAttributes(first.attributes)
        try second.path.setUserAttributes(second.attributes)
    }
}
