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

    /// Counts of writes, by which a moment is found when nobody writes.
    private struct Quiet {
        var writes = 0
        var writesWhenLastAsked = 0
        var writesAtLastCheckpoint = 0
    }

    /// Opens or creates the catalog and brings its schema up to date.
    ///
    /// - Parameter path: of the SQLite file; its folder must exist.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "docfs.catalog"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            // Without a shared-memory file, reads and writes touch no lock of the file system.
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA cache_size = -65536")
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
        do {
            return try queue.inDatabase { try body(transaction(on: $0)) }
        } catch let error as DatabaseError { throw CatalogError(error) }
    }

    /// Runs `body` in one transaction, rolled back when it throws. Not reentrant.
    public func write<Value>(_ body: (CatalogTransaction) throws -> Value) throws -> Value {
        do {
            return try queue.inDatabase { db in try commit(db) { try body(transaction(on: db)) } }
        } catch let error as DatabaseError { throw CatalogError(error) }
    }

    private func transaction(on db: Database) -> CatalogTransaction {
        CatalogTransaction(db: db, inodes: inodes, cache: entries, counts: counts)
    }

    /// As GRDB's own transactions, which compile their statements each time.
    private func commit<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        do {
            let value = try body()
            try db.cachedStatement(sql: "COMMIT").execute()
            quiet.withLock { $0.writes += 1 }
            return value
        } catch {
            entries.forgetAll()
            counts.forget()
            // SQLite has done it already after some failures, as when the disk is full.
            if db.isInsideTransaction { try db.rollback() }
            throw error
        }
    }

    /// Moves the write-ahead log into the database if there is much in it and nothing was written since the
    /// last time somebody asked: so that hardly any commit has to wait for that.
    public func checkpointIfQuiet() throws {
        let isDue = quiet.withLock { quiet in
            defer { quiet.writesWhenLastAsked = quiet.writes }
            guard quiet.writes == quiet.writesWhenLastAsked, quiet.writes - quiet.writesAtLastCheckpoint >= 500 else { return false }
            quiet.writesAtLastCheckpoint = quiet.writes
            return true
        }
        if isDue { try queue.inDatabase { db in _ = try db.checkpoint(.passive) } }
    }

    /// Moves the write-ahead log into the database and closes both.
    public func close() throws {
        try queue.inDatabase { db in _ = try db.checkpoint(.truncate) }
        try queue.close()
    }
}

/// The queries of the catalog, for use inside one `Catalog.read` or `Catalog.write`.
public struct CatalogTransaction {
    let db: Database
    let inodes: InodeSupply
    let cache: EntryCache
    let counts: EntryCounts
}

extension Catalog {
    /// Makes every committed transaction durable. With `synchronous = NORMAL` a commit alone survives
    /// the end of the process; losing power as well takes a sync of the write-ahead log. SQLite locks
    /// the database file and never the log, so that opening and closing the latter drops no lock.
    public func synchronize() throws {
        let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard log >= 0 else { throw CatalogError.failed("cannot open the write-ahead log: errno \(errno)") }
        defer { Glibc.close(log) }
        guard fdatasync(log) == 0 else { throw CatalogError.failed("cannot sync the write-ahead log: errno \(errno)") }
    }
}
