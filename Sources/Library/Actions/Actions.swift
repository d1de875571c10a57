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
final class Actions: LibraryPart {
    let transactions: Transactions

    /// A step that was recorded.
    struct StepReference: Sendable {
        let action: Int64
        let number: Int
    }

    /// An action that more changes may join.
    private struct Open {
        var record: ActionRecord
        var steps = 0
        var roots = ActionRoots<InodeNumber>()
    }

    /// Used with the tree locked only.
    private struct State {
        var open: [ActionGrouping: Open] = [:]
        /// Of entries that were made a moment ago.
        var made: [EntryID: (step: StepReference, grouping: ActionGrouping, time: Timestamp)] = [:]
        /// Nil until the first change.
        var lastID: Int64?
        var hasRedo = false
        /// Whether the next move to the preferred location makes an action of its own.
        var endsPreference = false
        /// Of each process that removed something a moment ago.
        var emptied: [Int32: (folders: EmptiedFolders, last: Timestamp)] = [:]
    }

    private let state = Mutex(State())
    /// More are not remembered, and the older ones are forgotten: no program makes so many temporary files at once.
    private static let mostMade = 4096

    init(_ transactions: Transactions) { self.transactions = transactions }

    // MARK: Changes

    /// - Parameter entry: as it was. Its file is in the trash, or comes there after the commit.
    /// - Returns: nil for an entry that takes part in no action.
    @discardableResult
    func recordRemoval(
        of entry: Entry, by caller: Caller, _ catalog: CatalogTransaction
    ) throws -> StepReference? {
        guard entry.id != nil, entry.kind != .scratch else { return nil }
        var entry = entry
        if entry.kind == .folder, let time = formerTime(of: entry.inode, by: caller) { entry.modified = time }
        let folder = try folderID(entry.parent, catalog)
        return try record(.delete, by: process(of: caller), catalog) { open in
            open.record.name.add(entry.subject)
            open.roots.addRemoved(entry.subject, entry.inode, in: entry.parent)
            return ActionStep(
                action: open.record.id, number: open.steps, change: .removed, entry: entry, folder: folder)
        }
    }

    /// An entry of a folder is about to be removed.
    func willRemove(from folder: InodeNumber, by caller: Caller, _ catalog: CatalogTransaction) throws {
        let process = process(of: caller)
        if folder <= .cloud || process == 0 { return }
        let now = surroundings.now()
        try state.withLock { state in
            // Taken out of the table, so that it is changed in place.
            var folders = EmptiedFolders()
            if let known = state.emptied.removeValue(forKey: process) {
                if ActionGrouping.joins(now, last: known.last) { folders = known.folders }
            } else {
                state.emptied = state.emptied.filter { ActionGrouping.joins(now, last: $0.value.last) }
            }
            try folders.willRemove(from: folder) { try modificationTime(ofFolder: folder, catalog) }
            state.emptied[process] = (folders, now)
        }
    }

    /// The time of the store's folder.
    func modificationTime(ofFolder folder: InodeNumber, _ catalog: CatalogTransaction) throws -> Timestamp {
        Timestamp(try backing.folder(folder, catalog).descriptor.status().st_mtim)
    }

    private func formerTime(of folder: InodeNumber, by caller: Caller) -> Timestamp? {
        let (process, now) = (process(of: caller), surroundings.now())
        return state.withLock { state in
            guard let known = state.emptied[process], ActionGrouping.joins(now, last: known.last) else { return nil }
            return state.emptied[process]?.folders.remove(folder)
        }
    }

    func recordCreation(of entry: Entry, by caller: Caller, _ catalog: CatalogTransaction) throws {
        guard let id = entry.id, entry.kind != .scratch else { return }
        let step = try record(.create, by: process(of: caller), catalog) { open in
            open.record.name.add(entry.subject)
            open.roots.addMade(entry.subject, entry.inode, in: entry.parent)
            return ActionStep(
                action: open.record.id, number: open.steps, change: .present, entry: entry, folder: nil)
        }
        let now = surroundings.now()
        let grouping = ActionGrouping(process: process(of: caller), kind: .create, destination: nil)
        state.withLock { state in
            if state.made.count >= Self.mostMade { state.made = [:] }
            state.made[id] = (step, grouping, now)
        }
    }

    /// Records another name or place.
    ///
    /// - Parameter source: the entry as it was.
    func recordPlacement(
        of entry: Entry, from source: Entry, by caller: Caller, _ catalog: CatalogTransaction
    ) throws -> StepReference? {
        guard let id = entry.id, source.id == id, entry.kind != .scratch else { return nil }
        // A program names its new file at last: that is a part of making it.
        if try nameNew(entry, by: caller, catalog) { return nil }
        let folder = try folderID(source.parent, catalog)
        let outcome = try place(of: entry, catalog)
        var (kind, destination) = try Self.kind(of: entry, from: source, catalog)
        if caller == .preferredMove { (kind, destination) = (.prefer, entry.container?.rawValue) }
        // Only the extension changes.
        let isSameTitle = kind == .rename && entry.subject == source.subject
        return try record(kind, to: destination, by: process(of: caller), catalog) { open in
            open.record.name.add(isSameTitle ? source.fullSubject : source.subject)
            return ActionStep(
                action: open.record.id, number: open.steps, change: .placed, entry: source, folder: folder,
                outcome: outcome)
        }
    }

    /// Records another preferred location. The moves that follow from it join this action (`Caller.preferredMove`).
    func recordPreference(for container: Container, _ catalog: CatalogTransaction) throws {
        endPreference()
        var open = try newAction(Self.preference, to: container.rawValue, at: surroundings.now(), catalog)
        let step = ActionStep(preferredBefore: container.other, action: open.record.id, number: 0)
        open.steps = 1
        catalog.ifFailed { [state = self] in state.state.withLock { $0.open[Self.preference] = nil } }
        try catalog.append(step, of: open.record)
        state.withLock { $0.open[Self.preference] = open }
    }

    /// The next move to the preferred location makes an action of its own.
    func endPreference() { state.withLock { ($0.open[Self.preference], $0.endsPreference) = (nil, true) } }

    /// No process has this number.
    private static let preference = ActionGrouping(process: -2, kind: .prefer, destination: nil)

    /// The change of the preferred location to which a move in the background belongs, after a mount or a longer pause.
    private func openPreference(_ catalog: CatalogTransaction) throws -> Open? {
        if state.withLock(\.endsPreference) { return nil }
        guard let record = try catalog.lastAction(of: .prefer), !record.isUndone else { return nil }
        let last = try catalog.steps(of: record.id).last?.number ?? -1
        return Open(record: record, steps: last + 1)
    }

    /// Records other places in the order of a folder, as one action.
    func recordReordering(
        _ moved: [(source: Entry, entry: Entry)], _ catalog: CatalogTransaction
    ) throws {
        // No process has this number: nothing joins the action afterwards.
        let none: Int32 = -1
        for (source, entry) in moved where entry.id != nil && entry.kind != .scratch {
            let folder = try folderID(source.parent, catalog)
            let outcome = try place(of: entry, catalog)
            _ = try record(.reorder, by: none, catalog) { open in
                open.record.name.add(source.subject)
                return ActionStep(
                    action: open.record.id, number: open.steps, change: .placed, entry: source, folder: folder,
                    outcome: outcome)
            }
        }
        let grouping = ActionGrouping(process: none, kind: .reorder, destination: nil)
        state.withLock { $0.open[grouping] = nil }
    }

    private static func kind(
        of entry: Entry, from source: Entry, _ catalog: CatalogTransaction
    ) throws -> (ActionKind, to: String?) {
        if entry.container != source.container {
            return (entry.container == .cloud ? .moveToCloud : .moveOutOfCloud, nil)
        }
        if entry.parent != source.parent { return (.move, try catalog.entry(entry.parent)?.filename) }
        let isSameTitle = entry.subject == source.subject
        return (.rename, isSameTitle ? entry.fullSubject.name : entry.subject.name)
    }

    /// - Returns: whether the entry was made a moment ago, by the process that renames it now.
    private func nameNew(_ entry: Entry, by caller: Caller, _ catalog: CatalogTransaction) throws -> Bool {
        guard let id = entry.id, let made = state.withLock({ $0.made[id] }),
            made.grouping.process == process(of: caller), made.grouping.process != 0,
            SavingInterval.contains(surroundings.now(), from: made.time)
        else { return false }
        let open = state.withLock { $0.open[made.grouping]?.record }
        let known = open?.id == made.step.action ? open : try catalog.action(made.step.action)
        guard var record = known, !record.isUndone else { return false }
        guard record.name.count == 1 else { return true }
        record.name.rename(entry.subject)
        try catalog.store(record)
        state.withLock { $0.open[made.grouping]?.record.name = record.name }
        return true
    }

    private func record(
        _ kind: ActionKind, to destination: String? = nil, by process: Int32, _ catalog: CatalogTransaction,
        _ step: (inout Open) -> ActionStep
    ) throws -> StepReference {
        let now = surroundings.now()
        let grouping =
            kind == .prefer
            ? Self.preference : ActionGrouping(process: process, kind: kind, destination: destination)
        var open = try openAction(grouping, to: destination, at: now, catalog)
        let added = step(&open)
        open.steps += 1
        open.record.time = now
        if kind == .delete || kind == .create { open.record.name.whole = open.roots.whole }
        // The part of the action that is stored already stays; later changes make another action.
        catalog.ifFailed { [state = self] in state.state.withLock { $0.open[grouping] = nil } }
        try catalog.append(added, of: open.record)
        state.withLock { $0.open[grouping] = open }
        return StepReference(action: added.action, number: added.number)
    }

    /// The action that a change joins. It is taken out of the table, so that it is changed in place.
    private func openAction(
        _ grouping: ActionGrouping, to destination: String?, at now: Timestamp, _ catalog: CatalogTransaction
    ) throws -> Open {
        let known = state.withLock { state -> Open? in
            guard let open = state.open.removeValue(forKey: grouping), grouping.process != 0,
                grouping == Self.preference || ActionGrouping.joins(now, last: open.record.time)
            else { return nil }
            return open
        }
        if let known { return known }
        if grouping == Self.preference, let open = try openPreference(catalog) { return open }
        return try newAction(grouping, to: destination, at: now, catalog)
    }

    private func newAction(
        _ grouping: ActionGrouping, to destination: String?, at now: Timestamp, _ catalog: CatalogTransaction
    ) throws -> Open {
        let (last, hasRedo) = try knowLists(catalog)
        if hasRedo { try clearRedo(catalog) }
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
    func readLists(_ catalog: CatalogTransaction) throws {
        let (last, hasRedo) = try knowLists(catalog)
        state.withLock { ($0.lastID, $0.hasRedo) = (last, hasRedo) }
    }

    private func knowLists(_ catalog: CatalogTransaction) throws -> (last: Int64, hasRedo: Bool) {
        if let known = state.withLock({ state in state.lastID.map { ($0, state.hasRedo) } }) { return known }
        return (try catalog.lastAction(), try catalog.actionCount(.redo) > 0)
    }

    private func process(of caller: Caller) -> Int32 { surroundings.processes.ofThread(caller.thread) ?? 0 }

    // MARK: Saves

    /// A removal or a rename turns out to be a part of a save.
    func forget(_ reference: StepReference, _ catalog: CatalogTransaction) throws {
        guard let step = try catalog.step(reference.number, of: reference.action) else { return }
        try drop(step, catalog)
    }

    /// A document that was made a moment ago turns out to be a temporary file: it was renamed over another document.
    func forgetCreation(of entry: Entry, _ catalog: CatalogTransaction) throws {
        guard let id = entry.id, let made = state.withLock({ $0.made.removeValue(forKey: id) }) else { return }
        try forget(made.step, catalog)
    }

    /// Takes a step out of its action, and its file out of the trash.
    func drop(_ step: ActionStep, _ catalog: CatalogTransaction) throws {
        try catalog.delete(step)
        if step.isInTrash { removeFromTrash([step.entry.inode], after: catalog) }
        guard var record = try catalog.action(step.action) else { return }
        let grouping = state.withLock { $0.open.first { $0.value.record.id == step.action }?.key }
        let subject = try step.change == .present ? step.entry.id.flatMap { try catalog.entry($0) }?.subject : nil
        record.name.add(subject ?? step.entry.subject, times: -1)
        let rest = try catalog.steps(of: record.id, limit: 2)
        if rest.isEmpty {
            try catalog.deleteAction(record.id)
            if let grouping { state.withLock { $0.open[grouping] = nil } }
            return
        }
        if record.name.count == 1, let last = rest.first(where: \.isAboutEntry), let id = last.entry.id {
            let known = last.change == .present ? record.name.first : last.entry.subject
            if let subject = try catalog.entry(id)?.subject ?? known { record.name.rename(subject) }
        }
        try catalog.store(record)
        guard let grouping else { return }
        catalog.ifFailed { [self] in state.withLock { $0.open[grouping] = nil } }
        state.withLock { $0.open[grouping]?.record.name = record.name }
    }

    /// Records a removal that was found after an unclean end. It belongs to the last action, if that removed something just then.
    func recordRecovered(_ entry: Entry, at time: Timestamp, _ catalog: CatalogTransaction) throws {
        var record: ActionRecord
        if let last = try catalog.actions(.undo, limit: 1).first, last.name.kind == .delete,
            ActionGrouping.joins(time, last: last.time)
        {
            record = last
        } else {
            record = ActionRecord(
                id: try catalog.lastAction() + 1, time: time, name: ActionName(.delete))
        }
        record.time = max(record.time, time)
        record.name.add(entry.subject)
        record.name.whole = nil
        let number = try catalog.steps(of: record.id).last.map { $0.number + 1 } ?? 0
        let folder = try folderID(entry.parent, catalog)
        try catalog.append(
            ActionStep(action: record.id, number: number, change: .removed, entry: entry, folder: folder), of: record)
    }

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
    private func clearRedo(_ catalog: CatalogTransaction) throws {
        for action in try catalog.actions(.redo) {
            let steps = try catalog.steps(of: action.id)
            if action.name.kind == .create, steps.contains(where: \.holdsWork) {
                var name = ActionName(.delete)
                for step in steps where step.change == .removed { name.add(step.entry.subject) }
                try catalog.store(ActionRecord(id: action.id, time: action.time, name: name))
                continue
            }
            removeFromTrash(steps.filter(\.isInTrash).map(\.entry.inode), after: catalog)
            try catalog.deleteAction(action.id)
        }
    }

    private func removeFromTrash(_ inodes: [InodeNumber], after catalog: CatalogTransaction) {
        if inodes.isEmpty { return }
        catalog.whenDone { [backing, logger] in
            for inode in inodes {
                do throws(Errno) { try backing.removeFromTrash(inode) } catch {
                    logger.warning("a file could not be removed from the trash", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    // MARK: Places

    /// The id of a folder, by which it is known when it has another inode number; nil for `local`.
    func folderID(_ inode: InodeNumber, _ catalog: CatalogTransaction) throws -> EntryID? {
        inode == .local ? nil : try catalog.entry(inode)?.id
    }

    func place(of entry: Entry, _ catalog: CatalogTransaction) throws -> ActionStep.Place {
        ActionStep.Place(
            folder: try folderID(entry.parent, catalog), filename: entry.filename,
            fullName: entry.naming == .given ? entry.name?.full : nil)
    }
}

extension Entry {
    /// How the name of an action mentions it.
    var subject: ActionSubject { ActionSubject(kind: kind, name: name?.displayName ?? filename) }

    /// As `subject`, with the extension.
    fileprivate var fullSubject: ActionSubject { ActionSubject(kind: kind, name: name?.full ?? filename) }
}

extension ActionStep {
    /// Whether its document was changed after it was made.
    fileprivate var holdsWork: Bool {
        isInTrash && !SavingInterval.contains(entry.modified, from: entry.created)
            && entry.modified > entry.created
    }
}
