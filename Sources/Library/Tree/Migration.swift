import Backing
import Catalog
import CLinux
import Documents
import SystemPackage

/// Moving between local and cloud: setUbiquitous YES or NO. The rename itself is local and returns at once; synchronization sends or
/// fetches the contents afterwards.
final class Migration: LibraryPart {
    let transactions: Transactions
    let contents: Contents
    let withdrawals: Withdrawals

    init(
        _ transactions: Transactions, contents: Contents, withdrawals: Withdrawals
    ) {
        self.transactions = transactions
        self.contents = contents
        self.withdrawals = withdrawals
    }
    /// Why an entry cannot leave its container with all it holds.
    ///
    /// - Parameter entry: as it is in that container.
    func obstacle(toMigrating entry: Entry, _ catalog: CatalogTransaction) throws -> MigrationObstacle? {
        func any(_ isTop: Bool, _ condition: EntryCondition) throws -> Bool {
            try isTop || entry.kind == .folder && catalog.hasDescendant(of: entry.inode, where: condition)
        }
        switch entry.container {
        case .local: return try any(!entry.isHere, .isArriving) ? .stillArriving : nil
        case .cloud:
            if try any(entry.conflicts > 0, .isInConflict) { return .inConflict }
            let isCurrent = entry.kind != .document || entry.isBackingCurrent
            return try !cloud.isReachable && any(!isCurrent, .isNotCurrent)
                ? .notHere : nil
        case nil: return nil
        }
    }

    /// Completes a move across containers for the entry and all it holds, as one step. Nothing stands in the way (`obstacle`).
    ///
    /// - Parameter source: the entry as it was.
    func migrate(_ top: Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        switch top.container {
        case .cloud: try migrateIntoCloud(top, catalog)
        case .local: try migrateOutOfCloud(top, from: source, catalog)
        case nil: break
        }
        cloud.changesAreWaiting()
    }

    /// More than this would not fit into the one commit that a step is; it goes in several.
    private static let largestStep = 40_000

    private func migrateIntoCloud(_ top: Entry, _ catalog: CatalogTransaction) throws {
        let fitsOneCommit = try top.kind != .folder || catalog.descendantCount(of: top.inode) < Self.largestStep
        let step = fitsOneCommit ? try catalog.next(.stepNumber) : nil
        if top.kind == .folder { try catalog.moveDescendantsIntoCloud(of: top.inode, step: step) }
        guard var entry = try catalog.entry(top.inode), let id = entry.id else { return }
        entry.container = .cloud
        entry.pending = entry.kind == .document ? [.creation, .content] : .creation
        entry.revision += 1
        entry.step = step
        if entry.kind == .document { try contents.noteBackingContent(&entry, catalog) }
        try catalog.deleteWithdrawal(id)
        try catalog.update(entry)
        // Moving is no writing: only what was written just now may be written to again at once.
        transfers.noteMoved(entry.inode, modified: entry.modified, now: surroundings.now())
    }

    private func migrateOutOfCloud(_ top: Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        let isCurrent = top.kind != .document || top.inCloud.isBackingCurrent
        let step = try catalog.next(.stepNumber)
        if top.kind == .folder {
            // As deep as it lay in the cloud: what was withdrawn from it before must go before it.
            try catalog.moveDescendantsOutOfCloud(of: top.inode, depth: try catalog.depth(of: source) + 1, step: step)
            transfers.forget { inode in (try? catalog.isInside(inode, ancestor: top.inode)) == true }
        }
        guard var entry = try catalog.entry(top.inode), entry.id != nil else { return }
        // An older version that is here is not what leaves the cloud.
        if isCurrent {
            var inCloud = entry.inCloud
            inCloud.parent = source.parent
            try withdrawals.withdraw(inCloud, step: step, catalog)
        } else {
            entry.isHere = false
        }
        entry.container = .local
        entry.pending = []
        entry.revision += 1
        entry.step = isCurrent ? nil : step
        entry.error = nil
        try catalog.update(entry)
        if isCurrent { transfers.forget(entry.inode) }
    }

    /// Brings what lies in a folder along after the folder itself was moved or renamed.
    ///
    /// - Parameter place: what names in the folder mean from now on.
    func carryDescendants(
        of folder: Entry, from source: Entry, to place: NamingPlace, _ catalog: CatalogTransaction
    ) throws {
        guard place != source.place else { return }
        var places = [folder.inode: place]
        var moved = folder
        moved.nature = .folder(place)
        if place.isScratch != source.place.isScratch {
            try changeReplication(of: &moved, isScratch: place.isScratch, catalog)
        }
        try catalog.update(moved)
        for var entry in try catalog.descendants(of: folder.inode) {
            guard let above = places[entry.parent], let name = try? EntryName(entry.filename) else { continue }
            if entry.kind == .folder {
                entry.nature = .folder(above.folder(name))
                places[entry.inode] = entry.place
            }
            let isScratch = entry.kind == .folder ? entry.place.isScratch : above.isScratch
            entry.container = folder.container
            try changeReplication(of: &entry, isScratch: isScratch, catalog)
            try catalog.update(entry)
        }
        // What lies in them may be called otherwise from now on.
        if place.isScratch != source.place.isScratch {
            places.keys.forEach { catalog.announce(.listingChanged(of: $0)) }
        }
    }

    /// What enters a trash folder stops being anyone's document; what leaves it becomes one.
    private func changeReplication(of entry: inout Entry, isScratch: Bool, _ catalog: CatalogTransaction) throws {
        if isScratch, entry.id != nil {
            try withdrawals.withdraw(entry, step: nil, catalog)
            try takeFullName(&entry, catalog)
            entry.dropIdentity()
        } else if !isScratch, entry.id == nil, entry.kind != .scratch || !ScratchName.matches(entry.filename) {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            if entry.kind == .scratch {
                entry.document = DocumentIdentity(name: DocumentName(splitting: try EntryName(entry.filename)))
            }
            entry.notePending(entry.kind == .document ? [.creation, .content] : .creation)
        }
    }

    /// What is no document any more has one name only: let it be the one that its owner knows.
    private func takeFullName(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        guard let name = entry.name?.full, entry.isHere,
            try catalog.entry(in: entry.parent, filename: name) == nil
        else { return }
        let directory = try backing.folder(entry.parent, catalog)
        if try directory.renameIfPresent(entry.filename, to: directory, name, flags: RENAME_NOREPLACE) {
            catalog.announce(.nameChanged(entry.filename, in: entry.parent))
            entry.filename = name
        }
    }
}
