import Backing
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Makes the undo list and the files in the trash agree after an unclean end (`Crashes`). No file is removed: one that no step tells of
/// becomes an action that can be undone.
struct TrashReconciliation {
    private let comparison: StoreComparison
    private let transaction: Transaction
    /// Whether the store was copied: its files have other inode numbers then.
    private let isCopy: Bool

    init(_ comparison: StoreComparison, _ transaction: Transaction, isCopy: Bool) {
        self.comparison = comparison
        self.transaction = transaction
        self.isCopy = isCopy
    }

    private var backing: BackingStore { comparison.backing }

    func run() throws {
        let steps = try transaction.stepsOfTrash()
        let present = Set(try backing.inodesInTrash())
        if steps.isEmpty, present.isEmpty { return }
        let rows = Dictionary(steps.map { ($0.entry.inode, $0) }) { first, _ in first }
        let lost = steps.filter { $0.isInTrash && !present.contains($0.entry.inode) }
        for step in lost where try !bringIntoTrash(step, rows) {
            comparison.logger.warning(
                "a removed document can no longer be brought back: its file is not in the trash",
                metadata: ["name": "\(step.entry.subject.name)"])
            try comparison.actions.drop(step, transaction)
        }
        try removeRemadeFolders(steps, rows)
        for inode in present.sorted() where rows[inode] == nil { try recover(inode) }
    }

    /// Mends what a check has found in a store that may be in use. Each finding is looked at once more.
    ///
    /// - Parameters:
    ///   - lost: steps whose file is not in the trash.
    ///   - unnamed: files in the trash of which no step tells.
    func mend(lost: [ActionStep], unnamed: [InodeNumber]) throws {
        for step in lost {
            guard let step = try transaction.step(step.number, of: step.action), step.isInTrash,
                try !backing.trash.exists(BackingStore.trashName(step.entry.inode)),
                try !backing.hasSetAside(step.entry.inode)
            else { continue }
            try comparison.actions.drop(step, transaction)
        }
        let known = Set(try transaction.stepsOfTrash().map(\.entry.inode))
        for inode in unnamed where !known.contains(inode) {
            guard try backing.trash.exists(BackingStore.trashName(inode)) else { continue }
            if let entry = try transaction.entry(inode), try isMissing(entry),
                try comparison.takeBackFromTrash(entry, transaction) != nil
            {
                continue
            }
            try recover(inode)
        }
    }

    // MARK: An undo that was not committed

    /// An undo had moved the file back to its folder, and was not committed.
    ///
    /// - Returns: whether the file is in the trash now.
    private func bringIntoTrash(_ step: ActionStep, _ rows: [InodeNumber: ActionStep]) throws -> Bool {
        let entry = step.entry
        guard !isCopy, let known = entry.evidence, let folder = folder(entry.parent, rows),
            let found = try? folder.identify(entry.filename), found.evidence == known,
            try transaction.entry(in: entry.parent, filename: entry.filename) == nil
        else { return false }
        return try backing.throwAway(entry.filename, of: entry.inode, in: folder)
    }

    /// The directory of a folder that has a row, or is removed and was made again by the undo.
    private func folder(_ inode: InodeNumber, _ rows: [InodeNumber: ActionStep]) -> BackingFolder? {
        var (names, next) = ([String](), inode)
        while true {
            // A folder that cannot be opened has no such file.
            if let top = try? backing.folder(next, transaction) {
                return names.reversed().reduce(top) { folder, name in folder.flatMap { try? $0.folder(name) } }
            }
            guard let row = rows[next] else { return nil }
            names.append(row.entry.filename)
            next = row.entry.parent
        }
    }

    /// Removes the empty folders that such an undo had made.
    private func removeRemadeFolders(_ steps: [ActionStep], _ rows: [InodeNumber: ActionStep]) throws {
        // Inner folders were removed first.
        for step in steps where step.entry.kind == .folder {
            let entry = step.entry
            guard try transaction.entry(in: entry.parent, filename: entry.filename) == nil,
                let parent = folder(entry.parent, rows), try parent.exists(entry.filename)
            else { continue }
            do throws(Errno) { try parent.removeFolder(entry.filename) } catch {
                if error != .directoryNotEmpty, error != .notDirectory { throw error }
            }
        }
    }

    // MARK: A removal that was not committed

    /// A document was removed just before the end, and its removal was not written. If its row was never written either, the
    /// file tells what is known of it.
    private func recover(_ inode: InodeNumber) throws {
        let status = try backing.trash.status(BackingStore.trashName(inode))
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        // It was kept because a version was about to replace it, which did not happen.
        if try isStillContent(of: inode) { return try backing.removeFromTrash(inode) }
        // The content was given back to a document, and the kill left its name here.
        if status.st_nlink > 1 { return try backing.removeFromTrash(inode) }
        let missing = try transaction.entry(inode).flatMap { try isMissing($0) ? $0 : nil }
        var removed: Entry
        if let missing, try comparison.withdrawals.isUntold(missing, transaction) {
            try transaction.delete(inode)
            removed = missing
        } else {
            // `Reconciliation` gives it back, when its folder is there.
            if let missing, !isCopy, try comparison.isRemovalUncommitted(of: missing, transaction) { return }
            removed = try entry(from: status, inode)
        }
        removed.size = Int64(status.st_size)
        removed.modified = Timestamp(status.st_mtim)
        try comparison.actions.recordRecovered(removed, at: Timestamp(status.st_ctim), transaction)
    }

    /// Whether a file in the trash is the file of a document that is there.
    private func isStillContent(of inode: InodeNumber) throws -> Bool {
        guard let entry = try transaction.entry(inode), entry.isHere,
            let file = try folder(entry.parent, [:])?.identifyIfPresent(entry.filename)
        else { return false }
        return try file.evidence == backing.trash.identify(BackingStore.trashName(inode)).evidence
    }

    /// Whether an entry's file is not in its folder. If it is, the file in the trash is another one: the catalog was restored from a backup,
    /// and a later state of the store gave the same number, or removed the entry that is back now.
    private func isMissing(_ entry: Entry) throws -> Bool {
        guard entry.isHere else { return !isCopy }
        return try folder(entry.parent, [:])?.exists(entry.filename) != true
    }

    private func entry(from status: stat, _ former: InodeNumber) throws -> Entry {
        var inode = transaction.newInode()
        while try backing.trash.exists(BackingStore.trashName(inode)) { inode = transaction.newInode() }
        try backing.renumberInTrash(former, as: inode)
        let name = BackingStore.trashName(inode)
        let displayName = backing.trash.displayName(of: name)
        var entry = Entry(
            parent: .local, location: .local, nature: .scratch, filename: "", created: Timestamp(status.st_mtim),
            position: try comparison.nextPosition(in: .local, transaction), mode: UInt16(status.st_mode & 0o7777))
        entry.inode = inode
        entry.filename = try comparison.namespace.newFilename("", in: .local, transaction)
        entry.hasGeneratedFilename = true
        let stem = DocumentName(splitting: try EntryName(entry.filename)).displayName
        let title = displayName ?? stem
        entry.document = DocumentIdentity(name: DocumentName(storedDisplayName: title, pathExtension: ""))
        var random = comparison.surroundings.random()
        entry.id = .random(using: &random)
        entry.evidence = try backing.trash.identify(name).evidence
        return entry
    }
}
