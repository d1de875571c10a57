import Dispatch
import Documents
import GRDB
import Glibc
import Synchronization

/// This device's database, one SQLite file: entries, pending changes, and the replica of the container.
///
/// The lock of the tree is a serial queue. It runs one read or write at a time, including its changes to backing files, so
/// no other read sees half of a change. Rows that may be written later wait in memory (`WaitingRows`). Background threads
/// write them in groups; these lock the connection but not the tree. A SQL query over such rows, and every transaction,
/// writes the waiting rows first. Lock order: tree, connection, waiting rows.
///
/// SQLite locks the file for this process, so a second docfs cannot open it.
public final class Catalog: Sendable {
    let lock = DispatchQueue(label: "docfs.tree")
    let connection: Connection
    let log: LogCopier
    let claim: Mutex<CatalogClaim?>
    let path: String
    private let inodes: InodeSupply
    private let entries = EntryCache()
    private let counts = EntryCounts()
    private let waiting = WaitingRows()
    private let waitingActions = WaitingActions()
    private let trash = TrashCount()

    /// Whether the trash may have a file. It needs no transaction, and can be asked inside one.
    public var mayHaveTrash: Bool { trash.mayHoldFiles }
    let quiet = Mutex(Quiet())
    private let scheduler: Scheduler?
    private let withReserve: @Sendable (() throws -> Void) throws -> Void
    private let isScheduled = Atomic<Bool>(false)
    /// Why the last attempt to write the waiting rows failed; nil if it succeeded.
    private let failure = Mutex<CatalogError?>(nil)
    let listener = Mutex<Listener?>(nil)

    /// Size of SQLite's page cache in KiB.
    static let cacheLength = 65536
    /// To so many bytes SQLite cuts its log when it begins that anew.
    private static let shortLog = 64 << 20

    /// Runs a closure a moment later (`Durability.longestWait`), on a thread that may block.
    public typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Is told the outcome of writes. Called without the tree's lock.
    public struct Listener: Sendable {
        /// Receives the events of a write that has succeeded, in order.
        var happened: @Sendable ([TreeEvent]) -> Void
        /// Receives the folders whose files a failed write may have changed.
        var failed: @Sendable ([InodeNumber]) -> Void
        /// Receives the error of what was to follow a write (`Transaction.whenDone`). The write stands.
        var unfinished: @Sendable (any Error) -> Void
        /// Receives the reason why waiting rows could not be written. They stay in memory.
        var delayed: @Sendable (CatalogError) -> Void
        /// Receives the reason why the write-ahead log could not be copied. It grows, and is copied later.
        var logNotCopied: @Sendable (any Error) -> Void

        public init(
            happened: @escaping @Sendable ([TreeEvent]) -> Void, failed: @escaping @Sendable ([InodeNumber]) -> Void,
            unfinished: @escaping @Sendable (any Error) -> Void = { _ in },
            delayed: @escaping @Sendable (CatalogError) -> Void,
            logNotCopied: @escaping @Sendable (any Error) -> Void = { _ in }
        ) {
            self.happened = happened
            self.failed = failed
            self.unfinished = unfinished
            self.delayed = delayed
            self.logNotCopied = logNotCopied
        }
    }

    /// Counts writes, so that `checkpointIfQuiet` can tell whether there was one since its last call.
    struct Quiet {
        var writes = 0
        var writesWhenLastAsked = 0
        var writesAtLastCheckpoint = 0
    }

    /// Opens or creates the catalog and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: of the SQLite file. It is created with mode 0600; its folder must exist.
    ///   - scheduler: writes waiting rows later; without it no row waits.
    ///   - longestLog: bytes of the write-ahead log from which on it is copied although there is no quiet moment. More than `shortLog`.
    ///   - withReserve: called when the disk is full. It frees reserved space, runs its argument again, and throws if that
    ///     fails too.
    public init(
        path: String, scheduler: Scheduler? = nil, longestLog: Int = 128 << 20,
        withReserve: @escaping @Sendable (() throws -> Void) throws -> Void = { _ in throw CatalogError.full }
    ) throws {
        self.scheduler = scheduler
        self.withReserve = withReserve
        self.path = path
        guard LogCopier.locksForProcess else { throw CatalogError.failed("SQLite lacks its file system unix-excl") }
        log = LogCopier(path: path, longest: longestLog)
        try Self.makePrivateFile(path)
        claim = Mutex(try CatalogClaim(path))
        var configuration = Configuration()
        configuration.label = "docfs.catalog"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        // A transaction spans several calls of the database queue: see `Turn`.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA cache_size = -\(Catalog.cacheLength)")
            // In pages. A commit that crosses it must wait for a checkpoint; `LogCopier` prevents that.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 80000")
            try db.execute(sql: "PRAGMA journal_size_limit = \(Catalog.shortLog)")
        }
        let queue: DatabaseQueue
        do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch let error as DatabaseError {
            throw CatalogError(error)
        }
        do {
            try Self.bringUpToDate(queue)
            connection = Connection(queue)
            let last = try queue.read { db in
                let ids = "(SELECT max(id) FROM entries), (SELECT seq FROM sqlite_sequence WHERE name='entries')"
                return try Int64.fetchOne(db, sql: "SELECT max(\(ids))")
            }
            inodes = InodeSupply(last: last ?? 99)
        } catch let error as DatabaseError { throw queue.inDatabase { CatalogError(error, of: $0) } }
    }

    /// Makes the tables of a new catalog, or migrates those of another release.
    private static func bringUpToDate(_ queue: DatabaseQueue) throws {
        let isNew = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") == 0 }
        guard isNew else { return try CatalogMigrations.migrate(queue) }
        try queue.write { db in
            try CatalogSchema.create(db)
            try CatalogMigrations.noteAll(db)
        }
    }

    /// Creates the file if it is missing. SQLite would create it readable for everybody; it gives the write-ahead log the
    /// mode of the database.
    private static func makePrivateFile(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            _ = Glibc.close(file)
        } else if errno != EEXIST {
            throw errno == ENOSPC || errno == EDQUOT
                ? CatalogError.full : CatalogError.failed("cannot make the database \(path): errno \(errno)")
        }
    }

    /// Sets the listener that is told the outcome of writes.
    public func setListener(_ listener: Listener?) { self.listener.withLock { $0 = listener } }

    // MARK: Reading and writing

    /// Runs `body` with the tree locked. Not reentrant.
    public func read<Value>(_ body: (Rows) throws -> Value) throws -> Value {
        try lock.sync {
            let turn = Turn(connection, waiting, waitingActions)
            return try run(turn) {
                try body(Rows(turn, cache: entries, counts: counts, waiting: waiting, trash: trash))
            }
        }
    }

    /// Runs `body` with the tree locked. If it throws, its changes are undone. Not reentrant. When this returns, the changes
    /// survive the end of the process, unless `body` chose another `Transaction.durability`.
    ///
    /// - Parameter body: runs twice if it finds that rows may not wait any longer (`Transaction.requireWritten`).
    public func write<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        do { return try write(committingWaiting: false, body) } catch is Turn.MustCommitWaiting {
            return try write(committingWaiting: true, body)
        }
    }

    private func write<Value>(committingWaiting: Bool, _ body: (Transaction) throws -> Value) throws -> Value {
        let turn = Turn(connection, waiting, waitingActions)
        let value: Value
        do {
            value = try lock.sync {
                let value = try run(turn) {
                    if committingWaiting { try turn.commitWaiting() }
                    return try body(
                        Transaction(
                            turn, inodes: inodes, cache: entries, counts: counts, waiting: waiting, trash: trash,
                            letsRowsWait: scheduler != nil))
                }
                quiet.withLock { $0.writes += 1 }
                return value
            }
            copyLogIfLong()
        } catch let error as Turn.MustCommitWaiting { throw error } catch {
            // A body that refuses before it changes a row has undone its changes to files itself.
            if turn.hasChanged || turn.hasFailedToUndo || error is CatalogError {
                listener.withLock { $0 }?.failed(turn.folders)
            }
            throw error
        }
        if turn.hasPostponed { scheduleWriting() }
        for body in turn.afterwards {
            do { try body() } catch { listener.withLock { $0 }?.unfinished(error) }
        }
        if !turn.events.isEmpty { listener.withLock { $0 }?.happened(turn.events) }
        return value
    }

    private func run<Value>(_ turn: Turn, _ body: () throws -> Value) throws -> Value {
        do {
            let result = Result { try body() }
            if turn.hasChanged || !turn.undo.isEmpty {
                if case .failure(let error) = result { throw error }
                try turn.succeed()
            } else {
                // Nothing was changed. This commits only rows that waited before; if that fails, they wait again, and
                // `writeWaiting` reports why.
                do { try turn.succeed() } catch { _ = turn.fail() }
            }
            return try result.get()
        } catch {
            if turn.fail() { forgetRows() }
            throw error
        }
    }

    /// Empties the caches.
    func forgetRows() {
        entries.forgetAll()
        counts.forget()
        trash.forget()
    }

    /// Forgets what `Rows.cacheStatus` stored: the entry's file may have changed.
    public func forgetStatus(of inode: InodeNumber) { entries.setStatus(nil, of: inode) }

    /// The number of writes so far. While it is unchanged, a read returns what it returned before.
    public var writeCount: Int { quiet.withLock(\.writes) }

    // MARK: Rows that wait

    private func scheduleWriting() {
        // A failure is stored in `failure` and told to the listener; the rows are tried again below.
        if waiting.count >= Durability.mostWaiting, (try? writeWaiting()) != nil { return }
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        scheduler? { [self] in
            isScheduled.store(false, ordering: .releasing)
            // The listener is told of a failure, and `requireWritable` and `synchronize` throw it.
            do { try writeWaiting() } catch { scheduleWriting() }
        }
    }

    /// Writes the waiting rows in one commit. Must not be called within a read or write.
    ///
    /// - Throws: `CatalogError`; the rows then wait again.
    public func writeWaiting() throws {
        if waiting.isEmpty { return }
        // The tree is locked, so that no write is under way that has added only some of its rows.
        let (rows, actions) = lock.sync {
            connection.enter()
            return (waiting.beginWriting(), waitingActions.all())
        }
        defer { connection.leave() }
        do {
            do { try commit(rows, actions) } catch CatalogError.full { try withReserve { try commit(rows, actions) } }
            waiting.endWriting(rows)
            waitingActions.remove(actions)
            failure.withLock { $0 = nil }
        } catch let error as CatalogError {
            let isFirst = failure.withLock { failure in
                defer { failure = error }
                return failure == nil
            }
            if isFirst { listener.withLock { $0 }?.delayed(error) }
            throw error
        }
    }

    /// Writes the waiting rows if the row of this entry is among them. Must not be called within a read or write.
    ///
    /// - Throws: `CatalogError`; the rows then wait again.
    public func writeIfWaiting(_ inode: InodeNumber) throws { if waiting[inode] != nil { try writeWaiting() } }

    private func commit(_ rows: [InodeNumber: WaitingRows.Waiting], _ actions: WaitingActions.Changes) throws {
        do {
            try connection.begin()
            try connection.write(rows)
            try connection.write(actions)
        } catch {
            connection.rollBack()
            throw error
        }
        try connection.commit()
    }

    /// Writes a few waiting rows into the open transaction without committing it. Idle threads call this, so that
    /// `writeWaiting` has little left to do. Does nothing if the connection is in use. An error is ignored: the rows still
    /// wait, and `writeWaiting` meets and reports it.
    public func writeSomeWaiting() {
        guard let rows = waiting.some(2, besides: connection.hasWritten), connection.enterIfFree() else { return }
        defer { connection.leave() }
        do {
            try connection.begin()
            try connection.write(rows)
        } catch { connection.rollBack() }
    }

    /// Call this before anything new is made. If waiting rows could not be written, it tries again: new things must be
    /// refused as long as that fails.
    ///
    /// - Throws: `CatalogError`.
    public func requireWritable() throws {
        if failure.withLock({ $0 != nil }) { try writeWaiting() }
    }
}
