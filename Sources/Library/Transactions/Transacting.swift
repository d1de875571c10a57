import Backing
import Catalog
import Documents
import Logging

/// A part of the library that reads and changes the tree. It owns its state, and its initializer names all that it may reach: other parts,
/// the store's files, open files, transfers, the cloud, and who is told of changes. None calls back.
protocol Transacting: Sendable {
    var transactions: Transactions { get }
}

extension Transacting {
    var surroundings: Surroundings { transactions.surroundings }
    var logger: Logger { transactions.logger }

    func inspect<Value>(_ body: (Rows) throws -> Value) throws(Refusal) -> Value {
        try transactions.inspect(body)
    }

    func mutate<Value>(
        makingNew isNew: Bool = false, concerning concerned: ConcernedEntries = .all,
        _ body: (Transaction) throws -> Value
    ) throws(Refusal) -> Value {
        try transactions.mutate(makingNew: isNew, concerning: concerned, body)
    }

    /// The key of an entry that stands where it stood, and is another one from now on. What it was has the former key, here or in the container, where
    /// another device's edit may bring it back.
    func positionBeside(_ former: Entry) -> OrderKey { positionBeside(former.position) }

    private func positionBeside(_ former: OrderKey) -> OrderKey {
        var random = surroundings.random()
        return .between(former, former, using: &random)
    }

    /// The key of an entry that keeps its place in the order although its folder is another one. Where an edit on another device has brought back what
    /// it was, that one has the place, and this one stands beside it.
    func position(_ former: OrderKey, of inode: InodeNumber, in folder: InodeNumber, _ rows: Rows) throws -> OrderKey {
        guard try rows.isPositionTaken(former, in: folder, besides: inode) else { return former }
        return positionBeside(former)
    }

    /// The key of an entry that is added to a folder: it stands last.
    func nextPosition(in folder: InodeNumber, _ rows: Rows) throws -> OrderKey {
        var random = surroundings.random()
        return .after(try rows.lastPosition(in: folder), using: &random)
    }
}
