import Replica
import Backing
import Catalog
import Documents
import Glibc
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Content that is not here: its transfer, shared by all who wait for it, and its installation as the backing file.
final class Arrivals: LibraryPart {
    let transactions: Transactions
    let contents: Contents
    let withdrawals: Withdrawals
    let foundFiles: FoundFiles
    let timeout: Duration

    init(
        _ transactions: Transactions, contents: Contents, withdrawals: Withdrawals, foundFiles: FoundFiles,
        timeout: Duration
    ) {
        self.transactions = transactions
        self.contents = contents
        self.withdrawals = withdrawals
        self.foundFiles = foundFiles
        self.timeout = timeout
    }
    /// Begins the arrivals of documents that are on their way out of the cloud.
    ///
    /// - Parameter limit: of arrivals under way at once.
    func startDeparting(atMost limit: Int) {
        let waiting: [Entry]
        do { waiting = try inspect { try $0.arrivingEntries(limit: Self.lookahead) } } catch {
            return logger.error("documents that leave the cloud could not be found", metadata: ["error": "\(error)"])
        }
        for entry in waiting {
            if transfers.arrivalCount >= limit { return }
            guard transfers.retries.isDue(entry.inode) else { continue }
            do throws(Refusal) { _ = try arrival(of: entry.inode) } catch {
                // The others come nevertheless.
                _ = transfers.retries.failed(entry.inode)
                logger.error(
                    "a download could not be started", metadata: ["inode": "\(entry.inode)", "error": "\(error)"])
            }
        }
    }

    /// Documents that are looked at for whether they can be downloaded.
    private static let lookahead = 1024

    /// Waits until the content of an entry is here, whole and verified.
    func waitForContent(of inode: InodeNumber) async throws(Refusal) {
        guard let arrival = try arrival(of: inode) else { return }
        try await waitForStart(of: arrival)
        try await arrival.waitUntilInstalled()
    }

    /// Whether a read of these bytes can be answered at once.
    func hasArrived(_ handle: Handle, from offset: Int64, count: Int) -> Bool {
        guard let arrival = handle.file.arrival, arrival.stage != .installed else { return true }
        return arrival.download.has(offset..<max(offset, offset + Int64(count)))
    }

    /// Waits for these bytes of a file that was opened before all of it was here, and for no others.
    func waitForBytes(_ handle: Handle, from offset: Int64, count: Int) async throws(Refusal) {
        guard let arrival = handle.file.arrival else { return }
        do throws(TransferError) {
            try await arrival.download.wait(for: offset..<max(offset, offset + Int64(count)))
        } catch { throw .transfer(error) }
    }

    /// The arrival of an entry's current version, begun if it is not under way; nil when it is here.
    ///
    /// - Throws: EHOSTUNREACH while the cloud is known to be out of reach.
    func arrival(of inode: InodeNumber) throws(Refusal) -> Arrival? {
        try joinArrival(of: inode) { catalog in
            guard let entry = try catalog.entry(inode), let id = entry.id else { throw Refusal.staleInode }
            // It may have come since somebody found that it must.
            if entry.isBackingCurrent { return nil }
            guard cloud.isReachable else { throw Refusal.cloudUnreachable }
            let visible = try CatalogReplica(catalog).visibleEntry(id, at: surroundings.now())
            guard let version = visible?.versions?.current else { throw Refusal.noKnownContent }
            return try makeArrival(of: inode, version, id)
        } carriedOutBy: { [self] arrival in
            await carryOut(arrival)
        }
    }

    /// The arrival that is under way for an inode, or else the one that `make` gives, if any.
    func joinArrival(
        of inode: InodeNumber, begunBy make: (CatalogTransaction) throws -> Arrival?,
        carriedOutBy carryOut: @escaping @Sendable (Arrival) async -> Result<Void, Refusal>
    ) throws(Refusal) -> Arrival? {
        if let arrival = transfers.arrival(of: inode) { return arrival }
        // Looked up and registered in one turn of the catalog's queue: of two who come at once one begins it.
        let (arrival, isNew) = try inspect { catalog -> (Arrival?, Bool) in
            if let arrival = transfers.arrival(of: inode) { return (arrival, false) }
            guard let arrival = try make(catalog) else { return (nil, false) }
            transfers.register(arrival)
            return (arrival, true)
        }
        if let arrival, isNew {
            arrival.start { await carryOut(arrival) }
            stateChanged()
        }
        return arrival
    }

    func makeArrival(of inode: InodeNumber, _ version: DocumentVersion, _ id: EntryID) throws -> Arrival {
        // A name of its own, so that nobody who reads an earlier try sees this one's bytes, and an
        // earlier try that ends late does not take this one's file away.
        var random = surroundings.random()
        let name = "arriving-\(inode)-\(VersionID.random(using: &random))"
        let descriptor = try backing.staging.openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        let download = try cloud.download(version, of: id, into: descriptor)
        return Arrival(
            inode: inode, document: id, version: version, stagingName: name, descriptor: descriptor, download: download)
    }

    /// Opens content that is arriving for reading; nil when it is not arriving any more.
    func openArriving(_ arrival: Arrival, by caller: Caller) -> OpenedFile? {
        guard arrival.stage == .underWay else { return nil }
        defer { stateChanged() }
        return openToRead(arrival, by: caller)
    }

    /// Opens what has come of a content, and what is still to come of it, for reading.
    func openToRead(_ arrival: Arrival, by caller: Caller = .unknown) -> OpenedFile {
        let file =
            openFiles.shareableFile(arrival.inode, forWriting: false)
            ?? OpenFile(inode: arrival.inode, descriptor: arrival.descriptor, isWritable: true, arrival: arrival)
        return contents.register(
            Handle(file: file, canWrite: false, opener: contents.opener(of: file, caller, flags: O_RDONLY)))
    }

    func waitForStart(of arrival: Arrival) async throws(Refusal) {
        let result = await withTaskGroup(of: Result<Void, Refusal>.self) {
            [timeout, sleep = surroundings.sleep] group in
            group.addTask {
                do throws(TransferError) {
                    try await arrival.download.waitForStart()
                    return .success(())
                } catch { return .failure(.transfer(error)) }
            }
            group.addTask {
                try? await sleep(timeout)
                return .failure(.cloudUnreachable)
            }
            defer { group.cancelAll() }
            return await group.next()!
        }
        try result.get()
    }
}
