import Catalog
import Documents
import Replica

/// What goes into one commit: changes that were chosen, and with each of them what it needs. An entry that gets a filename or display name which
/// another one has in the container goes with the change that frees it: without that there would be two of one name, or it would get another one.
/// A folder that goes into one which lay in it goes with the move of that one: without that its move would not happen.
struct CommitScope {
    private(set) var pending: [InodeNumber: Entry] = [:]
    // As in `CommitFacts`.
    private(set) var rivals: [InodeNumber: Set<EntryID>] = [:]
    private(set) var namesakes: [InodeNumber: Set<EntryID>] = [:]
    private let rows: Rows
    /// The bundles of which a part is not ready.
    private let blocked: Set<Int64>
    private let limit: CommitLimit
    private let now: Timestamp
    private var withdrawalsByID: [EntryID: Withdrawal] = [:]
    private var bundles: Set<Int64> = []
    /// What leaves its name or folder because another entry needs that.
    private var leaving: Set<EntryID> = []
    /// The entries of which it was not looked yet what they need.
    private var unseen: [Entry] = []

    init(blocked: Set<Int64>, _ limit: CommitLimit, now: Timestamp, _ rows: Rows) {
        self.blocked = blocked
        self.limit = limit
        self.now = now
        self.rows = rows
    }

    /// The deepest first.
    var withdrawals: [Withdrawal] { withdrawalsByID.values.sorted { ($1.depth, $0.id) < ($0.depth, $1.id) } }

    mutating func add(_ entry: Entry) throws {
        if let bundle = entry.bundle, blocked.contains(bundle) { return }
        if pending[entry.inode] != nil { return }
        pending[entry.inode] = entry
        unseen.append(entry)
        if let bundle = entry.bundle { try add(bundle: bundle) }
    }

    mutating func add(bundle: Int64) throws {
        if !bundles.insert(bundle).inserted { return }
        for entry in try rows.pendingEntries(inBundle: bundle) { try add(entry) }
    }

    /// Adds a deletion with all of its bundle, the entry that it leaves its versions to, and those that leave theirs to it.
    mutating func add(_ withdrawal: Withdrawal) throws {
        let withdrawal = try withdrawal.withLivingHeir(rows)
        if let bundle = withdrawal.bundle, withdrawal.heir == nil, blocked.contains(bundle) { return }
        if withdrawalsByID[withdrawal.id] != nil { return }
        withdrawalsByID[withdrawal.id] = withdrawal
        if let bundle = withdrawal.bundle { try add(bundle: bundle) }
        try addBequests(to: withdrawal.id)
        guard let heir = withdrawal.heir, let entry = try rows.entry(heir), entry.isReplicated, !entry.pending.isEmpty
        else { return }
        try addIfReady(entry)
    }

    /// Adds the deletions of documents that were renamed over this one. What is said of its versions counts theirs.
    mutating func addBequests(to heir: EntryID) throws {
        for withdrawal in try rows.withdrawals(inFavourOf: heir) { try add(withdrawal) }
    }

    /// One that has to be created waits for its content, and others wait for its name then (`CommitNeeds`).
    private mutating func addIfReady(_ entry: Entry) throws {
        if !entry.needsUpload || !entry.pending.contains(.creation) { try add(entry) }
    }

    /// Adds what the changes need.
    mutating func complete() throws {
        while let entry = unseen.popLast() {
            guard let folder = try rows.entry(entry.parent), let folderID = folder.id else { continue }
            if !folder.pending.isDisjoint(with: [.creation, .revival]) { try add(folder) }
            // Nobody has a name in a folder that the container does not know.
            if !entry.pending.isDisjoint(with: [.creation, .revival, .name, .place]),
                try folder.inode == .cloud || rows.replicaIsDeleted(folderID) == false
            {
                try addRivals(of: entry, in: folderID)
            }
            if entry.kind == .document, let id = entry.id { try addBequests(to: id) }
            if entry.kind == .folder, entry.pending.contains(.place) { try addMovedFolders(above: folder) }
        }
    }

    /// Adds the changes by which others leave the names that an entry gets.
    private mutating func addRivals(of entry: Entry, in folder: EntryID) throws {
        let holders = try rows.replicaEntries(in: folder, filename: entry.filename).filter { $0 != entry.id }
        var leaving = try Set(holders.filter { try rows.isToLeave($0) { $0.filename.isIdentical(to: entry.filename) } })
        // Names that docfs made of contents may be the same.
        if entry.naming == .given, let name = entry.name?.full {
            let namesakes = try Set(rows.replicaDocuments(in: folder, fullName: name)).subtracting(
                [entry.id].compactMap { $0 })
            let leavingNamesakes = try namesakes.filter {
                try rows.isToLeave($0) { $0.name?.full.isIdentical(to: name) == true }
            }
            leaving.formUnion(leavingNamesakes)
            if try !namesakes.isEmpty && namesakes == leavingNamesakes && !namesakes.contains(where: survivesDeletion) {
                self.namesakes[entry.inode] = namesakes
            }
        }
        if !leaving.isEmpty { rivals[entry.inode] = leaving }
        for id in leaving.sorted() { try addLeaving(id) }
    }

    /// Whether a document has versions that its deletion does not know of. It stays in the container then (`apply`). A choice among its versions
    /// goes before the deletion.
    private func survivesDeletion(_ id: EntryID) throws -> Bool {
        guard let withdrawal = try rows.withdrawal(of: id)?.withLivingHeir(rows) else { return false }
        let leaves = try CatalogReplica(rows).visibleLeaves(of: id, at: now)
        return !Set(leaves).isSubset(of: withdrawal.seen + withdrawal.bequest)
    }

    /// Adds the change by which an entry leaves its name and folder, if there is one. A folder goes when nothing is in it any more: what was moved
    /// out of it goes, too. Where very much is deleted in it, the name is free after several commits (`CommitNeeds`).
    private mutating func addLeaving(_ first: EntryID) throws {
        // Without recursion: folders may lie in each other thousands of levels deep.
        var waiting = [first]
        while let id = waiting.popLast() {
            guard leaving.insert(id).inserted else { continue }
            if let withdrawal = try rows.withdrawal(of: id) {
                if try rows.hasDeletedDocuments(in: id, moreThan: limit.entries) { continue }
                try add(withdrawal)
                waiting += try rows.replicaChildren(of: id).reversed()
            } else if let entry = try rows.entry(id), entry.isReplicated,
                !entry.pending.isDisjoint(with: [.name, .place])
            {
                try addIfReady(entry)
            }
        }
    }

    private mutating func addMovedFolders(above folder: Entry) throws {
        var above: Entry? = folder
        while let folder = above, folder.inode > .cloud {
            if folder.pending.contains(.place) { try add(folder) }
            above = try rows.entry(folder.parent)
        }
    }
}
