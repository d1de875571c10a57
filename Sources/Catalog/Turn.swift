import GRDB

/// One read or write: its transaction, the changes that must be undone if it fails, and the events that are announced if it
/// succeeds.
///
/// Used by the body's thread only.
final class Turn {
    private let connection: Connection
    private let waiting: WaitingRows
    private var hasEntered = false
    private var hasEnded = false
    /// Whether a transaction is open, which is committed in the end.
    private(set) var hasBegun = false
    /// The rows that waited when it was opened, and are written in it.
    private var carried: [InodeNumber: WaitingRows.Waiting] = [:]
    /// The waiting rows that this turn has replaced, in the order in which it did.
    private var replaced: [(InodeNumber, WaitingRows.Waiting?)] = []
    /// Whether rows were changed in the transaction, and not only those written that waited.
    private var hasWritten = false
    var durability = Durability.now
    /// Undoes effects on files if the turn fails; run in reverse order.
    var undo: [() -> Void] = []
    /// Events, in the order in which they happened.
    var events: [TreeEvent] = []
    /// The folders whose files it may have changed.
    private(set) var folders: [InodeNumber] = []

    init(_ connection: Connection, _ waiting: WaitingRows) {
        self.connection = connection
        self.waiting = waiting
    }

    func noteFolder(_ folder: InodeNumber) { if !folders.contains(folder) { folders.append(folder) } }

    /// Reads rows of which the caller knows that they do not wait, or asks for those that do besides.
    func readWritten<Value>(_ body: (Database) throws -> Value) throws -> Value {
        enter()
        return try connection.run(body)
    }

    /// Reads any rows: those that wait are written first.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        if !waiting.isEmpty { try begin() }
        return try readWritten(body)
    }

    /// Changes rows in the turn's transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try begin()
        hasWritten = true
        return try connection.run(body)
    }

    /// Whether a row that waited is in the turn's transaction.
    func carries(_ inode: InodeNumber) -> Bool { carried[inode] != nil }

    /// Commits the rows that wait, and goes on.
    func commitWaiting() throws {
        try begin()
        try connection.commit()
        hasBegun = false
        carried = [:]
    }

    /// Whether rows differ from what they were before it.
    var hasChanged: Bool { hasWritten || !replaced.isEmpty }

    /// Lets a row wait if this turn may: not when it has a transaction, which takes it along.
    func postpones(_ row: WaitingRows.Row, for inode: InodeNumber, isNew: Bool) -> Bool {
        guard durability == .soon, !hasBegun else { return false }
        replaced.append((inode, waiting.set(row, for: inode, isNew: isNew)))
        return true
    }

    /// Whether rows wait because of this turn.
    var hasPostponed: Bool { !replaced.isEmpty && !hasBegun }

    private func enter() {
        if hasEntered { return }
        connection.enter()
        hasEntered = true
    }

    private func begin() throws {
        if hasBegun { return }
        enter()
        try connection.begin()
        hasBegun = true
        carried = waiting.take()
        try connection.write(carried)
    }

    /// Ends it: what it did is done.
    ///
    /// - Throws: what COMMIT throws; `fail` must follow.
    func succeed() throws {
        if hasBegun { try connection.commit() }
        hasEnded = true
        leave()
    }

    /// Ends it, unless it has ended: it did nothing.
    ///
    /// - Returns: whether rows are other ones than the body may have seen.
    func fail() -> Bool {
        if hasEnded { return false }
        if hasBegun { connection.rollBack() }
        undo.reversed().forEach { $0() }
        waiting.putBack(carried)
        for (inode, before) in replaced.reversed() { waiting.restore(before, for: inode) }
        leave()
        return true
    }

    private func leave() {
        if hasEntered { connection.leave() }
        hasEntered = false
    }
}
