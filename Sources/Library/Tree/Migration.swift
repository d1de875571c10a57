import Backing
import Catalog
import CLinux
import Documents
import SystemPackage

/// Moves entries between `local` and `cloud` (`Semantics`, "Moving between local and cloud"). The rename itself changes this device only
/// and returns at once. Synchronization sends or fetches the contents afterwards.
final class Migration: LibraryPart {
    let transactions: Transactions
    let contents: Contents
    let withdrawals: Withdrawals

    init(_ transactions: Transactions, contents: Contents, withdrawals: Withdrawals) {
        self.transactions = transactions
        self.contents = contents
        self.withdrawals = withdrawals
    }

    /// Tells why an entry cannot leave its location with all it holds.
    ///
    /// - Parameter entry: as it is in that location.
    /// - Returns: nil if it can leave.
    func obstacle(toMigrating entry: Entry, _ catalog: CatalogTransaction) throws -> MigrationObstacle? {
        func any(_ isTop: Bool, _ condition: EntryCondition) throws -> Bool {
            try isTop || entry.kind == .folder && catalog.hasDescendant(of: entry.inode, where: condition)
        }
        switch entry.location {
        case .local: return try any(!entry.isHere, .isArriving) ? .stillArriving : nil
        case .cloud:
            if try any(entry.conflicts > 0, .isInConflict) { return .inConflict }
            let isCurrent = entry.kind != .document || entry.isBackingCurrent
            return try !cloud.isReachable && any(!isCurrent, .isNotCurrent)
                ? .notHere : nil
        case nil: return nil
        }
    }

    /// Completes a move between the locations for the entry and all it holds, as one step. `obstacle` must have returned nil.
    ///
    /// - Parameter source: the entry as it was.
    func migrate(_ top: Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        switch top.location {
        case .cloud: try migrateIntoCloud(top, catalog)
        case .local: try migrateOutOfCloud(top, from: source, catalog)
        case nil: break
        }
        cloud.changesAreWaiting()
    }

    /// More entries than this do not fit into one commit. They are sent in several commits.
    private static let largestStep = 40_000

    private func migrateIntoCloud(_ top: Entry, _ catalog: CatalogTransaction) throws {
        let fitsOneCommit = try top.kind != .folder || catalog.descendantCount(of: top.inode) < Self.largestStep
        let step = fitsOneCommit ? try catalog.next(.stepNumber) : nil
        if top.kind == .folder { try catalog.moveDescendantsIntoCloud(of: top.inode, step: step) }
        guard var entry = try catalog.entry(top.inode), let id = entry.id else { return }
        entry.location = .cloud
        entry.pending = entry.kind == .document ? [.creation, .content] : .creation
        // A commit that creates it may be on its way already, with the names that it had then.
        if try withdrawals.containerMayKnow(id, catalog) {
            entry.pending.formUnion(entry.kind == .document ? .description : .descriptionWithTime)
        }
        entry.revision += 1
        entry.step = step
        if entry.kind == .document { try contents.recordBackingStatus(&entry, catalog) }
        try catalog.deleteWithdrawal(id)
        try catalog.update(entry)
        // A move is no write. Sending waits only for a document that was written a moment ago: more writes may follow.
        transfers.markMoved(entry.inode, modified: entry.modified, now: surroundings.now())
    }

    private func migrateOutOfCloud(_ top: Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        let isCurrent = top.kind != .document || top.inCloud.isBackingCurrent
        let step = try catalog.next(.stepNumber)
        if top.kind == .folder {
            // The depth in the cloud orders the withdrawals: those made inside the folder before must be sent before the folder's.
            try catalog.moveDescendantsOutOfCloud(of: top.inode, depth: try catalog.depth(of: source) + 1, step: step)
            try transfers.forget { try catalog.isInside($0, ancestor: top.inode) }
        }
        guard var entry = try catalog.entry(top.inode), entry.id != nil else { return }
        // If only an older version is here, the newest one must arrive before the document is withdrawn from the cloud.
        if isCurrent {
            var inCloud = entry.inCloud
            inCloud.parent = source.parent
            try withdrawals.withdraw(inCloud, togetherWith: step, catalog)
        } else {
            entry.isHere = false
        }
        entry.location = .local
        entry.pending = []
        entry.revision += 1
        entry.step = isCurrent ? nil : step
        entry.error = nil
        try catalog.update(entry)
        if isCurrent { transfers.forget(entry.inode) }
    }

    /// Updates a folder that was moved or renamed, and the rows of all it holds.
    ///
    /// - Parameter place: the naming rules that hold in the folder from now on.
    func updateDescendants(
        of folder: Entry, from source: Entry, to place: NamingContext, _ catalog: CatalogTransaction
    ) throws {
        guard place != source.namingContext else { return }
        var places = [folder.inode: place]
        var moved = folder
        moved.nature = .folder(place)
        let step = try place.isScratch && !source.namingContext.isScratch ? catalog.next(.stepNumber) : 0
        if place.isScratch != source.namingContext.isScratch {
            try changeReplication(of: &moved, isScratch: place.isScratch, step: step, catalog)
        }
        try catalog.update(moved)
        for var entry in try catalog.descendants(of: folder.inode) {
            // `try?`: each filename of a row is a valid name.
            guard let above = places[entry.parent], let name = try? EntryName(entry.filename) else { continue }
            if entry.kind == .folder {
                entry.nature = .folder(above.folder(name))
                places[entry.inode] = entry.namingContext
            }
            let isScratch = entry.kind == .folder ? entry.namingContext.isScratch : above.isScratch
            entry.location = folder.location
            try changeReplication(of: &entry, isScratch: isScratch, step: step, catalog)
            try catalog.update(entry)
        }
        // Their entries may have other names from now on.
        if place.isScratch != source.namingContext.isScratch {
            places.keys.forEach { catalog.announce(.listingChanged(of: $0)) }
        }
    }

    /// A document that enters a trash folder becomes a scratch file. A file that leaves one becomes a document.
    ///
    /// - Parameter step: of all that enters the folder at once.
    private func changeReplication(
        of entry: inout Entry, isScratch: Bool, step: Int64, _ catalog: CatalogTransaction
    ) throws {
        if isScratch, entry.id != nil {
            let source = entry
            try withdrawals.leaveAsScratch(&entry, from: source, step: step, catalog)
            try renameToFullName(&entry, of: source, catalog)
        } else if !isScratch, entry.id == nil, entry.kind == .folder || !ScratchName.matches(entry.filename) {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            if entry.kind == .scratch {
                entry.document = DocumentIdentity(name: DocumentName(splitting: try EntryName(entry.filename)))
            }
            entry.markPending(entry.kind == .document ? [.creation, .content] : .creation)
        }
    }

    /// A scratch file has one name only. A document that becomes one keeps the display name, which the person knows.
    private func renameToFullName(_ entry: inout Entry, of source: Entry, _ catalog: CatalogTransaction) throws {
        guard let name = source.name?.full, try catalog.entry(in: entry.parent, filename: name) == nil else { return }
        let directory = try backing.folder(entry.parent, catalog)
        if try !entry.isHere
            || directory.renameIfPresent(entry.filename, to: directory, name, flags: RENAME_NOREPLACE)
        {
            catalog.announce(.nameChanged(entry.filename, in: entry.parent))
            entry.filename = name
        }
    }
}
