import Backing
import Catalog
import CLinux
import Documents
import Glibc
import Logging
import Replica
import Replication
import SystemPackage

/// Mends what a `StoreAudit` has found. It removes no file: one that nothing tells of becomes a document, or a removal that can be
/// undone. Each kind of finding has a transaction of its own, so that a kill in between leaves the rest for the next repair.
struct StoreMending {
    let store: DocumentStore
    let files: BackingStore
    let cloud: any ContentSource
    let notices: ChangeNotices
    let namespace: Namespace
    let actions: Actions
    let comparison: StoreComparison
    let replicatedTree: ReplicatedTree
    private var folders: Set<InodeNumber> = []

    init(
        _ store: DocumentStore, files: BackingStore, cloud: any ContentSource, notices: ChangeNotices,
        namespace: Namespace, actions: Actions, comparison: StoreComparison, replicatedTree: ReplicatedTree
    ) {
        self.store = store
        self.files = files
        self.cloud = cloud
        self.notices = notices
        self.namespace = namespace
        self.actions = actions
        self.comparison = comparison
        self.replicatedTree = replicatedTree
    }

    mutating func mend(_ audit: StoreAudit) throws {
        folders = audit.folders
        files.forgetFolders()
        try store.write { try bringHome($0) }
        // Before the files: one without a row may be that of an entry that is to be shown again.
        if !audit.isReplicaDamaged { try mendCloudRows(audit) }
        try moveForeignFiles(audit)
        try reconcile(besides: audit.openWithoutFile)
        try store.write { try writeNames(audit.badlyNamed, $0) }
        try store.write { transaction in
            for folder in audit.foldersWithUnclearOrder.sorted() { try orderAnew(folder, transaction) }
        }
        try store.write { try mendTrash(audit, $0) }
        cloud.changesAreWaiting()
        notices.stateChanged()
    }

    // MARK: Rows

    /// Moves entries whose place means nothing to the top of their container. Their files follow (`reconcile`).
    private mutating func bringHome(_ transaction: Transaction) throws {
        while true {
            let lost = try transaction.unreachableEntries()
            if lost.isEmpty { break }
            let ids = Set(lost.map(\.inode))
            // The others lie in these. If there are none, folders lie in one another.
            let tops = lost.filter { !ids.contains($0.parent) || $0.parent == $0.inode }
            let parents = try tops.filter { try transaction.entry($0.parent)?.kind != .folder || $0.parent == $0.inode }
            for entry in parents.isEmpty ? Array(lost.sorted { $0.inode < $1.inode }.prefix(1)) : parents {
                try bringHome(entry, transaction)
            }
        }
        for entry in try transaction.misplacedEntries() { try bringHome(entry, transaction) }
    }

    private mutating func bringHome(_ lost: Entry, _ transaction: Transaction) throws {
        let home: InodeNumber = StorePath.home(of: lost) == .local ? .local : .cloud
        if try transaction.entry(lost.parent)?.kind == .folder { folders.insert(lost.parent) }
        folders.insert(home)
        var entry = lost
        entry.parent = home
        entry.location = StorePath.home(of: lost)
        if try transaction.entry(in: home, filename: lost.filename) != nil {
            entry.filename = try namespace.distinctFilename(of: entry, transaction)
        }
        entry.position = try comparison.nextPosition(in: home, transaction)
        entry.markPending([.place, .position])
        files.forget(lost.inode)
        try transaction.update(entry)
    }

    // MARK: Files

    /// Files in the trash and in `staging` that docfs did not put there become documents of `local`.
    private mutating func moveForeignFiles(_ audit: StoreAudit) throws {
        if audit.foreignInTrash.isEmpty, audit.foreignInStaging.isEmpty { return }
        folders.insert(.local)
        try store.write { transaction in
            let local = try files.folder(.local, transaction)
            for (source, names) in [(files.trash, audit.foreignInTrash), (files.staging, audit.foreignInStaging)] {
                for name in names where try source.exists(name) {
                    let isFree = try transaction.entry(in: .local, filename: name) == nil && !local.exists(name)
                    let split = (try? EntryName(name)).map { DocumentName(splitting: $0) }
                    let target =
                        isFree
                        ? name
                        : try namespace.newFilename(split?.pathExtension ?? "", in: .local, transaction)
                    try source.move(name, to: local, target, transaction)
                }
            }
        }
    }

    /// Makes rows and files of the folders agree, and tells the kernel what changed.
    ///
    /// - Parameter open: rows without a file that a process has open; their folders are left as they are.
    private mutating func reconcile(besides open: Set<InodeNumber>) throws {
        let folders = folders
        if folders.isEmpty { return }
        try store.write { transaction in
            files.forgetFolders()
            let left = Set(try open.compactMap { try transaction.entry($0)?.parent })
            let some = try folders.subtracting(left).filter { try transaction.entry($0)?.kind == .folder }.sorted()
            let before = try some.flatMap { try transaction.children(of: $0) }
            // Empty folders of the cloud are kept, as with a new catalog: nobody knows whether a person has made them.
            var reconciliation = Reconciliation(
                comparison, transaction, .uncleanEnd, isCatalogNew: true, isRecursive: false)
            try reconciliation.run(some)
            for entry in before {
                let now = try transaction.entry(entry.inode)
                if now?.parent != entry.parent || now?.filename != entry.filename || now?.name != entry.name {
                    transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
                }
                if now != nil { transaction.announce(.attributesChanged(of: entry.inode)) }
            }
            for folder in some {
                for entry in try transaction.children(of: folder) {
                    transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
                }
                transaction.announce(.listingChanged(of: folder))
            }
        }
    }

    private func writeNames(_ documents: Set<InodeNumber>, _ transaction: Transaction) throws {
        for inode in documents {
            guard let entry = try transaction.entry(inode), entry.isHere else { continue }
            files.writeDisplayName(
                entry.name?.displayName, of: entry.filename, in: try files.folder(entry.parent, transaction),
                transaction)
        }
    }

    // MARK: Order

    /// Gives the entries of a folder keys of their own, in the order that is shown. Those that can stay do.
    private func orderAnew(_ folder: InodeNumber, _ transaction: Transaction) throws {
        var random = store.surroundings.random()
        let entries = try transaction.children(of: folder)
        var last: OrderKey?
        for (index, entry) in entries.enumerated() {
            if OrderKey(entry.position.text) != nil, last.map({ $0 < entry.position }) ?? true {
                last = entry.position
                continue
            }
            // The next key that can stay is after this one.
            let next = entries[(index + 1)...].first { other in
                OrderKey(other.position.text) != nil && last.map { $0 < other.position } ?? true
            }
            var moved = entry
            moved.position = .between(last, next?.position, using: &random)
            moved.markPending(.position)
            try transaction.update(moved)
            last = moved.position
        }
        transaction.announce(.listingChanged(of: folder))
    }

    // MARK: The trash

    private func mendTrash(_ audit: StoreAudit, _ transaction: Transaction) throws {
        for step in try transaction.stepsWithoutAction() {
            try transaction.delete(step)
            // The former content of a document becomes a document by itself (`TrashReconciliation`).
            guard step.change == .removed, step.isInTrash,
                try files.trash.exists(BackingStore.trashName(step.entry.inode))
            else { continue }
            try actions.recordRecovered(step.entry, at: store.surroundings.now(), transaction)
        }
        try TrashReconciliation(comparison, transaction, isCopy: false)
            .mend(lost: audit.stepsWithoutFile, unnamed: audit.unnamedInTrash)
    }

    // MARK: The container

    private func mendCloudRows(_ audit: StoreAudit) throws {
        try store.write { transaction in
            guard try transaction.logHead() != nil else { return }
            for row in try transaction.entriesUnknownToContainer() { try sendAgain(row, transaction) }
        }
        if audit.notShown.isEmpty { return }
        try replicatedTree.follow(in: { try $0.folders().map(\.inode) }) { transaction in
            let ids = Set(try transaction.replicaEntriesNotShown()).intersection(audit.notShown)
            let touched = audit.notShown.filter(ids.contains)
            return (ReplicaChange(CatalogReplica(transaction), touched: touched), ())
        }
    }

    /// The container does not have an entry that counts as sent.
    private func sendAgain(_ row: Entry, _ transaction: Transaction) throws {
        if !row.hasFile {
            store.logger.warning("a document's content is nowhere", metadata: ["filename": "\(row.filename)"])
            transaction.announce(.entryChanged(EntryNames(row), besides: nil))
            transaction.announce(.listingChanged(of: row.parent))
            return try transaction.delete(row.inode)
        }
        var entry = row
        // The container remembers what was deleted under an id: this is not it.
        if let id = row.id, try transaction.replicaIsDeleted(id) != nil {
            var random = store.surroundings.random()
            entry.id = .random(using: &random)
        }
        entry.currentVersion = nil
        entry.contentVersion = nil
        entry.conflicts = 0
        entry.markPending(entry.kind == .document ? [.creation, .content] : .creation)
        try transaction.update(entry)
    }
}
