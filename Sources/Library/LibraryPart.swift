import Backing
import Catalog
import Documents
import Logging
import SystemPackage

/// A part of the library. It owns its state, its initializer names the other parts that it calls, and it reads and changes the tree
/// through `Transactions`.
protocol LibraryPart: Sendable {
    var transactions: Transactions { get }
}

extension LibraryPart {
    var store: DocumentStore { transactions.store }
    var catalog: Catalog { transactions.store.catalog }
    var backing: BackingStore { transactions.store.files }
    var surroundings: Surroundings { transactions.store.surroundings }
    var logger: Logger { transactions.store.logger }
    var cloud: any ContentSource { transactions.cloud }
    var transfers: Transfers { transactions.transfers }
    var openFiles: OpenFiles { transactions.openFiles }
    var unseenWrites: UnseenWrites { transactions.unseenWrites }
    var observer: (any LibraryObserver)? { transactions.notices.observer }

    func inspect<Value>(_ body: (Rows) throws -> Value) throws(Refusal) -> Value {
        try transactions.inspect(body)
    }

    func mutate<Value>(
        makingNew isNew: Bool = false, concerning concerned: ConcernedEntries = .all,
        _ body: (Transaction) throws -> Value
    ) throws(Refusal) -> Value {
        try transactions.mutate(makingNew: isNew, concerning: concerned, body)
    }

    /// The key of an entry that is added to a folder: it stands last.
    func nextPosition(in folder: InodeNumber, _ rows: Rows) throws -> OrderKey {
        var random = surroundings.random()
        return .after(try rows.lastPosition(in: folder), using: &random)
    }

    func stateChanged() { transactions.notices.stateChanged() }
}
