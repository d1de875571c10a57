import Dispatch
import GRDB
import Synchronization

/// The one SQLite connection of a catalog, with the transaction in which rows that waited are written.
///
/// Whoever has entered it has it alone until they leave: a read or write for the rest of its body, whoever writes waiting rows for
/// some of them. It is not the lock of the tree: a body that needs no SQL runs meanwhile.
final class Connection: Sendable {
    private let queue: DatabaseQueue
    private let turn = DispatchSemaphore(value: 1)
    /// Used by whoever has entered.
    private let transaction = Mutex(Transaction())

    private struct Transaction {
        var isOpen = false
        /// The rows that were written in it and go on waiting until it is committed, each with the number of its change.
        var written: [InodeNumber: UInt64] = [:]
    }

    init(_ queue: DatabaseQueue) { self.queue = queue }

    func enter() { turn.wait() }

    /// - Returns: false where somebody has entered it.
    func enterIfFree() -> Bool { turn.wait(timeout: .now()) == .success }

    func leave() { turn.signal() }

    // MARK: Only between `enter` and `leave`

    /// - Throws: `CatalogError`, or what `body` throws.
    func run<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.inDatabase(body) } catch let error as DatabaseError { throw CatalogError(error) }
    }

    /// Opens a transaction, if none is open.
    func begin() throws {
        if transaction.withLock(\.isOpen) { return }
        try run { try DirectStatement($0, sql: "BEGIN IMMEDIATE").run() }
        transaction.withLock { $0.isOpen = true }
    }

    /// Writes rows in the open transaction, but for those that are in it already. When it throws, it must be rolled back.
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

    /// Whether a row is in the open transaction as it waits now.
    func hasWritten(_ inode: InodeNumber, _ change: UInt64) -> Bool {
        transaction.withLock { $0.written[inode] == change }
    }

    /// When it throws, nothing of the transaction is left.
    func commit() throws {
        do { try run { try DirectStatement($0, sql: "COMMIT").run() } } catch {
            rollBack()
            throw error
        }
        transaction.withLock { $0 = Transaction() }
    }

    func rollBack() {
        transaction.withLock { $0 = Transaction() }
        // SQLite has rolled back by itself after some failures, as when the disk is full. A rollback that fails leaves
        // nothing either: the next BEGIN says so.
        try? run { db in if db.isInsideTransaction { try db.rollback() } }
    }

    func close() throws { try queue.close() }
}

extension Database {
    /// Writes a row that waited, in the transaction that is open. A row of which an older form is there is replaced, and so is
    /// one that bore its filename or its id: such a row has changed, too, and waits.
    ///
    /// - Parameter isFirst: whether there is no older form. An insertion takes less time than a replacement.
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

    /// - Returns: false where a row that is still to be written bears one of its names.
    private func insert(_ entry: Entry) throws -> Bool {
        var statement = try DirectStatement(self, sql: EntryStatements.insert)
        statement.bind(entry)
        do { try statement.run() } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
        return true
    }
}
