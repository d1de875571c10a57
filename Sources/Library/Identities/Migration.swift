import Backing
import Catalog
import CLinux
import Documents
import SystemPackage

/// Moves entries between `local` and `cloud` (`Semantics`, "Moving between local and cloud"). The rename itself changes this device only
/// and returns at once. Synchronization sends or fetches the contents afterwards.
final class Migration: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let transfers: Transfers
    let cloud: any ContentSource
    let contents: Contents
    let withdrawals: Withdrawals

    init(
        _ transactions: Transactions, backing: BackingStore, transfers: Transfers, cloud: any ContentSource,
        contents: Contents, withdrawals: Withdrawals
    ) {
        self.transactions = transactions
        self.backing = backing
        self.transfers = transfers
        self.cloud = cloud
        self.contents = contents
        self.withdrawals = withdrawals
    }

    /// Tells why an entry cannot leave its location with all it holds.
    ///
    /// - Parameter entry: as it is in that location.
    /// - Returns: nil if it can leave.
    func obstacle(toMigrating entry: Entry, _ rows: Rows) throws -> MigrationObstacle? {
        func any(_ isTop: Bool, _ condition: EntryCondition) throws -> Bool {
            try isTop || entry.kind == .folder && rows.hasDescendant(of: entry.inode, where: condition)
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

    /// Completes a move between the locations for the entry and all it holds, as one bundle. `obstacle` must have returned nil.
    ///
    /// - Parameter source: the entry as it was.
    func migrate(_ top: Entry, from source: Entry, _ transaction: Transaction) throws {
        switch top.location {
        case .cloud: try migrateIntoCloud(top, transaction)
        case .local: try migrateOutOfCloud(top, from: source, transaction)
        case nil: break
        }
        cloud.changesAreWaiting()
    }

    /// More entries than this do not fit into one commit. They are sent in several commits.
    private static let largestBundle = 40_000

    private func migrateIntoCloud(_ top: Entry, _ transaction: Transaction) throws {
        let fitsOneCommit = try top.kind != .folder || transaction.descendantCount(of: top.inode) < Self.largestBundle
        let bundle = fitsOneCommit ? try transaction.next(.bundleNumber) : nil
        if top.kind == .folder { try transaction.moveDescendantsIntoCloud(of: top.inode, bundle: bundle) }
        guard var entry = try transaction.entry(top.inode), let id = entry.id else { return }
        entry.location = .cloud
        entry.pending = entry.kind == .document ? [.creation, .content] : .creation
        // A commit that creates it may be on its way already, with the names that it had then.
        if try withdrawals.containerMayKnow(id, transaction) {
            entry.pending.formUnion(entry.kind == .document ? .description : .descriptionWithTime)
        }
        entry.revision += 1
        entry.bundle = bundle
        if entry.kind == .document { try contents.recordBackingStatus(&entry, transaction) }
        try transaction.deleteWithdrawal(id)
        try transaction.update(entry)
        // A move is no write. Sending waits only for a document that was written a moment ago: more writes may follow.
        transfers.markMoved(entry.inode, modified: entry.modified, now: surroundings.now())
    }

    private func migrateOutOfCloud(_ top: Entry, from source: Entry, _ transaction: Transaction) throws {
        let isCurrent = top.kind != .document || top.inCloud.isBackingCurrent
        let bundle = try transaction.next(.bundleNumber)
        if top.kind == .folder {
            // The depth in the cloud orders the withdrawals: those made inside the folder before must be sent before the folder's.
            try transaction.moveDescendantsOutOfCloud(
                of: top.inode, depth: try transaction.depth(of: source) + 1, bundle: bundle)
            try transfers.forget { try transaction.isInside($0, ancestor: top.inode) }
        }
        guard var entry = try transaction.entry(top.inode), entry.id != nil else { return }
        // If only an older version is here, the newest one must arrive before the document is withdrawn from the cloud.
        if isCurrent {
            var inCloud = entry.inCloud
            inCloud.parent = source.parent
            try withdrawals.withdraw(inCloud, togetherWith: bundle, transaction)
        } else {
            entry.isHere = false
        }
        entry.location = .local
        entry.pending = []
        entry.revision += 1
        entry.bundle = isCurrent ? nil : bundle
        entry.error = nil
        try transaction.update(entry)
        if isCurrent { transfers.forget(entry.inode) }
    }

    /// Updates a folder that was moved or renamed, and the rows of all it holds.
    ///
    /// - Parameter context: the naming rules that hold in the folder from now on.
    func updateDescendants(
        of folder: Entry, from source: Entry, to context: NamingContext, _ transaction: Transaction
    ) throws {
        guard context != source.namingContext else { return }
        var contexts = [folder.inode: context]
        var moved = folder
        moved.nature = .folder(context)
        let bundle = try context.isScratch && !source.namingContext.isScratch ? transaction.next(.bundleNumber) : 0
        if context.isScratch != source.namingContext.isScratch {
            try changeReplication(
                of: &moved, from: source.location, isScratch: context.isScratch, bundle: bundle, transaction)
        }
        try transaction.update(moved)
        let now = surroundings.now()
        for var entry in try transaction.descendants(of: folder.inode) {
            // `try?`: each filename of a row is a valid name.
            guard let above = contexts[entry.parent], let name = try? EntryName(entry.filename) else { continue }
            let isScratch = RenameRule.isScratch(entry.renamed(at: now), as: name, in: above)
            if entry.kind == .folder {
                entry.nature = .folder(above.folder(name))
                contexts[entry.inode] = entry.namingContext
            }
            entry.location = folder.location
            try changeReplication(
                of: &entry, from: source.location, isScratch: isScratch, bundle: bundle, transaction)
            try transaction.update(entry)
        }
        // Their entries may have other names from now on.
        if context.isScratch != source.namingContext.isScratch {
            contexts.keys.forEach { transaction.announce(.listingChanged(of: $0)) }
        }
    }

    /// A document that enters a trash folder becomes a scratch file. A file that leaves one becomes a document, unless it has a scratch name.
    ///
    /// - Parameters:
    ///   - location: where it was.
    ///   - bundle: of all that enters the folder at once.
    private func changeReplication(
        of entry: inout Entry, from location: Location?, isScratch: Bool, bundle: Int64, _ transaction: Transaction
    ) throws {
        if isScratch, entry.id != nil {
            var source = entry
            source.location = location
            try withdrawals.leaveAsScratch(&entry, from: source, bundle: bundle, transaction)
            try renameToFullName(&entry, of: source, transaction)
        } else if !isScratch, entry.id == nil {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            if entry.kind == .scratch {
                entry.document = DocumentIdentity(name: DocumentName(splitting: try EntryName(entry.filename)))
            }
            entry.markPending(entry.kind == .document ? [.creation, .content] : .creation)
        }
    }

    /// A scratch file has one name only. A document that becomes one keeps the display name, which the person knows.
    private func renameToFullName(_ entry: inout Entry, of source: Entry, _ transaction: Transaction) throws {
        guard let name = source.name?.full, try transaction.entry(in: entry.parent, filename: name) == nil else {
            return
        }
        let directory = try backing.folder(entry.parent, transaction)
        if try !entry.isHere || directory.moveIfPresent(entry.filename, to: directory, name, transaction) {
            transaction.announce(.nameChanged(entry.filename, in: entry.parent))
            entry.filename = name
        }
    }
}
