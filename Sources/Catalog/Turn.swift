import Documents
import CrashPoints
import GRDB

/// The state of one read or write of the catalog: its transaction, the changes to undo if it fails, and the events to announce
/// if it succeeds.
///
/// Used only on the thread that runs the body.
final class Turn {
    private let connection: Connection
    private let waiting: WaitingRows
    private let waitingActions: WaitingActions
    private var hasEntered = false
    private var hasEnded = false
    /// Whether this turn has a transaction, which is committed at its end.
    private(set) var hasBegun = false
    /// The rows that waited when the transaction began. They are written in it.
    private var carried: [InodeNumber: WaitingRows.Waiting] = [:]
    private var carriedActions = WaitingActions.Changes()
    /// Whether the rows that waited before this turn are committed.
    private var hasCommittedWaiting = false
    /// The rows that this turn made wait, oldest first, each with what waited of the row before.
    private var replaced: [(InodeNumber, WaitingRows.Waiting?)] = []
    /// The actions to which this turn added waiting steps, oldest first, each with what waited of the action before.
    private var extended: [(Int64, ActionRecord?)] = []
    /// Whether the body changed rows in the transaction, beyond the waiting rows that it writes.
    private var hasWritten = false
    var durability = Protection.commitAtOnce.isOn ? Durability.now : .soon
    /// Run in reverse order if the turn fails, to undo changes to files.
    var undo: [() throws -> Void] = []
    /// Whether one of `undo` failed.
    private(set) var hasFailedToUndo = false
    /// Run in order when the turn has succeeded.
    var afterwards: [() throws -> Void] = []
    /// Events, in the order in which they happened.
    var events: [TreeEvent] = []
    /// The folders whose files the body may have changed.
    private(set) var folders: [InodeNumber] = []

    init(_ connection: Connection, _ waiting: WaitingRows, _ waitingActions: WaitingActions) {
        self.connection = connection
        self.waiting = waiting
        self.waitingActions = waitingActions
    }

    func insertFolder(_ folder: InodeNumber) { if !folders.contains(folder) { folders.append(folder) } }

    /// Reads written rows. The caller must know that no waiting row matters, or look those up itself.
    func readWritten<Value>(_ body: (Database) throws -> Value) throws -> Value {
        enter()
        return try connection.run(body)
    }

    /// Reads any rows: the waiting ones are written first.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        if !waiting.isEmpty { try begin() }
        return try readWritten(body)
    }

    /// Changes rows in the transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try begin()
        hasWritten = true
        return try connection.run(body)
    }

    /// Whether a row that waited is written in the transaction.
    func carries(_ inode: InodeNumber) -> Bool { carried[inode] != nil }

    /// Whether any row that waited is written in the transaction.
    var carriesAny: Bool { !carried.isEmpty }

    /// Thrown by a body whose turn must begin with `commitWaiting`.
    struct MustCommitWaiting: Error {}

    /// Commits the waiting rows before the body runs.
    func commitWaiting() throws {
        hasCommittedWaiting = true
        try begin()
        try connection.commit()
        hasBegun = false
        carried = [:]
        carriedActions = WaitingActions.Changes()
    }

    /// - Throws: `MustCommitWaiting`, once: what waits after `commitWaiting` was changed by this turn itself.
    func requireNoneWaiting() throws { if !hasCommittedWaiting { throw MustCommitWaiting() } }

    /// Whether the body changed any row.
    var hasChanged: Bool { hasWritten || !replaced.isEmpty }

    /// Makes a row wait, if `durability` allows it.
    ///
    /// - Returns: false if the caller must write it: always when there is a transaction, whose commit then includes the row.
    func postpones(_ row: WaitingRows.Row, for inode: InodeNumber, isNew: Bool) -> Bool {
        guard durability == .soon, !hasBegun else { return false }
        replaced.append((inode, waiting.set(row, for: inode, isNew: isNew)))
        return true
    }

    /// Makes a step wait, if rows may.
    ///
    /// - Returns: false if the caller must write it.
    func postpones(_ step: ActionStep, of action: ActionRecord) -> Bool {
        guard durability == .soon, !hasBegun else { return false }
        extended.append((action.id, waitingActions.append(step, of: action)))
        return true
    }

    /// Whether this turn left rows waiting.
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
        carried = waiting.removeAll()
        carriedActions = waitingActions.removeAll()
        try connection.write(carried)
        try connection.write(carriedActions)
    }

    /// Commits and ends the turn.
    ///
    /// - Throws: the error of the commit; then call `fail`.
    func succeed() throws {
        if hasBegun { try connection.commit() }
        hasEnded = true
        leave()
    }

    /// Undoes everything and ends the turn. Does nothing if it has ended.
    ///
    /// - Returns: whether it undid changes, so that caches may hold wrong rows.
    func fail() -> Bool {
        if hasEnded { return false }
        if hasBegun { connection.rollBack() }
        for undo in undo.reversed() {
            do { try undo() } catch { hasFailedToUndo = true }
        }
        waiting.putBack(carried)
        for (inode, before) in replaced.reversed() { waiting.restore(before, for: inode) }
        waitingActions.putBack(carriedActions)
        for (action, before) in extended.reversed() { waitingActions.removeLast(of: action, before) }
        leave()
        return true
    }

    private func leave() {
        if hasEntered { connection.leave() }
        hasEntered = false
    }
}
