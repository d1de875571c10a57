import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Replica
import Replication
import SystemPackage

/// Compares the catalog's rows with the store's files and with one another, and changes nothing. One folder at a time is read with the
/// tree locked, so that requests are answered meanwhile.
struct StoreAudit {
    /// Facts about open files; nothing is open in a store that no mount uses.
    struct Use: Sendable {
        var isMounted = false
        var isOpen: @Sendable (InodeNumber) -> Bool = { _ in false }
        var isOpenForWriting: @Sendable (InodeNumber) -> Bool = { _ in false }
    }

    let store: Catalog
    let files: BackingStore
    let use: Use
    private(set) var findings: [StoreFinding] = []
    private(set) var isReplicaDamaged = false

    // For the repair.

    /// Folders whose rows and files disagree.
    private(set) var folders: Set<InodeNumber> = []
    /// Rows without a file that a process has open.
    private(set) var openWithoutFile: Set<InodeNumber> = []
    /// Documents whose files carry a name that no document can have.
    private(set) var badlyNamed: Set<InodeNumber> = []
    private(set) var foldersWithUnclearOrder: Set<InodeNumber> = []
    var stepsWithoutFile: [ActionStep] = []
    var unnamedInTrash: [InodeNumber] = []
    /// Names in the trash and in `staging` that docfs does not give.
    var foreignInTrash: [String] = []
    var foreignInStaging: [String] = []
    private(set) var notShown: [EntryID] = []
    /// Entries of which no path is known: folders may lie in one another.
    private var unreachable: Set<InodeNumber> = []

    init(_ store: Catalog, _ files: BackingStore, _ use: Use) {
        self.store = store
        self.files = files
        self.use = use
    }

    /// - Parameter progress: is told percents.
    mutating func run(progress: (Int) -> Void) throws {
        files.forgetFolders()
        try store.read { try auditRows($0) }
        try store.read { try auditOrder($0) }
        let folders = try store.read { try $0.folders().map(\.inode).sorted() }
        for (number, folder) in folders.enumerated() where !unreachable.contains(folder) {
            progress(90 * number / folders.count)
            try store.read { try auditFolder(folder, $0) }
        }
        try store.read { try auditTrash($0) }
        try store.read { try auditStaging($0) }
        progress(90)
        try auditReplica()
        progress(100)
    }

    mutating func find(_ area: StoreFinding.Area, _ place: String, _ fact: String, _ remedy: String) {
        findings.append(StoreFinding(area: area, place: place, fact: fact, remedy: remedy))
    }

    // MARK: Rows against files

    private mutating func auditFolder(_ folder: InodeNumber, _ rows: Rows) throws {
        guard let entry = try rows.entry(folder) else { return }
        let path = try StorePath.text(of: entry, rows)
        let directory: BackingFolder
        // A folder that is gone was found in the folder above it.
        do { directory = try files.folder(folder, rows) } catch Errno.noSuchFileOrDirectory { return } catch Errno
            .notDirectory
        { return }
        var entries = Dictionary(try rows.children(of: folder).map { (ExactName($0.filename), $0) }) { first, _ in first
        }
        for name in try directory.names().sorted() {
            guard let found = try directory.identifyIfPresent(name) else { continue }
            let place = path + "/" + name
            guard let row = entries.removeValue(forKey: ExactName(name)) else {
                try auditFileWithoutRow(name, found, in: folder, place)
                continue
            }
            if row.kind.backingType != found.type {
                folders.insert(folder)
                find(
                    .store, place, "is a \(found.words) where the catalog has a \(row.kind.words)",
                    "gives each a name of its own")
            } else if row.kind == .document {
                try auditDocument(row, found, in: directory, place, rows)
            }
        }
        for row in entries.values.sorted(by: { $0.inode < $1.inode }) where row.hasFile {
            try auditRowWithoutFile(row, in: folder, path + "/" + row.filename)
        }
    }

    private mutating func auditFileWithoutRow(
        _ name: String, _ found: IdentifiedStatus, in folder: InodeNumber, _ place: String
    ) throws {
        // Pipes, devices, and names that no entry can have are left alone.
        guard [S_IFREG, S_IFDIR, S_IFLNK].contains(found.type), (try? EntryName(name)) != nil else { return }
        folders.insert(folder)
        find(.store, place, "a \(found.words) that the catalog does not know", "adds it to the documents")
    }

    private mutating func auditRowWithoutFile(_ row: Entry, in folder: InodeNumber, _ place: String) throws {
        // It was set aside, and is found there.
        if try files.hasSetAside(row.inode) { return }
        let fact = "the \(row.kind.words) is gone\(row.name.map { " (“\($0.full)”)" } ?? "")"
        if use.isOpen(row.inode) {
            openWithoutFile.insert(row.inode)
            return find(
                .store, place, fact + ", and a program has it open",
                "waits until the program has saved it under another name and closed it")
        }
        folders.insert(folder)
        switch row.kind {
        case .folder, .symbolicLink: find(.store, place, fact, "makes it again")
        case .document where row.isReplicated && row.currentVersion != nil:
            find(.store, place, fact, "fetches it from the cloud when it is opened")
        case .document, .scratch: find(.store, place, fact, "takes it out of the listing")
        }
    }

    private mutating func auditDocument(
        _ row: Entry, _ found: IdentifiedStatus, in directory: BackingFolder, _ place: String,
        _ rows: Rows
    ) throws {
        if !row.isHere {
            if use.isOpen(row.inode) { return }
            folders.insert(row.parent)
            return find(.store, place, "is here, and the catalog says that it is not", "compares it with the cloud")
        }
        try auditName(of: row, in: directory, place)
        guard row.isReplicated, row.isBackingCurrent, !row.pending.contains(.content),
            !use.isOpenForWriting(row.inode), Fingerprint(found.status) != Fingerprint(row),
            try isEdited(row, found.status, in: directory, rows)
        else { return }
        folders.insert(row.parent)
        find(
            .store, place, "has another content than the catalog says",
            "compares it with the cloud, and keeps what differs as a new version")
    }

    /// Whether the file holds another content than the version that it is said to hold. Only then it is read.
    private func isEdited(
        _ row: Entry, _ status: stat, in directory: BackingFolder, _ rows: Rows
    ) throws -> Bool {
        guard let id = row.id, let held = row.contentVersion,
            let known = try CatalogReplica(rows).entry(id)?.versions?.all.first(where: { $0.id == held })
        else { return false }
        if known.size != Int64(status.st_size) { return true }
        if known.modified == Timestamp(status.st_mtim) { return false }
        let file = try directory.openUnnoticed(row.filename)
        return try withExtendedLifetime(file) { try !known.isContent(of: FileDescriptor(rawValue: file.number)) }
    }

    private mutating func auditName(of row: Entry, in directory: BackingFolder, _ place: String) throws {
        guard row.hasGeneratedFilename, let name = row.name, let carried = directory.carriedName(of: row.filename),
            !carried.elementsEqual(name.displayName.utf8)
        else { return }
        let text = String(validating: carried, as: UTF8.self)
        let isName =
            text.map { (try? DocumentName(displayName: $0, pathExtension: name.pathExtension)) != nil } ?? false
        if isName, let text {
            folders.insert(row.parent)
            find(
                .store, place, "carries the name “\(text)”, and the catalog says “\(name.displayName)”",
                "takes the name on the file")
        } else {
            badlyNamed.insert(row.inode)
            find(
                .store, place, "carries a name that no document can have; the catalog says “\(name.displayName)”",
                "writes the catalog's name to the file")
        }
    }

    // MARK: Rows against rows

    private mutating func auditRows(_ rows: Rows) throws {
        for row in try rows.unreachableEntries() {
            unreachable.insert(row.inode)
            find(
                .catalog, row.filename, "lies in a folder that is not in the tree",
                "moves it to \(StorePath.home(of: row).rawValue)")
        }
        for row in try rows.misplacedEntries() {
            find(
                .catalog, try StorePath.text(of: row, rows), "belongs to another container than its folder",
                "moves it to \(StorePath.home(of: row).rawValue)")
        }
        for step in try rows.stepsWithoutAction() {
            find(
                .catalog, step.entry.subject.name, "a step of the undo list that belongs to no action",
                step.isInTrash ? "makes it an action of its own" : "drops the step")
        }
    }

    private mutating func auditOrder(_ rows: Rows) throws {
        foldersWithUnclearOrder = try rows.foldersWithUnclearOrder()
        for folder in foldersWithUnclearOrder.sorted() {
            let path = try rows.entry(folder).map { try StorePath.text(of: $0, rows) } ?? "\(folder)"
            find(
                .order, path, "entries have the same place in the order, or none",
                "gives each a place of its own, in the order that is shown now")
        }
    }

    // MARK: The container as the catalog has it

    private static let recordsAtOnce = 500

    private mutating func auditReplica() throws {
        guard let head = try store.read({ try $0.logHead() }) else { return }
        let ids = try store.read { try $0.replicaParents().map(\.id) }
        var state = StateHash.empty
        for start in stride(from: 0, to: ids.count, by: Self.recordsAtOnce) {
            try store.read { rows in
                for id in ids[start..<min(start + Self.recordsAtOnce, ids.count)] {
                    if let record = try rows.replicaRecord(id) { state.add(record) }
                }
            }
        }
        if state != head.state {
            isReplicaDamaged = true
            // What it says of entries means nothing then.
            return find(
                .catalog, "the state of the container", "is not what its log has made it",
                "of a mounted store reads the container again")
        }
        try store.read { rows in
            for entry in try rows.entriesUnknownToContainer() {
                find(
                    .catalog, try StorePath.text(of: entry, rows),
                    "counts as sent, and the container does not have it",
                    entry.hasFile ? "sends it again" : "takes it out of the listing")
            }
            notShown = try rows.replicaEntriesNotShown()
            for id in notShown {
                let entry = try CatalogReplica(rows).entry(id)
                let name = entry.map { $0.description.fullName ?? $0.description.filename }
                find(
                    .catalog, "cloud: \(name ?? "\(id)")", "is in the container, and not in the tree", "shows it again")
            }
        }
    }
}

extension IdentifiedStatus {
    fileprivate var words: String {
        switch type {
        case S_IFDIR: "folder"
        case S_IFLNK: "symbolic link"
        default: "file"
        }
    }
}

extension EntryKind {
    fileprivate var words: String {
        switch self {
        case .folder: "folder"
        case .symbolicLink: "symbolic link"
        case .document, .scratch: "file"
        }
    }
}
