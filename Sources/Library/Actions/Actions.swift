import Backing
import Catalog
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

/// Records what is done in the tree, so that it can be undone (`Undoing`). A step is committed with its change.
///
/// Scratch files take part in no action, and neither does a save, whatever system calls it is made of.
final class Actions: Transacting {
    let transactions: Transactions
    let backing: BackingStore

    /// A step that was recorded.
    struct StepReference: Sendable {
        let action: Int64
        let number: Int
    }

    /// An action that more changes may join.
    struct Open {
        var record: ActionRecord
        var steps = 0
        var roots = ActionRoots<InodeNumber>()
        /// The entry that was given another name or place last.
        var placed: EntryID?
        /// The step of each document among whose versions the action chose.
        var choices: [EntryID: Int] = [:]
    }

    /// Used with the tree locked only.
    struct State {
        var open: [ActionGrouping: Open] = [:]
        /// Of entries that were made a moment ago, or brought back.
        var made: [EntryID: (step: StepReference, grouping: ActionGrouping, time: Timestamp, isNew: Bool)] = [:]
        /// Nil until the first change.
        var lastID: Int64?
        var hasRedo = false
        /// Whether the next move to the preferred location makes an action of its own.
        var endsPreference = false
        /// Of each process that removed something a moment ago.
        var emptied: [Int32: (folders: EmptiedFolders, last: Timestamp)] = [:]
    }

    let state = Mutex(State())
    /// More are not remembered, and the older ones are forgotten: no program makes so many temporary files at once.
    static let mostMade = 4096

    init(_ transactions: Transactions, backing: BackingStore) {
        self.transactions = transactions
        self.backing = backing
    }

    // MARK: Recording

    func record(
        _ kind: ActionKind, to destination: String? = nil, by process: Int32, _ transaction: Transaction,
        _ step: (inout Open) -> ActionStep
    ) throws -> StepReference {
        let now = surroundings.now()
        let grouping =
            kind == .prefer
            ? Self.preference : ActionGrouping(process: process, kind: kind, destination: destination)
        var open = try openAction(grouping, to: destination, at: now, transaction)
        let added = step(&open)
        open.steps += 1
        open.record.time = now
        if kind == .delete || kind == .create { open.record.name.whole = open.roots.whole }
        // The part of the action that is stored already stays; later changes make another action.
        forget(grouping, ifFailed: transaction)
        try transaction.append(added, of: open.record)
        state.withLock { $0.open[grouping] = open }
        return StepReference(action: added.action, number: added.number)
    }

    /// If the transaction fails, later changes make another action than this one, of which memory knows more than the rows.
    func forget(_ grouping: ActionGrouping, ifFailed transaction: Transaction) {
        transaction.ifFailed { [self] in state.withLock { $0.open[grouping] = nil } }
    }

    /// The action that a change joins. It is taken out of the table, so that it is changed in place.
    private func openAction(
        _ grouping: ActionGrouping, to destination: String?, at now: Timestamp, _ transaction: Transaction
    ) throws -> Open {
        let known = state.withLock { state -> Open? in
            guard let open = state.open.removeValue(forKey: grouping), grouping.process != 0,
                grouping == Self.preference || ActionGrouping.joins(now, last: open.record.time)
            else { return nil }
            return open
        }
        if let known { return known }
        if let before = takeOver(for: grouping, to: destination, at: now) { return before }
        if grouping == Self.preference, let open = try openPreference(transaction) { return open }
        return try newAction(grouping, to: destination, at: now, transaction)
    }

    /// The action that the same command began with changes of another kind. It is named after those that follow.
    private func takeOver(for grouping: ActionGrouping, to destination: String?, at now: Timestamp) -> Open? {
        if grouping.process <= 0 { return nil }
        return state.withLock { state -> Open? in
            for earlier in grouping.takesOver {
                guard var open = state.open[earlier], ActionGrouping.joins(now, last: open.record.time),
                    open.record.id == state.lastID
                else { continue }
                state.open[earlier] = nil
                open.record.name = ActionName(grouping.kind, to: destination)
                open.roots = ActionRoots()
                return open
            }
            return nil
        }
    }

    func newAction(
        _ grouping: ActionGrouping, to destination: String?, at now: Timestamp, _ transaction: Transaction
    ) throws -> Open {
        let (last, hasRedo) = try knowLists(transaction)
        if hasRedo { try clearRedo(transaction) }
        return state.withLock { state in
            state.open = state.open.filter { ActionGrouping.joins(now, last: $0.value.record.time) }
            state.hasRedo = false
            state.lastID = last + 1
            if grouping == Self.preference { state.endsPreference = false }
            return Open(
                record: ActionRecord(id: last + 1, time: now, name: ActionName(grouping.kind, to: destination)))
        }
    }

    /// Reads what the first change must know. Within that change it would cost a commit.
    func readLists(_ rows: Rows) throws {
        let (last, hasRedo) = try knowLists(rows)
        state.withLock { ($0.lastID, $0.hasRedo) = (last, hasRedo) }
    }

    func knowLists(_ rows: Rows) throws -> (last: Int64, hasRedo: Bool) {
        if let known = state.withLock({ state in state.lastID.map { ($0, state.hasRedo) } }) { return known }
        return (try rows.lastAction(), try rows.actionCount(.redo) > 0)
    }

    func process(of caller: Caller) -> Int32 { surroundings.processes.ofThread(caller.thread) ?? 0 }

    // MARK: Lists

    /// No further change joins any action.
    func endGrouping(hasRedo: Bool) {
        state.withLock { state in
            state.open = [:]
            state.hasRedo = hasRedo
        }
    }

    /// A new action clears the actions that were undone. A document that was made, worked on, and removed by undo is not lost: its removal
    /// becomes an action that can be undone.
    private func clearRedo(_ transaction: Transaction) throws {
        for action in try transaction.actions(.redo) {
            let steps = try transaction.steps(of: action.id)
            let removed = steps.filter(\.undoesCreation)
            let keepsRemoved = action.name.kind.creates && removed.contains(where: \.holdsWork)
            let others = keepsRemoved ? steps.filter { !$0.undoesCreation } : steps
            removeFromTrash(others.filter(\.isInTrash).map(\.entry.inode), after: transaction)
            if keepsRemoved {
                var name = ActionName(.delete)
                for step in removed { name.add(step.entry.subject) }
                for step in others { try transaction.delete(step) }
                try transaction.store(ActionRecord(id: action.id, time: action.time, name: name))
                continue
            }
            try transaction.deleteAction(action.id)
        }
    }

    func removeFromTrash(_ inodes: [InodeNumber], after transaction: Transaction) {
        if inodes.isEmpty { return }
        transaction.whenDone { [backing, logger] in
            for inode in inodes {
                do throws(Errno) { try backing.removeFromTrash(inode) } catch {
                    logger.warning("a file could not be removed from the trash", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    // MARK: Places

    /// The id of a folder, by which it is known when it has another inode number; nil for `local`.
    func folderID(_ inode: InodeNumber, _ rows: Rows) throws -> EntryID? {
        inode == .local ? nil : try rows.entry(inode)?.id
    }

    func place(of entry: Entry, _ rows: Rows) throws -> ActionStep.Place {
        ActionStep.Place(
            folder: try folderID(entry.parent, rows), filename: entry.filename,
            fullName: entry.naming == .given ? entry.name?.full : nil)
    }
}

extension Entry {
    /// How the name of an action mentions it.
    var subject: ActionSubject { ActionSubject(kind: kind, name: name?.displayName ?? filename) }

    /// As `subject`, with the extension.
    var fullSubject: ActionSubject { ActionSubject(kind: kind, name: name?.full ?? filename) }
}

extension ActionStep {
    /// Whether it says, in an action that made entries and was undone, what became of one of these.
    fileprivate var undoesCreation: Bool { change == .removed }

    /// Whether something was written to its document. Where no file of it was here, the cloud keeps that.
    fileprivate var holdsWork: Bool { entry.size > 0 && (isInTrash || entry.currentVersion != nil) }

    /// Whether the name of its action counts it. A choice that belongs to a removal is not mentioned, nor is a copy that belongs to a choice.
    func isNamed(in name: ActionName) -> Bool {
        switch change {
        case .chosen: name.kind == .choose
        case .present, .removed: name.kind != .choose
        case .placed, .preferred, .restored: true
        }
    }
}
