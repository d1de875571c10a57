import Documents
import GRDB
import Glibc
import Synchronization

/// What this device knows, in one SQLite file: the namespace, pending work, the replica.
///
/// One connection serves everything: its queue is the lock of the namespace. A mutation of the tree,
/// with its effects on the backing files, runs inside one `write`; readers see it whole or not at
/// all. The file is locked exclusively, so a second docfs cannot open it.
public final class Catalog: Sendable {
    private let queue: DatabaseQueue
    private let path: String
    private let inodes = InodeSupply()
    private let entries = EntryCache()
    private let counts = EntryCounts()
    private let quiet = Mutex(Quiet())
    private let deferral = Deferral()
    private let later: Later?
    private let onLoss: @Sendable () -> Void

    /// Kibibytes of pages.
    static let cacheLength = 65536

    /// Runs what it is given after a moment, on a thread that may block.
    public typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Counts of writes, by which a moment is found when nobody writes.
    private struct Quiet {
        var writes = 0
        var writesWhenLastAsked = 0
        var writesAtLastCheckpoint = 0
    }

    /// Opens or creates the catalog and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: of the SQLite file; its folder must exist.
    ///   - later: for commits that may wait; without it none does.
    ///   - onLoss: told when changes that waited could not be written.
    public init(path: String, later: Later? = nil, onLoss: @escaping @Sendable () -> Void = {}) throws {
        self.later = later
        self.onLoss = onLoss
        var configuration = Configuration()
        configuration.label = "docfs.catalog"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        // A transaction may stay open for a moment: see `Deferral`.
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
        self.path = path
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try CatalogSchema.migrator.migrate(queue)
    }

    /// Runs `body` on the connection, outside a transaction. Not reentrant.
    public func read<Value>(_ body: (CatalogTransaction) throws -> Value) throws -> Value {
        try onQueue { try body(transaction(on: $0)) }
    }

    /// Runs `body` in one transaction, rolled back when it throws. Not reentrant. What it did outlives the
    /// process, unless `body` said that it need not (`CatalogTransaction.deferRows`).
    ///
    /// - Parameter kind: what `body` may say so of. What it must not wait with is committed before.
    public func write<Value>(
        mayDefer kind: Deferral.Kind? = nil, _ body: (CatalogTransaction) throws -> Value
    ) throws -> Value {
        let kind = defersCommits ? kind : nil
        return try onQueue { db in
            if let kind, !deferral.canJoin(kind) { try commit(db) }
            let value = try step(db, kind) { try body(transaction(on: db)) }
            switch deferral.next() {
            case .commit: try commit(db)
            // Who syncs or closes hears of a failure (`hasLost`).
            case .schedule: later? { [self] in try? commitDeferred() }
            case .nothing: break
            }
            quiet.withLock { $0.writes += 1 }
            return value
        }
    }

    private func onQueue<Value>(_ body: (Database) throws -> Value) throws -> Value {
        defer { deferral.takeReleased().forEach { $0() } }
        do {
            return try queue.inDatabase { db in
                writePostponed(db)
                return try body(db)
            }
        } catch let error as DatabaseError {
            throw CatalogError(error)
        }
    }

    /// The file of an entry may be another than what was noted of it.
    public func forgetStatus(of inode: InodeNumber) { entries.note(nil, of: inode) }

    /// Writes the rows that waited for the answer to be given. Whoever asks for anything else does so, too.
    public func settle() {
        if deferral.hasPostponed { queue.inDatabase { writePostponed($0) } }
    }

    /// Does what must not be done before the changes that wait are committed: at once where none do.
    public func whenCommitted(_ work: @escaping @Sendable () -> Void) {
        if !deferral.keep(work) { work() }
    }

    /// Whether a commit ever waits.
    public var defersCommits: Bool { later != nil }

    /// How often something was written: as long as it stays the same, so does what was read.
    public var writeCount: Int { quiet.withLock(\.writes) }

    private func transaction(on db: Database) -> CatalogTransaction {
        CatalogTransaction(db: db, inodes: inodes, cache: entries, counts: counts, deferral: deferral)
    }

    // MARK: Transactions. As GRDB's own, which compile their statements each time.

    /// All of `body` or nothing of it, in a new transaction or one that is open still.
    private func step<Value>(_ db: Database, _ kind: Deferral.Kind?, _ body: () throws -> Value) throws -> Value {
        if deferral.begin(kind) { try DirectStatement(db, sql: "BEGIN IMMEDIATE").run() }
        do { return try body() } catch {
            rollBack(db)
            throw error
        }
    }

    private func commit(_ db: Database) throws {
        do {
            try DirectStatement(db, sql: "COMMIT").run()
            deferral.end()
        } catch {
            rollBack(db)
            throw error
        }
    }

    /// What waited in the transaction is made again, and goes on waiting.
    private func rollBack(_ db: Database) {
        forgetRows()
        let changes = deferral.take()
        do {
            // SQLite has done it already after some failures, as when the disk is full.
            if db.isInsideTransaction { try db.rollback() }
            if changes.isEmpty { return }
            try DirectStatement(db, sql: "BEGIN IMMEDIATE").run()
            try make(changes, db)
            deferral.restore(changes)
        } catch {
            forgetRows()
            if db.isInsideTransaction { try? db.rollback() }
            if changes.isEmpty { return }
            deferral.lose()
            onLoss()
        }
    }

    private func make(_ changes: [Deferral.Change], _ db: Database) throws {
        for change in changes {
            switch change {
            case .insertion(let entry): try transaction(on: db).insert(entry)
            case .update(let entry): try transaction(on: db).update(entry)
            case .deletion(let inode): try transaction(on: db).delete(inode)
            case .replacement(let inode, let entry): try transaction(on: db).replace(inode, by: entry)
            }
        }
    }

    /// Their makers have been told that it is done.
    private func writePostponed(_ db: Database) {
        guard deferral.hasPostponed else { return }
        do { try make(deferral.takePostponed(), db) } catch { rollBack(db) }
    }

    private func forgetRows() {
        entries.forgetAll()
        counts.forget()
        inodes.forgetClaim()
    }

    private func commitDeferred() throws {
        try onQueue { db in
            deferral.come()
            try commitWaiting(db)
        }
    }

    private func commitWaiting(_ db: Database) throws {
        if deferral.isOpen { try commit(db) }
    }

    /// Whether changes that waited for a commit were lost when the disk failed: then files may be there that no row tells of.
    public var hasLost: Bool { deferral.hasLost }

    /// Moves the write-ahead log into the database if there is much in it and nothing was written since the
    /// last time somebody asked: so that hardly any commit has to wait for that.
    public func checkpointIfQuiet() throws {
        let isDue = quiet.withLock { quiet in
            defer { quiet.writesWhenLastAsked = quiet.writes }
            guard quiet.writes == quiet.writesWhenLastAsked, quiet.writes - quiet.writesAtLastCheckpoint >= 500 else { return false }
            quiet.writesAtLastCheckpoint = quiet.writes
            return true
        }
        if !isDue { return }
        try onQueue { db in
            try commitWaiting(db)
            _ = try db.checkpoint(.passive)
        }
    }

    /// Closes it as the sudden end of the process would: without what was to be committed later.
    package func abandon() throws {
        try queue.inDatabase { db in if deferral.isOpen { try db.rollback() } }
        try queue.close()
    }

    /// Moves the write-ahead log into the database and closes both.
    public func close() throws {
        try onQueue { db in
            try commitWaiting(db)
            _ = try db.checkpoint(.truncate)
        }
        try queue.close()
    }
}

/// The queries of the catalog, for use inside one `Catalog.read` or `Catalog.write`.
public struct CatalogTransaction {
    let db: Database
    let inodes: InodeSupply
    let cache: EntryCache
    let counts: EntryCounts
    let deferral: Deferral

    /// The rows that the write under way is going to change, the last that it does with the catalog, need be neither written
    /// nor committed at once: what they say can be seen in the files, so that after a sudden end it is found out
    /// anew. It takes effect at once all the same (`Catalog.settle`), and nothing that is written later is
    /// committed before it.
    public func deferRows() { deferral.ask() }

    /// Commits what waits if some of it took the place of something, before anything is done to files: from where a sudden end
    /// leaves the file of a save whose row waits, only its place tells whose it is.
    public func commitTakenPlaces() throws {
        guard deferral.hasTakenPlaces else { return }
        try DirectStatement(db, sql: "COMMIT").run()
        deferral.end()
        try DirectStatement(db, sql: "BEGIN IMMEDIATE").run()
    }

    /// What lstat(2) said of an entry's file, if that was noted since its row last changed.
    public func status(of inode: InodeNumber) -> NotedStatus? { cache.status(of: inode) }

    /// Remembers what lstat(2) says of an entry's file, as long as the row stays what it is and is asked for now and then. Who
    /// changes the file otherwise says so (`Catalog.forgetStatus`).
    public func noteStatus(_ status: NotedStatus, of inode: InodeNumber) { cache.note(status, of: inode) }

    /// Whether the row of an entry waits for its commit since it was inserted, so that no committed row tells of its file: not
    /// that of something whose place it took, either.
    public func isInsertionDeferred(_ inode: InodeNumber) -> Bool { deferral.isCreated(inode) }
}

extension Catalog {
    /// Makes every committed transaction durable. With `synchronous = NORMAL` a commit alone survives
    /// the end of the process; losing power as well takes a sync of the write-ahead log. SQLite locks
    /// the database file and never the log, so that opening and closing the latter drops no lock.
    public func synchronize() throws {
        try commitDeferred()
        if hasLost { throw CatalogError.failed("what was written before the disk failed or was full is not in it") }
        let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard log >= 0 else { throw CatalogError.failed("cannot open the write-ahead log: errno \(errno)") }
        defer { Glibc.close(log) }
        guard fdatasync(log) == 0 else { throw CatalogError.failed("cannot sync the write-ahead log: errno \(errno)") }
    }
}
