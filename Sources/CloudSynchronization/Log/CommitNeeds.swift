import Catalog
import Documents
import Replica
import Replication

/// What must go before an entry, or with it, so that the container gives it the name and the place that it has here. Where that cannot go yet, the
/// entry's creation, name and place wait for a later commit; what is saved in it does not.
struct CommitNeeds {
    /// An entry that gets a name which others have in the container. These are on their way to another one, or out of the cloud.
    private struct Claim {
        let inode: InodeNumber
        let id: EntryID
        let rivals: Set<EntryID>
    }

    private var claims: [Claim] = []
    /// How many the container has still to be told of.
    private var deletions = 0
    /// The folders that move within the container.
    private var moved: [EntryID: InodeNumber] = [:]
    /// Where the container has the folders that are moved into, and those above them.
    private var committedFolders: [EntryID: EntryID] = [:]
    /// Those of them that this device has elsewhere, and of which the container is still to be told.
    private var stillToMove: Set<EntryID> = []

    init(of facts: CommitFacts, _ rows: Rows) throws {
        let replica = CatalogReplica(rows)
        for entry in facts.pending.values {
            guard let id = entry.id else { continue }
            if let rivals = facts.rivals[entry.inode] {
                claims.append(Claim(inode: entry.inode, id: id, rivals: rivals))
            }
            guard entry.kind == .folder, let folder = facts.folders.ids[entry.parent], try Self.moves(entry, rows)
            else { continue }
            moved[id] = entry.inode
            try addPaths(from: folder, rows, replica)
        }
        if !claims.isEmpty { deletions = try rows.withdrawalCount() }
    }

    private static func moves(_ folder: Entry, _ rows: Rows) throws -> Bool {
        if folder.pending.contains(.place) { return true }
        guard folder.pending.contains(.creation), let id = folder.id else { return false }
        return try rows.replicaIsDeleted(id) != nil
    }

    /// Adds the folders above one, as the container has them and as this device has them.
    private mutating func addPaths(from folder: EntryID, _ rows: Rows, _ replica: CatalogReplica) throws {
        var unseen = [folder]
        while let id = unseen.popLast() {
            if id == .cloudRoot || committedFolders[id] != nil { continue }
            if let above = try replica.entry(id)?.description.parent {
                committedFolders[id] = above
                unseen.append(above)
            }
            guard let entry = try rows.entry(id), !entry.pending.isDisjoint(with: [.creation, .place]) else { continue }
            if stillToMove.insert(id).inserted, let above = try rows.entry(entry.parent)?.id { unseen.append(above) }
        }
    }

    var isEmpty: Bool { claims.isEmpty && moved.isEmpty }

    /// Makes a commit in which each entry has what it needs.
    ///
    /// - Parameters:
    ///   - waits: how long entries have waited for a name.
    ///   - make: makes a commit without the names and places of the entries that wait.
    func settle(
        _ waits: NameWaits, now: Timestamp, _ make: (_ waiting: Set<InodeNumber>) -> CommitDraft
    ) -> CommitDraft {
        // All go at first, since they may need each other. Then each that cannot go takes those with it which need it.
        var waiting: Set<InodeNumber> = []
        while true {
            let draft = make(waiting)
            let unmet = waitingForName(draft, waits, now).union(waitingForFolders(draft))
            if unmet.isEmpty { return draft }
            waiting.formUnion(unmet)
        }
    }

    /// The entries of a commit whose names would not be free.
    private func waitingForName(_ draft: CommitDraft, _ waits: NameWaits, _ now: Timestamp) -> Set<InodeNumber> {
        var going = draft.named
        let withdrawn = Set(draft.withdrawn)
        var waiting: Set<InodeNumber> = []
        var claimants: [EntryID: [Claim]] = [:]
        for claim in claims where going.contains(claim.id) {
            for rival in claim.rivals { claimants[rival, default: []].append(claim) }
        }
        var staying = claimants.keys.filter { !going.contains($0) && !withdrawn.contains($0) }
        while let rival = staying.popLast() {
            for claim in claimants[rival] ?? [] where going.contains(claim.id) {
                if !waits.mayWait(claim.id, for: claim.rivals, now, deletions: deletions) { continue }
                waiting.insert(claim.inode)
                going.remove(claim.id)
                if !withdrawn.contains(claim.id) { staying.append(claim.id) }
            }
        }
        return waiting
    }

    /// The folders of a commit that would go into one which lies in them, because that one, or one above it, has still to leave. Where the container
    /// has it so for good, since another device moved it, the container decides.
    private func waitingForFolders(_ draft: CommitDraft) -> Set<InodeNumber> {
        var waiting: Set<InodeNumber> = []
        var places = committedFolders
        var toMove = stillToMove
        for (id, folder) in draft.placements {
            toMove.remove(id)
            guard let between = Self.path(from: folder, upTo: id, places) else {
                places[id] = folder
                continue
            }
            if let inode = moved[id], !between.isDisjoint(with: toMove) { waiting.insert(inode) }
        }
        return waiting
    }

    /// - Returns: a folder and those above it, as far as another one in which it lies; nil if it does not lie in that.
    private static func path(
        from folder: EntryID, upTo ancestor: EntryID, _ places: [EntryID: EntryID]
    ) -> Set<EntryID>? {
        var path: Set<EntryID> = []
        var current = folder
        while current != ancestor {
            path.insert(current)
            guard current != .cloudRoot, let above = places[current] else { return nil }
            current = above
        }
        return path
    }
}

extension Rows {
    /// Whether an entry that the container has is to leave the folder or filename that it has there.
    func isToLeaveItsPlace(_ id: EntryID) throws -> Bool {
        if try hasWithdrawal(id) { return true }
        guard let entry = try entry(id) else { return false }
        // It is deleted in the container when its content is here.
        if entry.location == .local { return entry.kind == .document && !entry.isHere }
        return entry.isReplicated && !entry.pending.isDisjoint(with: [.creation, .place])
    }

    /// Whether an entry is to give up a name that it has in the container.
    ///
    /// - Parameter hasName: whether it has that name on this device.
    func isToLeave(_ id: EntryID, _ hasName: (Entry) -> Bool) throws -> Bool {
        if try hasWithdrawal(id) { return true }
        guard let entry = try entry(id) else { return false }
        if entry.location == .local { return try isToLeaveItsPlace(id) }
        guard entry.isReplicated, entry.isToBeNamed else { return false }
        return try replicaParent(of: id) != self.entry(entry.parent)?.id || !hasName(entry)
    }
}
