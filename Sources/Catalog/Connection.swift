import Dispatch
import GRDB

/// The one SQLite connection of a catalog.
///
/// Whoever has entered it has it alone until they leave: a read or write for the rest of its body, the writer of waiting
/// rows for one batch. It is not the lock of the tree: a body that needs no SQL runs while a batch is written.
final class Connection: Sendable {
    private let queue: DatabaseQueue
    private let turn = DispatchSemaphore(value: 1)

    init(_ queue: DatabaseQueue) { self.queue = queue }

    func enter() { turn.wait() }

    func leave() { turn.signal() }

    /// Only between `enter` and `leave`.
    ///
    /// - Throws: `CatalogError`, or what `body` throws.
    func run<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.inDatabase(body) } catch let error as DatabaseError { throw CatalogError(error) }
    }

    func begin() throws { try run { try DirectStatement($0, sql: "BEGIN IMMEDIATE").run() } }

    /// When it throws, nothing of the transaction is left.
    func commit() throws {
        do { try run { try DirectStatement($0, sql: "COMMIT").run() } } catch {
            rollBack()
            throw error
        }
    }

    func rollBack() {
        // SQLite has rolled back by itself after some failures, as when the disk is full. A rollback that fails leaves
        // nothing either: the next BEGIN says so.
        try? run { db in if db.isInsideTransaction { try db.rollback() } }
    }

    func close() throws { try queue.close() }
}
