import Dispatch
import Documents
import GRDB
import Glibc
import Synchronization

/// What this device knows, in one SQLite file: the namespace, pending work, the replica.
///
/// The lock of the tree is a queue: one read or write at a time, each with its effects on backing files inside, so that others
/// see it whole or not at all. Rows that may be written a moment later wait in memory (`WaitingRows`) and are written in groups
/// by threads that have nothing else to do, which take the connection and not the tree's lock. Whatever needs the rows in SQL, and any
/// transaction, writes them first. Lock order: tree, connection, waiting rows.
///
/// The file is locked exclusively, so a second docfs cannot open it.
public final class Catalog: Sendable {
    private let tree = DispatchQueue(label: "docfs.tree")
    private let connection: Connection
    private let path: String
    private let inodes: InodeSupply
    private let entries = EntryCache()
    private let counts = EntryCounts()
    private let waiting = WaitingRows()
    private let quiet = Mutex(Quiet())
    private let later: Later?
    private let withRoom: @Sendable (() throws -> Void) throws -> Void
    private let isScheduled = Atomic<Bool>(false)
    /// Why rows that wait could not be written, as of the last try.
    private let failure = Mutex<CatalogError?>(nil)
    private let listener = Mutex<Listener?>(nil)

    /// Kibibytes of pages.
    static let cacheLength = 65536

    /// Runs what it is given after a moment, on a thread that may block.
    public typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Hears of the outcome of writes; called without the tree's lock.
    public struct Listener: Sendable {
        /// Receives the events of a write that has succeeded, in order.
        var happened: @Sendable ([TreeEvent]) -> Void
        /// Receives the folders in which a failed write may have changed files.
        var failed: @Sendable ([InodeNumber]) -> Void
        /// Receives the reason why waiting rows could not be written. They go on waiting.
        var delayed: @Sendable (CatalogError) -> Void

        public init(
            happened: @escaping @Sendable ([TreeEvent]) -> Void, failed: @escaping @Sendable ([InodeNumber]) -> Void,
            delayed: @escaping @Sendable (CatalogError) -> Void
        ) {
            self.happened = happened
            self.failed = failed
            self.delayed = delayed
        }
    }

    /// Counts of writes, by which a moment is found when nobody writes.
    private struct Quiet {
        var writes = 0
        var writesWhenLastAsked = 0
        var writesAtLastCheckpoint = 0
    }

    /// Opens or creates the catalog and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: of the SQLite file, which is made with mode 0600; its folder must exist.
    ///   - later: for rows that may wait; without it none does.
    ///   - withRoom: runs what it is given once more when the disk was full, with room that was kept for that.
    public init(
        path: String, later: Later? = nil,
        withRoom: @escaping @Sendable (() throws -> Void) throws -> Void = { _ in throw CatalogError.full }
    ) throws {
        self.later = later
        self.withRoom = withRoom
        self.path = path
        var configuration = Configuration()
        configuration.label = "docfs.catalog"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        // A transaction takes several calls of the queue: see `Turn`.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            // Without a shared-memory file, reads and writes touch no lock of the file system.
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA cache_size = -\(Catalog.cacheLength)")
            // The last resort: a commit that has to do it takes as long as the disk does. See `checkpointIfQuiet`.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 40000")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        try Self.makePrivateFile(path)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try CatalogSchema.migrator.migrate(queue)
            connection = Connection(queue)
            let last = try queue.read { db in
                let ids = "(SELECT max(id) FROM entries), (SELECT seq FROM sqlite_sequence WHERE name='entries')"
                return try Int64.fetchOne(db, sql: "SELECT max(\(ids))")
            }
            inodes = InodeSupply(last: last ?? 99)
        } catch let error as DatabaseError { throw CatalogError(error) }
    }

    /// Makes the file where it is missing: SQLite would let everybody read it. The write-ahead log gets its mode.
    private static func makePrivateFile(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            _ = Glibc.close(file)
        } else if errno != EEXIST {
            throw errno == ENOSPC || errno == EDQUOT
                ? CatalogError.full : CatalogError.failed("cannot make the database \(path): errno \(errno)")
        }
    }

    /// Sets who hears of the outcome of writes.
    public func setListener(_ listener: Listener?) { self.listener.withLock { $0 = listener } }

    // MARK: Reading and writing

    /// Runs `body` alone with the tree. Not reentrant.
    public func read<Value>(_ body: (CatalogTransaction) throws -> Value) throws -> Value {
        try tree.sync { try take(Turn(connection, waiting), body) }
    }

    /// Runs `body` alone with the tree; what it did is undone when it throws. Not reentrant. What it did outlives the process
    /// when this returns, unless `body` said that it need not (`CatalogTransaction.durability`).
    public func write<Value>(_ body: (CatalogTransaction) throws -> Value) throws -> Value {
        let turn = Turn(connection, waiting)
        let value: Value
        do {
            value = try tree.sync {
                let value = try take(turn, body)
                quiet.withLock { $0.writes += 1 }
                return value
            }
        } catch {
            // A refusal that changed no row undid itself what it had done to files.
            if turn.hasChanged || error is CatalogError { listener.withLock { $0 }?.failed(turn.folders) }
            throw error
        }
        if turn.hasPostponed { scheduleWriting() }
        if !turn.events.isEmpty { listener.withLock { $0 }?.happened(turn.events) }
        return value
    }

    private func take<Value>(_ turn: Turn, _ body: (CatalogTransaction) throws -> Value) throws -> Value {
        do {
            let transaction = CatalogTransaction(
                turn: turn, inodes: inodes, cache: entries, counts: counts, waiting: waiting, letsRowsWait: later != nil
            )
            let result = Result { try body(transaction) }
            if turn.hasChanged || !turn.undo.isEmpty {
                if case .failure(let error) = result { throw error }
                try turn.succeed()
            } else {
                // A refusal has nothing to roll back. Rows that waited and cannot be written now go on waiting.
                do { try turn.succeed() } catch { _ = turn.fail() }
            }
            return try result.get()
        } catch {
            if turn.fail() { forgetRows() }
            throw error
        }
    }

    /// Reads rows anew from now on.
    func forgetRows() {
        entries.forgetAll()
        counts.forget()
    }

    /// The file of an entry may be another than what was noted of it.
    public func forgetStatus(of inode: InodeNumber) { entries.note(nil, of: inode) }

    /// How often something was written: as long as it stays the same, so does what was read.
    public var writeCount: Int { quiet.withLock(\.writes) }

    // MARK: Rows that wait

    private func scheduleWriting() {
        if waiting.count >= Durability.mostWaiting, (try? writeWaiting()) != nil { return }
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        later? { [self] in
            isScheduled.store(false, ordering: .releasing)
            // Whoever makes something new meanwhile, or syncs, hears of a failure.
            do { try writeWaiting() } catch { scheduleWriting() }
        }
    }

    /// Writes the rows that wait, in one commit. Not within a read or write.
    ///
    /// - Throws: `CatalogError`; then they go on waiting.
    public func writeWaiting() throws {
        if waiting.isEmpty { return }
        // With the tree's lock: of a write that is under way only some rows may wait yet.
        let rows = tree.sync {
            connection.enter()
            return waiting.beginWriting()
        }
        defer { connection.leave() }
        do {
            do { try commit(rows) } catch CatalogError.full { try withRoom { try commit(rows) } }
            waiting.endWriting(rows)
            failure.withLock { $0 = nil }
        } catch let error as CatalogError {
            let isNews = failure.withLock { failure in
                defer { failure = error }
                return failure == nil
            }
            if isNews { listener.withLock { $0 }?.delayed(error) }
            throw error
        }
    }

    private func commit(_ rows: [InodeNumber: WaitingRows.Waiting]) throws {
        do {
            try connection.begin()
            try connection.write(rows)
        } catch {
            connection.rollBack()
            throw error
        }
        try connection.commit()
    }

    /// Writes a few of the rows that wait into the transaction that is to be committed with the others: for threads that have a
    /// moment to spare, so that hardly anything is left to do when the moment comes to commit. Does nothing where the
    /// connection is in use. What goes wrong goes wrong again then.
    public func writeSomeWaiting() {
        guard let rows = waiting.some(2, besides: connection.hasWritten), connection.enterIfFree() else { return }
        defer { connection.leave() }
        do {
            try connection.begin()
            try connection.write(rows)
        } catch { connection.rollBack() }
    }

    /// Must be called before something new is made: where rows that wait cannot be written, it must be refused.
    ///
    /// - Throws: `CatalogError`.
    public func requireRoom() throws {
        if failure.withLock({ $0 != nil }) { try writeWaiting() }
    }

    // MARK: The file

    /// Makes everything that was written durable. With `synchronous = NORMAL` a commit alone survives
    /// the end of the process; losing power as well takes a sync of the write-ahead log. SQLite locks
    /// the database file and never the log, so that opening and closing the latter drops no lock.
    public func synchronize() throws {
        try writeWaiting()
        let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard log >= 0 else { throw CatalogError.failed("cannot open the write-ahead log: errno \(errno)") }
        defer { Glibc.close(log) }
        guard fdatasync(log) == 0 else { throw CatalogError.failed("cannot sync the write-ahead log: errno \(errno)") }
    }

    /// Moves the write-ahead log into the database if there is much in it and nothing was written since the
    /// last time somebody asked: so that hardly any commit has to wait for that.
    public func checkpointIfQuiet() throws {
        let isDue = quiet.withLock { quiet in
            defer { quiet.writesWhenLastAsked = quiet.writes }
            guard quiet.writes == quiet.writesWhenLastAsked, quiet.writes - quiet.writesAtLastCheckpoint >= 500 else {
                return false
            }
            quiet.writesAtLastCheckpoint = quiet.writes
            return true
        }
        if isDue { try checkpoint(.passive) }
    }

    /// Gives the room of the write-ahead log back to the file system.
    ///
    /// - Parameter limit: bytes that it may have; then nothing is done.
    public func shrinkLog(to limit: Int) throws {
        var status = stat()
        guard stat(path + "-wal", &status) == 0, status.st_size > limit else { return }
        try checkpoint(.truncate)
    }

    private func checkpoint(_ mode: Database.CheckpointMode) throws {
        try writeWaiting()
        connection.enter()
        defer { connection.leave() }
        _ = try connection.run { try $0.checkpoint(mode) }
    }

    /// Closes it as the sudden end of the process would: without the rows that wait.
    package func abandon() throws { try tree.sync { try connection.close() } }

    /// Moves the write-ahead log into the database and closes both.
    ///
    /// - Throws: `CatalogError` where rows that wait could not be written; it is closed all the same.
    public func close() throws {
        let result = Result { try checkpoint(.truncate) }
        try connection.close()
        try result.get()
    }
}
