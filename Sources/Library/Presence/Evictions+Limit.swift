import Backing
import Catalog
import Documents
import Glibc
import Logging
import Synchronization

/// The room that contents of the cloud's documents take on this disk, as far as it is known.
struct RoomAccount: Sendable {
    struct Held: Sendable {
        let id: EntryID
        var lastOpened: Timestamp
        var bytes: Int64
    }

    fileprivate var held: [InodeNumber: Held] = [:]
    /// Room for downloads under way, by their documents: all of it is set aside before a download begins.
    fileprivate var reserved: [InodeNumber: Int64] = [:]
    fileprivate var lastLook: (end: ContinuousClock.Instant, duration: Duration, writes: Int)?
    /// The catalog's writes when the limit was last found to be held.
    fileprivate var writesWhenHeld: Int?

    fileprivate var taken: Int64 {
        held.values.reduce(0) { $0 + $1.bytes } + reserved.values.reduce(0, +)
    }
}

/// `--cache-limit`: contents give way to others, those first that were opened longest ago (`EvictionRule`).
extension Evictions {
    /// How many files are looked at in one transaction: other calls wait for it.
    private static let batch = 256
    /// Where there are very many documents, no more than this part of the time goes into looking at them.
    private static let rarity = 20

    /// Sets room aside for a content that is about to be downloaded. Contents that may go give way to it.
    ///
    /// - Returns: whether it stays within the limit.
    func reserveRoom(for inode: InodeNumber, bytes: Int64) -> Bool {
        guard let limit else { return true }
        return account.withLock { account in
            account.reserved[inode] = (bytes + 4095) / 4096 * 4096
            return makeRoom(limit, &account)
        }
    }

    /// A download has ended, or was not begun.
    func releaseRoom(of inode: InodeNumber) {
        // Another call may have begun one.
        guard limit != nil, transfers.arrival(of: inode) == nil else { return }
        account.withLock { account in
            account.reserved[inode] = nil
            let document = try? inspect { rows in
                try rows.entry(inode).flatMap { try held($0.inode, $0, rows) }
            }
            if let document { account.held[inode] = document }
        }
    }

    /// Whether downloads are under way that will free room when they have ended, and their documents are closed.
    var hasReservations: Bool { account.withLock { !$0.reserved.isEmpty } }

    /// Contents that may go give way until the limit is held. To be called when something may have changed.
    func keepWithinLimit() {
        guard let limit else { return }
        account.withLock { account in
            let writes = transactions.writeCount
            if account.writesWhenHeld == writes, !isOverLimit.load(ordering: .relaxed) { return }
            // A look that was not due yet has not seen what was written last.
            account.writesWhenHeld = makeRoom(limit, &account) ? account.lastLook?.writes : nil
        }
    }

    /// A file was closed: it may be the one that could not go.
    func fileWasClosed() {
        if isOverLimit.load(ordering: .relaxed) { keepWithinLimit() }
    }

    /// Writes the times of openings to the catalog.
    func recordOpenings(evenIfEarly: Bool) {
        let openings = lastOpenings
        let now = surroundings.instant()
        let times = evenIfEarly ? openings.all : openings.due(at: now)
        if times.isEmpty { return }
        do {
            try store.write { try $0.recordOpenings(times) }
            openings.markWritten(times, at: now)
        } catch {
            logger.warning("the times of openings could not be recorded", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Making room

    private func makeRoom(_ limit: Int64, _ account: inout RoomAccount) -> Bool {
        do {
            try lookIfDue(&account)
            var staying: Set<InodeNumber> = []
            while account.taken > limit {
                let held = account.held.map { inode, held in
                    HeldContent(
                        inode, lastOpened: lastOpenings.lately(held.id) ?? held.lastOpened,
                        bytes: held.bytes, stays: staying.contains(inode) || openFiles.isOpen(inode))
                }
                let chosen = EvictionRule.evicted(from: held, toFree: account.taken - limit)
                if chosen.isEmpty { break }
                for content in chosen where !evict(content.key, &account) { staying.insert(content.key) }
            }
        } catch {
            logger.error("room could not be made for the cloud's documents", metadata: ["error": "\(error)"])
        }
        let isHeld = account.taken <= limit
        isOverLimit.store(!isHeld, ordering: .relaxed)
        return isHeld
    }

    /// - Returns: false if it stays.
    private func evict(_ inode: InodeNumber, _ account: inout RoomAccount) -> Bool {
        do throws(Refusal) {
            try evict(inode)
            account.held[inode] = nil
            return true
        } catch .staleInode {
            // It is gone, or has another number since a newer version is there.
            account.held[inode] = nil
            return true
        } catch .staysHere {
            return false
        } catch {
            logger.error(
                "a content could not be dropped", metadata: ["inode": "\(inode)", "error": "\(error)"])
            return false
        }
    }

    // MARK: Looking

    /// Looks at all files again unless nothing was written since, or it was done a moment ago.
    private func lookIfDue(_ account: inout RoomAccount) throws {
        let start = surroundings.instant()
        if let last = account.lastLook {
            if last.writes == transactions.writeCount || start - last.end < last.duration * Self.rarity { return }
        }
        let writes = transactions.writeCount
        account.held = try look()
        let end = surroundings.instant()
        account.lastLook = (end, end - start, writes)
    }

    private func look() throws -> [InodeNumber: RoomAccount.Held] {
        var all: [InodeNumber: RoomAccount.Held] = [:]
        var last = InodeNumber(0)
        while true {
            let documents = try store.catalog.read { rows in
                let documents = try rows.documentsHere(after: last, limit: Self.batch)
                for document in documents {
                    // A file that another program removed takes no room.
                    guard let status = try? backing.folder(document.parent, rows).status(document.filename) else {
                        continue
                    }
                    all[document.inode] = .init(
                        id: document.id, lastOpened: document.lastOpened, bytes: Int64(status.st_blocks) * 512)
                }
                return documents
            }
            guard documents.count == Self.batch, let end = documents.last else { return all }
            last = end.inode
        }
    }

    private func held(_ inode: InodeNumber, _ entry: Entry, _ rows: Rows) throws -> RoomAccount.Held? {
        guard entry.location == .cloud, entry.isHere, let id = entry.id else { return nil }
        let status = try backing.folder(entry.parent, rows).status(entry.filename)
        return .init(id: id, lastOpened: surroundings.now(), bytes: Int64(status.st_blocks) * 512)
    }
}
