import Catalog
import Documents
import Logging
import Synchronization

/// Downloads that no open waits for.
extension Arrivals {
    /// Starts to download the contents that kept documents lack (`Keeping`).
    ///
    /// - Parameter limit: of arrivals under way at once.
    func startForKeptDocuments(atMost limit: Int) {
        let writes = transactions.writeCount
        if writesWhenKeptWereHere.withLock({ $0 == writes }) || !cloud.isReachable { return }
        do throws(Refusal) {
            let waiting = try inspect { try $0.keptDocumentsToFetch(limit: Self.lookahead) }
            // A version that arrives under an open edit would not be installed.
            start(waiting.filter { !openFiles.isOpenForWriting($0) }, atMost: limit)
            if waiting.isEmpty { writesWhenKeptWereHere.withLock { $0 = writes } }
        } catch {
            logger.error("documents to be kept could not be found", metadata: ["error": "\(error)"])
        }
    }

    /// Starts to download a document because a person asks for it. Nothing is done if its content is here.
    ///
    /// - Throws: EHOSTUNREACH offline, EBUSY and ENOSPC where `--cache-limit` leaves no room, EISDIR, EINVAL, ESTALE, EIO if the container
    ///   knows no content of the document.
    func request(_ inode: InodeNumber) throws(Refusal) {
        let isHere = try inspect { rows in
            guard let entry = try rows.entry(inode) else { throw Refusal.staleInode }
            guard entry.kind == .document else { throw entry.kind == .folder ? Refusal.isFolder : Refusal.alwaysHere }
            return entry.isBackingCurrent
        }
        if isHere || transfers.arrival(of: inode) != nil { return }
        try cloud.requireReachable()
        try reserveRoom(for: inode, isRequired: true)
        do throws(Refusal) {
            if try startArrival(of: inode) == nil { evictions.releaseRoom(of: inode) }
        } catch {
            evictions.releaseRoom(of: inode)
            throw error
        }
    }

    /// - Parameter isRequired: whether the download must not begin without room. An open may pass the limit.
    func reserveRoom(for inode: InodeNumber, isRequired: Bool) throws(Refusal) {
        guard evictions.limit != nil,
            let entry = try inspect({ try $0.entry(inode) }), !entry.isBackingCurrent
        else { return }
        let hasOthers = evictions.hasReservations
        if evictions.reserveRoom(for: inode, bytes: entry.size) || !isRequired { return }
        evictions.releaseRoom(of: inode)
        throw .beyondCacheLimit(isForNow: hasOthers)
    }
}
