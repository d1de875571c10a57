import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

/// Makes rows and files agree, for the whole store or for some folders. The place in the store says whose a file is:
///
/// 1. A file at the path of a row of its type is that row's; but a folder that is known by 3 is what it was.
/// 2. A generated filename is unique and kept for life: a file elsewhere is that document's, unless the document's own place
///    holds one.
/// 3. Inode number and birth time together: so what keeps its given name, and a folder, is known again where it was moved. In
///    a copy of the store they mean nothing; there a folder is known by the documents in it.
/// 4. Any other file is a new document. None is ever removed because no row tells of it; but folders and links without any file,
///    which the log made and did not get to note, are made again by the log.
///
/// Where row and file are at different places, the `Occasion` says which of them is believed.
struct Reconciliation {
    /// Why rows and files may disagree.
    enum Occasion: Equatable {
        /// The process or the power ended: what was being moved goes back to where its row says.
        case uncleanEnd
        /// The store was copied or restored from a backup.
        case copy
        /// A person changed the store's plain files while no mount used it.
        case edits
        /// A write failed after it had changed files: rows are right.
        case failedWrite

        var knowsInodes: Bool { self != .copy }
    }

    /// A file at whose path no row is, or none of its type.
    struct Stray {
        let folder: InodeNumber
        let name: String
        let found: IdentifiedStatus

        var isFolder: Bool { found.type == S_IFDIR }
    }

    let comparison: StoreComparison
    let catalog: CatalogTransaction
    let occasion: Occasion
    /// Whether rows were lost: then not even an empty folder is there because the log was being applied.
    let isCatalogNew: Bool
    /// Whether the folders within those to be compared are compared, too.
    private let isRecursive: Bool
    /// Folders still to be compared.
    private var unvisited: [InodeNumber] = []
    private var visited: Set<InodeNumber> = []
    /// Folders that could not be read. They may lie in one that is still to be placed.
    private var unreadable: [InodeNumber] = []
    private var strays: [Stray] = []
    private var missing = MissingRows()
    /// Missing folders of which all that lay in them counts as missing, too.
    private var expanded: Set<InodeNumber> = []

    init(
        _ comparison: StoreComparison, _ catalog: CatalogTransaction, _ occasion: Occasion, isCatalogNew: Bool = false,
        isRecursive: Bool = true
    ) {
        self.comparison = comparison
        self.catalog = catalog
        self.occasion = occasion
        self.isCatalogNew = isCatalogNew
        self.isRecursive = isRecursive
    }

    mutating func run(_ folders: [InodeNumber]) throws {
        unvisited = folders
        try compareFolders()
        try placeFolders()
        unvisited = unreadable
        unreadable = []
        try compareFolders()
        try placeFolders()
        if !unreadable.isEmpty { comparison.mustReconcile.store(true, ordering: .relaxed) }
        // Files can only go back to folders that are there.
        if occasion != .edits { try remakeMissingFolders() }
        try placeFiles()
        try endMissing()
    }

    // MARK: Comparing

    private mutating func compareFolders() throws {
        while let folder = unvisited.popLast() { try compare(folder) }
    }

    private mutating func compare(_ folder: InodeNumber) throws {
        if visited.contains(folder) { return }
        let directory: BackingFolder
        let names: [String]
        do {
            directory = try comparison.backing.folder(folder, catalog)
            // At its path another folder may stand that is still to be placed.
            if try isOther(directory, than: folder) {
                comparison.backing.forget(folder)
                return unreadable.append(folder)
            }
            names = try directory.names()
        } catch {
            // It is not known what is missing in it.
            unreadable.append(folder)
            comparison.logger.warning(
                "a folder of the store cannot be read", metadata: ["inode": "\(folder)", "error": "\(error)"])
            return
        }
        visited.insert(folder)
        var rows = Dictionary(try catalog.children(of: folder).map { (ExactName($0.filename), $0) }) { first, _ in first
        }
        for name in names {
            guard let found = try identifyIfPresent(name, in: directory) else { continue }
            if let row = rows[ExactName(name)], row.kind.backingType == found.type, !isOtherFolder(row, found) {
                rows[ExactName(name)] = nil
                try match(row, found, in: directory)
                if found.type == S_IFDIR, isRecursive { unvisited.append(row.inode) }
            } else {
                strays.append(Stray(folder: folder, name: name, found: found))
            }
        }
        for row in rows.values where row.hasFile {
            // Asked once more: much follows from a file that is gone.
            if try identifyIfPresent(row.filename, in: directory)?.type != row.kind.backingType || row.kind == .folder {
                missing.insert(row)
            }
        }
    }

    private func isOther(_ directory: BackingFolder, than folder: InodeNumber) throws -> Bool {
        guard occasion.knowsInodes, let known = try catalog.entry(folder)?.backing, known.birth != 0 else {
            return false
        }
        return try directory.descriptor.identify().evidence != known
    }

    /// Whether a folder stands where another one was: a folder that was moved brings along what lies in it.
    private func isOtherFolder(_ row: Entry, _ found: IdentifiedStatus) -> Bool {
        guard row.kind == .folder, occasion.knowsInodes, let known = row.backing, known.birth != 0 else { return false }
        return known != found.evidence
    }

    /// Nil only for what is certainly not there.
    private func identifyIfPresent(_ name: String, in folder: BackingFolder) throws(Errno) -> IdentifiedStatus? {
        do throws(Errno) { return try folder.identify(name) } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    private mutating func expandMissingFolders() throws {
        for folder in missing.rows where folder.kind == .folder && expanded.insert(folder.inode).inserted {
            for row in try catalog.descendants(of: folder.inode) where row.hasFile {
                expanded.insert(row.inode)
                missing.insert(row)
            }
        }
    }

    // MARK: Whose a stray is

    private func owner(of stray: Stray) throws -> Entry? {
        if stray.found.type == S_IFREG, let row = try bearer(of: stray.name) { return row }
        if occasion.knowsInodes, let evidence = stray.found.evidence, let row = missing[evidence],
            row.kind.backingType == stray.found.type
        {
            return row
        }
        return stray.isFolder && !occasion.knowsInodes ? try folderOfDocuments(in: stray) : nil
    }

    /// The document with a generated filename, if its own place holds no file.
    private func bearer(of filename: String) throws -> Entry? {
        try catalog.entries(generatedFilename: filename).first { row in
            if missing[row.inode] != nil { return true }
            guard row.kind == .document else { return false }
            guard let directory = try? comparison.backing.folder(row.parent, catalog) else { return true }
            return !directory.exists(row.filename)
        }
    }

    /// The missing folder in which the documents are by their rows that a stray folder holds.
    private func folderOfDocuments(in stray: Stray) throws -> Entry? {
        let names = (try? comparison.backing.folder(stray.folder, catalog).folder(stray.name).names()) ?? []
        for name in names {
            if let row = try bearer(of: name), let folder = missing[row.parent] { return folder }
        }
        return nil
    }

    // MARK: Strays

    private mutating func placeFolders() throws {
        while true {
            let folders = strays.filter(\.isFolder)
            if folders.isEmpty { return }
            strays.removeAll(where: \.isFolder)
            try expandMissingFolders()
            var unclaimed: [Stray] = []
            for stray in folders {
                guard let row = try owner(of: stray), try unite(stray, with: row) else {
                    unclaimed.append(stray)
                    continue
                }
            }
            // One may wait for the folder that it goes back to.
            if unclaimed.count < folders.count {
                strays += unclaimed
            } else {
                try unclaimed.forEach { try settleFolder($0) }
            }
            try compareFolders()
        }
    }

    /// A folder that nobody knows is that of its place, or a new one.
    private mutating func settleFolder(_ stray: Stray) throws {
        guard let row = try catalog.entry(in: stray.folder, filename: stray.name), missing[row.inode] != nil,
            row.kind == .folder
        else { return try adopt(stray) }
        forgetMissing(row.inode)
        try match(row, stray.found, in: try comparison.backing.folder(stray.folder, catalog))
        unvisited.append(row.inode)
    }

    private mutating func placeFiles() throws {
        try expandMissingFolders()
        // The older first: in the order in which they were made, for all that can be known.
        let files = strays.sorted {
            (Timestamp($0.found.status.st_mtim), $0.name) < (Timestamp($1.found.status.st_mtim), $1.name)
        }
        strays = []
        for stray in files {
            if let row = try owner(of: stray), try unite(stray, with: row) { continue }
            try adopt(stray)
        }
    }

    /// Brings a row and its file together.
    ///
    /// - Returns: false where that cannot be done, or not yet.
    private mutating func unite(_ stray: Stray, with row: Entry) throws -> Bool {
        guard let folder = try catalog.entry(stray.folder) else { return false }
        // Scratch files are never sent, wherever they stand.
        let leavesCloud = row.isReplicated && folder.container == .local
        // A file that stands in `local` is never moved into the cloud.
        let isMovedBack = occasion == .failedWrite || occasion == .uncleanEnd && !leavesCloud
        if leavesCloud, occasion == .copy, row.currentVersion != nil { return false }
        let place: (row: Entry, folder: BackingFolder)?
        place = isMovedBack ? try moveBack(stray, to: row) : try follow(row, to: stray, in: folder)
        guard let place else { return false }
        forgetMissing(row.inode)
        guard let found = try identifyIfPresent(place.row.filename, in: place.folder) else { return true }
        try match(place.row, found, in: place.folder)
        if stray.isFolder { unvisited.append(row.inode) }
        return true
    }

    /// A row is missing no longer, nor is what lies in it if it is a folder: that is compared anew.
    private mutating func forgetMissing(_ inode: InodeNumber) {
        var forgotten = [inode]
        while let next = forgotten.popLast() {
            missing.remove(next)
            if expanded.remove(next) != nil { forgotten += missing.children(of: next) }
        }
    }

    private func moveBack(_ stray: Stray, to row: Entry) throws -> (Entry, BackingFolder)? {
        let source = try comparison.backing.folder(stray.folder, catalog)
        guard let target = try? comparison.backing.folder(row.parent, catalog) else { return nil }
        do throws(Errno) {
            try source.rename(stray.name, to: target, row.filename, flags: RENAME_NOREPLACE)
        } catch {
            if error != .noSuchFileOrDirectory {
                comparison.logger.warning(
                    "a file is not in its place", metadata: ["filename": "\(row.filename)", "error": "\(error)"])
            }
            return nil
        }
        // With the name that it may have been given on the way.
        comparison.backing.mirror(displayName: row.name?.displayName, of: row.filename, in: target)
        comparison.logger.notice("a move that had not ended was undone", metadata: ["filename": "\(row.filename)"])
        return (row, target)
    }

    private mutating func follow(_ row: Entry, to stray: Stray, in folder: Entry) throws -> (Entry, BackingFolder)? {
        let migrates = row.container != folder.container
        if migrates, try comparison.migration.obstacle(toMigrating: row, catalog) != nil { return nil }
        try makeWay(for: stray.name, in: folder.inode, besides: row.inode)
        var entry = row
        entry.parent = folder.inode
        entry.container = folder.container
        entry.filename = stray.name
        if row.parent != folder.inode { entry.position = try catalog.nextPosition(in: folder.inode) }
        entry.notePending([.place, .position])
        let name = try EntryName(stray.name)
        if row.kind == .document, !row.hasGeneratedFilename { entry.document?.name = DocumentName(splitting: name) }
        comparison.backing.forget(row.inode)
        try catalog.update(entry)
        if row.kind == .folder {
            try comparison.migration.carryDescendants(of: entry, from: row, to: folder.place.folder(name), catalog)
            entry = try catalog.entry(entry.inode) ?? entry
        }
        if migrates { try comparison.migration.migrate(entry, from: row, catalog) }
        comparison.logger.notice("a file was found at another place", metadata: ["filename": "\(entry.filename)"])
        return (try catalog.entry(entry.inode) ?? entry, try comparison.backing.folder(folder.inode, catalog))
    }

    private mutating func adopt(_ stray: Stray) throws {
        // A file without a row was there before the write that failed: the write removed its own (`ifFailed`).
        if occasion == .failedWrite { return }
        var stray = stray
        var directory = try comparison.backing.folder(stray.folder, catalog)
        let isCloud = try catalog.entry(stray.folder)?.container == .cloud
        // The log was being applied: folders and links are made again by it if they are wanted.
        if isCloud, !isCatalogNew, occasion != .edits, try directory.removeEmptyTree(stray.name) { return }
        if isCloud, stray.found.type == S_IFREG, let twin = try catalog.entries(generatedFilename: stray.name).first,
            twin.container == .local, let id = twin.id, try catalog.replicaRecord(id) != nil
        {
            // It has left the cloud, and nothing local is sent: the older file stays here as well.
            let local = try comparison.backing.folder(.local, catalog)
            let filename = try comparison.namespace.newFilename(twin.name?.pathExtension ?? "", in: .local, catalog)
            try directory.rename(stray.name, to: local, filename, flags: RENAME_NOREPLACE)
            if let name = twin.name?.displayName {
                comparison.backing.mirror(displayName: name, of: filename, in: local)
            }
            (stray, directory) = (Stray(folder: .local, name: filename, found: stray.found), local)
        }
        try makeWay(for: stray.name, in: stray.folder)
        guard let adopted = try comparison.foundFiles.adopt(stray, directory, catalog) else {
            comparison.logger.warning(
                "what is no file, folder or link was left alone", metadata: ["name": "\(stray.name)"])
            return
        }
        comparison.logger.notice("a file without a row was adopted", metadata: ["filename": "\(adopted.filename)"])
        if adopted.kind == .folder { unvisited.append(adopted.inode) }
    }

    /// A row whose file is not there gives up its name to a file that is.
    private mutating func makeWay(for filename: String, in folder: InodeNumber, besides inode: InodeNumber? = nil)
        throws
    {
        guard let row = try catalog.entry(in: folder, filename: filename), row.inode != inode else { return }
        var entry = row
        entry.filename = try comparison.namespace.distinctFilename(of: row, catalog)
        entry.notePending(.place)
        try catalog.update(entry)
        if missing[row.inode] != nil { missing.insert(entry) }
    }

    // MARK: What is missing

    private mutating func remakeMissingFolders() throws {
        try expandMissingFolders()
        let folders = missing.rows.filter { $0.kind == .folder }
        let depths = try folders.map { ($0, try catalog.depth(of: $0)) }
        for (folder, _) in depths.sorted(by: { $0.1 < $1.1 }) { try remake(folder) }
    }

    private mutating func remake(_ missingRow: Entry) throws {
        let directory = try comparison.backing.folder(missingRow.parent, catalog)
        if directory.exists(missingRow.filename) { try makeWay(for: missingRow.filename, in: missingRow.parent) }
        guard let row = try catalog.entry(missingRow.inode) else { return }
        if row.kind == .folder {
            try directory.makeFolder(row.filename, mode: row.mode == 0 ? 0o755 : row.mode)
        } else {
            try directory.makeSymbolicLink(row.filename, target: row.target ?? [])
        }
        missing.remove(row.inode)
        var entry = row
        entry.backing = try directory.identify(row.filename).evidence
        try catalog.update(entry)
    }

    /// Rows whose files are nowhere, what lies in a folder before the folder.
    private mutating func endMissing() throws {
        let rows = try missing.rows.map { ($0, try catalog.depth(of: $0)) }.sorted { $0.1 > $1.1 }.map(\.0)
        for row in rows {
            switch (occasion, row.kind) {
            case (.failedWrite, .document), (.failedWrite, .scratch):
                comparison.logger.error("a file of the store is gone", metadata: ["filename": "\(row.filename)"])
            case (.edits, .folder) where try catalog.hasChildren(row.inode): try remake(row)
            case (.edits, _): try comparison.foundFiles.dropRemoved(row, catalog)
            case (_, .folder), (_, .symbolicLink): try remake(row)
            default: try comparison.foundFiles.dropMissing(row, catalog)
            }
        }
    }
}

extension Entry {
    /// Whether there is a file for it in the store.
    fileprivate var hasFile: Bool { kind == .folder || kind == .symbolicLink || isHere }
}
