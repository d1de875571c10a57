import Backing
import Catalog
import Documents
import Glibc
import Replica
import Replication
import Synchronization
import SystemPackage

/// Drops contents of the cloud's documents from this device: they become placeholders again. That happens on request, and where the
/// contents take more room than `--cache-limit` allows (`Evictions+Limit`).
final class Evictions: Transacting {
    let transactions: Transactions
    let store: DocumentStore
    let backing: BackingStore
    let openFiles: OpenFiles
    let transfers: Transfers
    let cloud: any ContentSource
    let lastOpenings: LastOpenings
    let contents: Contents
    let foundFiles: FoundFiles
    let keeping: Keeping
    /// In bytes; nil for none.
    let limit: Int64?
    /// Taken before the catalog's tree, never inside a transaction.
    let account = Mutex(RoomAccount())
    /// Whether the contents took more than the limit allows when that was last looked at, because none of them could go.
    let isOverLimit = Atomic<Bool>(false)

    init(
        _ transactions: Transactions, store: DocumentStore, backing: BackingStore, openFiles: OpenFiles,
        transfers: Transfers, cloud: any ContentSource, lastOpenings: LastOpenings, contents: Contents,
        foundFiles: FoundFiles, keeping: Keeping, limit: Int64?
    ) {
        self.transactions = transactions
        self.store = store
        self.backing = backing
        self.openFiles = openFiles
        self.transfers = transfers
        self.cloud = cloud
        self.lastOpenings = lastOpenings
        self.contents = contents
        self.foundFiles = foundFiles
        self.keeping = keeping
        self.limit = limit
    }

    /// Makes a document a placeholder. A download that is under way ends.
    ///
    /// - Throws: the reason why it stays; EISDIR, EINVAL for what is no document, ESTALE.
    func evict(_ inode: InodeNumber) throws(Refusal) {
        // The kernel tells of a close a moment after the program has gone on.
        openFiles.waitForClose(of: inode)
        // Not thrown inside the transaction: it may have recorded an edit.
        let outcome = try mutate(concerning: .only([inode])) { transaction in try evict(inode, transaction) }
        switch outcome {
        case .stays(let reason): throw .staysHere(reason)
        case .absent: transfers.forget(inode)
        case .evicted: try Refusal.wrapping { try backing.discard(inode) }
        }
    }

    private enum Outcome {
        case evicted
        case absent
        case stays(StayReason)
    }

    /// In one transaction the file leaves its path and the row becomes that of a placeholder. After the commit the file is deleted
    /// (`Crashes`, "Evict a document").
    private func evict(_ inode: InodeNumber, _ transaction: Transaction) throws -> Outcome {
        guard var entry = try transaction.entry(inode) else { throw Refusal.staleInode }
        guard entry.kind == .document else { throw entry.kind == .folder ? Refusal.isFolder : Refusal.alwaysHere }
        if entry.location == .cloud, !entry.isHere {
            // A content that is about to arrive does not, unless a program reads it.
            guard let arrival = transfers.arrival(of: inode) else { return .absent }
            if try keeping.isKept(entry, transaction) { return .stays(.kept) }
            if !openFiles.isClosed(inode) { return .stays(.open) }
            arrival.stage = .failed
            return .absent
        }
        // An edit that another program made in the store is a save, which waits to be sent from now on.
        if entry.location == .cloud { _ = try foundFiles.recordEditInStore(of: &entry, transaction) }
        if let reason = try reasonToStay(entry, transaction) { return .stays(reason) }
        let folder = try backing.folder(entry.parent, transaction)
        let filename = entry.filename
        let status = try folder.status(filename)
        entry.isHere = false
        entry.contentVersion = nil
        entry.evidence = nil
        entry.changed = entry.timeOfChange(Timestamp(status.st_ctim))
        try folder.keepingTime { () throws(Errno) in try backing.setAside(filename, of: inode, in: folder, transaction)
        }
        try transaction.update(entry)
        transaction.announce(.attributesChanged(of: inode))
        return .evicted
    }

    /// Why the content of a document must stay here; nil if it may go, or is not here.
    func reasonToStay(_ entry: Entry, _ rows: Rows) throws -> StayReason? {
        var facts = ContentFacts()
        facts.isLocal = entry.location != .cloud || !entry.isReplicated
        if facts.isLocal { return facts.reasonToStay }
        guard entry.isHere else { return nil }
        let folder = try backing.folder(entry.parent, rows)
        facts.isUnsent = !entry.pending.isEmpty
        facts.isOpen =
            try !openFiles.isClosed(entry.inode)
            || contents.isMapped(
                entry, folder.openUnnoticed(entry.filename))
        facts.isKept = try keeping.isKept(entry, rows)
        let status = try folder.status(entry.filename)
        facts.isInContainer = try isInContainer(entry, status, rows)
        facts.isOwnedByOther = status.st_uid != geteuid()
        facts.isCloudReachable = cloud.isReachable
        return facts.reasonToStay
    }

    /// Whether the log, as far as this device has read it, has the version in the file, and the file is as that version was.
    private func isInContainer(_ entry: Entry, _ status: stat, _ rows: Rows) throws -> Bool {
        guard let id = entry.id, let version = entry.contentVersion,
            let versions = try CatalogReplica(rows).entry(id)?.versions,
            let known = versions.all.first(where: { $0.id == version }), known.size == Int64(status.st_size)
        else { return false }
        // The row has the time that a person gave it later.
        return Timestamp(status.st_mtim) == (entry.isBackingCurrent ? entry.modified : known.modified)
            || Timestamp(status.st_mtim) == known.modified
    }
}
