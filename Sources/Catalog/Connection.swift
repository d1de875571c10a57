import Documents
import CrashPoints
import Dispatch
import GRDB
import Synchronization

/// The one SQLite connection of a catalog, with its open transaction.
///
/// It has a lock: a thread calls `enter`, uses the connection alone, and calls `leave`. A read or write enters at its first SQL
/// statement and leaves at its end. This is not the lock of the tree: while a thread writes waiting rows, a read or write that
/// needs no SQL can run.
final class Connection: Sendable {
    private let queue: DatabaseQueue
    private let lock = DispatchSemaphore(value: 1)
    /// Used only between `enter` and `leave`.
    private let transaction = Mutex(Transaction())

    private struct Transaction {
        var isOpen = false
        /// The waiting rows that were written in it, each with the number of its change. They wait until it is committed.
        var written: [InodeNumber: UInt64] = [:]
    }

    init(_ queue: DatabaseQueue) { self.queue = queue }

    func enter() { lock.wait() }

    /// - Returns: false if another thread has entered.
    func enterIfFree() -> Bool { lock.wait(timeout: .now()) == .success }

    func leave() { lock.signal() }

    // MARK: Only between `enter` and `leave`

    /// - Throws: `CatalogError`, or what `body` throws.
    func run<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.inDatabase { db in
            do { return try body(db) } catch let error as DatabaseError { throw CatalogError(error, of: db) }
        }
    }

    /// Opens a transaction, if none is open.
    func begin() throws {
        if transaction.withLock(\.isOpen) { return }
        try run { try DirectStatement($0, sql: "BEGIN IMMEDIATE").run() }
        transaction.withLock { $0.isOpen = true }
    }

    /// Writes rows in the open transaction, except those that are in it already. If this throws, call `rollBack`.
    func write(_ rows: [InodeNumber: WaitingRows.Waiting]) throws {
        try run { db in
            for (inode, waiting) in rows {
                let before = transaction.withLock { $0.written.updateValue(waiting.change, forKey: inode) }
                if before != waiting.change {
                    try db.write(waiting.row, of: inode, isFirst: waiting.isNew && before == nil)
                }
            }
        }
    }

    /// Writes changes of the undo list in the open transaction. If this throws, call `rollBack`.
    func write(_ actions: WaitingActions.Changes) throws { try run { try $0.write(actions) } }

    /// Whether this change of a row was written in the open transaction.
    func hasWritten(_ inode: InodeNumber, _ change: UInt64) -> Bool {
        transaction.withLock { $0.written[inode] == change }
    }

    /// If this throws, the transaction was rolled back.
    func commit() throws {
        CrashPoint.commitRows.pass()
        do { try run { try DirectStatement($0, sql: "COMMIT").run() } } catch {
            rollBack()
            throw error
        }
        CrashPoint.rowsCommitted.pass()
        transaction.withLock { $0 = Transaction() }
    }

    func rollBack() {
        transaction.withLock { $0 = Transaction() }
        // After some failures, such as a full disk, SQLite has rolled back by itself. If the rollback fails, the next BEGIN
        // reports it.
        try? run { db in if db.isInsideTransaction { try db.rollback() } }
    }

    func close() throws { try queue.close() }
}

extension Database {
    /// Writes a waiting row in the open transaction. It replaces the row's older form. It also replaces other rows with the same
    /// filename or document id: these have changed too, and their new form waits.
    ///
    /// - Parameter isFirst: whether the row was never written. An INSERT takes less time than a REPLACE.
    fileprivate func write(_ row: WaitingRows.Row, of inode: InodeNumber, isFirst: Bool) throws {
        switch row {
        case .present(let entry):
            if isFirst, try insert(entry) { return }
            var statement = try DirectStatement(self, sql: EntryStatements.replace)
            statement.bind(entry)
            try statement.run()
        case .removed:
            var statement = try DirectStatement(self, sql: EntryStatements.delete)
            statement.bind(inode)
            try statement.run()
        }
    }

    /// - Returns: false if another row has its filename or id; the new form of that row waits.
    private func insert(_ entry: Entry) throws -> Bool {
        var statement = try DirectStatement(self, sql: EntryStatements.insert)
        statement.bind(entry)
        do { try statement.run() } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
        return true
    }
}
