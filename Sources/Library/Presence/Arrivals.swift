import Backing
import Catalog
import Documents
import Glibc
import Logging
import Replica
import Replication
import Synchronization
import SystemPackage

/// Content that is not here: its download, which all callers that wait for it share, and its installation as the backing file.
final class Arrivals: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let transfers: Transfers
    let cloud: any ContentSource
    let notices: ChangeNotices
    let lastOpenings: LastOpenings
    let contents: Contents
    let withdrawals: Withdrawals
    let foundFiles: FoundFiles
    let keeping: Keeping
    let evictions: Evictions
    let timeout: Duration
    /// The catalog's writes when no kept document lacked its content.
    let writesWhenKeptWereHere = Mutex<Int?>(nil)

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, transfers: Transfers,
        cloud: any ContentSource, notices: ChangeNotices, lastOpenings: LastOpenings, contents: Contents,
        withdrawals: Withdrawals, foundFiles: FoundFiles,
        keeping: Keeping, evictions: Evictions, timeout: Duration
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.transfers = transfers
        self.cloud = cloud
        self.notices = notices
        self.lastOpenings = lastOpenings
        self.contents = contents
        self.withdrawals = withdrawals
        self.foundFiles = foundFiles
        self.keeping = keeping
        self.evictions = evictions
        self.timeout = timeout
    }

    /// Starts to download the contents of documents that leave the cloud, and those of other documents that entries wait for.
    ///
    /// - Parameter limit: of arrivals under way at once.
    func startForDocumentsLeavingCloud(atMost limit: Int) {
        let waiting: [Entry]
        do { waiting = try inspect { try $0.arrivingEntries(limit: Self.lookahead) } } catch {
            return logger.error("documents that leave the cloud could not be found", metadata: ["error": "\(error)"])
        }
        start(waiting.map(\.inode), atMost: limit)
    }

    func start(_ inodes: [InodeNumber], atMost limit: Int) {
        for inode in inodes {
            if transfers.arrivalCount >= limit { return }
            guard transfers.retries.isDue(inode) else { continue }
            do throws(Refusal) { _ = try arrival(of: inode) } catch {
                // The others are downloaded nevertheless.
                _ = transfers.retries.failed(inode)
                logger.error("a download could not be started", metadata: ["inode": "\(inode)", "error": "\(error)"])
            }
        }
    }

    /// The most documents that are looked at in one call; some of them wait for their next try.
    static let lookahead = 1024

    /// Waits until the content of an entry is here, whole and verified.
    ///
    /// - Throws: EHOSTUNREACH offline and when the first bytes do not arrive within the timeout, EINTR, ESTALE, EIO for damaged content.
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
    ///
    /// - Throws: EHOSTUNREACH when the connection breaks, EINTR, EIO for damaged content, ENOSPC.
    func waitForBytes(_ handle: Handle, from offset: Int64, count: Int) async throws(Refusal) {
        guard let arrival = handle.file.arrival else { return }
        do throws(TransferError) {
            try await arrival.download.wait(for: offset..<max(offset, offset + Int64(count)))
        } catch { throw .transfer(error) }
    }

    /// The arrival of an entry's current version, started if it is not under way; nil if the version is here.
    ///
    /// - Throws: EHOSTUNREACH offline, ESTALE, EIO if the container knows no content of the document.
    func arrival(of inode: InodeNumber) throws(Refusal) -> Arrival? {
        if let arrival = transfers.arrival(of: inode) { return arrival }
        try reserveRoom(for: inode, isRequired: false)
        do throws(Refusal) {
            let arrival = try startArrival(of: inode)
            if arrival == nil { evictions.releaseRoom(of: inode) }
            return arrival
        } catch {
            evictions.releaseRoom(of: inode)
            throw error
        }
    }

    func startArrival(of inode: InodeNumber) throws(Refusal) -> Arrival? {
        try joinArrival(of: inode) { transaction in
            guard let entry = try transaction.entry(inode), entry.id != nil || entry.awaited != nil else {
                throw Refusal.staleInode
            }
            // It may have arrived since the caller looked.
            if entry.isBackingCurrent { return nil }
            try cloud.requireReachable()
            if let awaited = try entry.awaitedContent() {
                return try makeArrival(of: inode, awaited.version, awaited.document)
            }
            guard let id = entry.id else { throw Refusal.staleInode }
            let visible = try CatalogReplica(transaction).visibleEntry(id, at: surroundings.now())
            guard let version = visible?.versions?.current else { throw Refusal.noKnownContent }
            return try makeArrival(of: inode, version, id)
        } performedBy: { [self] arrival in
            await downloadAndInstall(arrival)
        }
    }

    /// The arrival that is under way for an inode, or else the one that `make` returns, if any.
    func joinArrival(
        of inode: InodeNumber, orStart make: (Rows) throws -> Arrival?,
        performedBy perform: @escaping @Sendable (Arrival) async -> Result<Void, Refusal>
    ) throws(Refusal) -> Arrival? {
        if let arrival = transfers.arrival(of: inode) { return arrival }
        // Looked up and registered in one transaction, so that of two callers at the same time one starts it.
        let (arrival, isNew) = try inspect { rows -> (Arrival?, Bool) in
            if let arrival = transfers.arrival(of: inode) { return (arrival, false) }
            guard let arrival = try make(rows) else { return (nil, false) }
            transfers.register(arrival)
            return (arrival, true)
        }
        if let arrival, isNew {
            arrival.start { await perform(arrival) }
            notices.stateChanged()
        }
        return arrival
    }

    func makeArrival(of inode: InodeNumber, _ version: DocumentVersion, _ id: EntryID) throws -> Arrival {
        // Each try has a file of its own. Else handles that read an earlier try would see the bytes of this one, and an earlier try that
        // ends late would remove this one's file.
        var random = surroundings.random()
        let name = "arriving-\(inode)-\(VersionID.random(using: &random))"
        let descriptor = try backing.staging.openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        let download = try cloud.download(version, of: id, into: descriptor) { [notices] in
            notices.stateChanged()
        }
        return Arrival(
            inode: inode, document: id, version: version, stagingName: name, descriptor: descriptor, download: download)
    }

    /// Opens content that is arriving for reading; nil when it is not arriving any more.
    func openArriving(_ arrival: Arrival, by caller: Caller) -> OpenedFile? {
        guard arrival.stage == .underWay else { return nil }
        defer { notices.stateChanged() }
        return openToRead(arrival, by: caller)
    }

    /// Opens content for reading while it arrives.
    func openToRead(_ arrival: Arrival, by caller: Caller = .unknown) -> OpenedFile {
        func handle(of file: OpenFile) -> Handle {
            Handle(file: file, canWrite: false, opener: contents.opener(of: file, caller, flags: O_RDONLY))
        }
        if let file = openFiles.shareableFile(arrival.inode, forWriting: false),
            let opened = contents.registerAnother(handle(of: file))
        {
            return opened
        }
        return contents.register(
            handle(
                of: OpenFile(
                    inode: arrival.inode, descriptor: arrival.descriptor, isWritable: true, arrival: arrival)))
    }

    /// Waits for the first bytes.
    ///
    /// - Throws: EHOSTUNREACH after the timeout, or the reason why the transfer failed.
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
                // Cancelled when the first bytes are here: then this result is not used.
                try? await sleep(timeout)
                return .failure(.cloudUnreachable)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.interrupted)
        }
        try result.get()
    }
}
