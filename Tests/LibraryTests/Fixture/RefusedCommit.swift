@testable import Catalog
import GRDB
import Synchronization

/// Has one commit of a catalog fail, as a disk that returns an error does. Everything before it was done.
final class RefusedCommit: TransactionObserver {
    struct Refused: Error {}

    /// How many commits still succeed before it.
    private var remaining: Int?

    private init(after count: Int) { remaining = count }

    /// - Parameter count: how many commits succeed before it.
    /// - Returns: whether a commit was refused while `body` ran.
    static func refusing(after count: Int, in catalog: Catalog, while body: () throws -> Void) throws -> Bool {
        let refusal = RefusedCommit(after: count)
        func inDatabase(_ change: (Database) -> Void) throws {
            catalog.connection.enter()
            defer { catalog.connection.leave() }
            try catalog.connection.run(change)
        }
        try inDatabase { $0.add(transactionObserver: refusal) }
        let outcome = Result { try body() }
        try inDatabase { $0.remove(transactionObserver: refusal) }
        if refusal.remaining != nil { try outcome.get() }
        return refusal.remaining == nil
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        guard let count = remaining else { return }
        remaining = count == 0 ? nil : count - 1
        if count == 0 { throw Refused() }
    }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}
