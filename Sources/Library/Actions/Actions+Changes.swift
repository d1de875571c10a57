import Backing
import Catalog
import Documents
import Glibc
import Replica
import Replication
import Synchronization
import SystemPackage

/// The changes that make steps.
extension Actions {
    /// - Parameter entry: as it was. Its file is in the trash, or comes there after the commit.
    /// - Returns: nil for an entry that takes part in no action.
    @discardableResult
    func recordRemoval(
        of entry: Entry, by caller: Caller, _ transaction: Transaction
    ) throws -> StepReference? {
        guard entry.id != nil, entry.kind != .scratch else { return nil }
        var entry = entry
        if entry.kind == .folder, let time = formerTime(of: entry.inode, by: caller) { entry.modified = time }
        let folder = try folderID(entry.parent, transaction)
        // A folder goes when all that was in it has moved to one of its name.
        let kind = caller == .preferredMove ? ActionKind.prefer : .delete
        return try record(kind, by: process(of: caller), transaction) { open in
            open.record.name.add(entry.subject)
            open.roots.addRemoved(entry.subject, entry.inode, in: entry.parent)
            return ActionStep(
                action: open.record.id, number: open.steps, change: .removed, entry: entry, folder: folder)
        }
    }

    /// An entry of a folder is about to be removed.
    func willRemove(from folder: InodeNumber, by caller: Caller, _ rows: Rows) throws {
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
            try folders.willRemove(from: folder) { try modificationTime(ofFolder: folder, rows) }
            state.emptied[process] = (folders, now)
        }
    }

    /// The time of the store's folder.
    func modificationTime(ofFolder folder: InodeNumber, _ rows: Rows) throws -> Timestamp {
        Timestamp(try backing.folder(folder, rows).descriptor.status().st_mtim)
    }

    func formerTime(of folder: InodeNumber, by caller: Caller) -> Timestamp? {
        let (process, now) = (process(of: caller), surroundings.now())
        return state.withLock { state in
            guard let known = state.emptied[process], ActionGrouping.joins(now, last: known.last) else { return nil }
            return state.emptied[process]?.folders.remove(folder)
        }
    }

    /// - Parameter isNew: false for one that comes back: another name is an action of its own then.
    func recordCreation(of entry: Entry, by caller: Caller, isNew: Bool = true, _ transaction: Transaction) throws {
        guard let id = entry.id, entry.kind != .scratch else { return }
        let step = try record(.create, by: process(of: caller), transaction) { open in
            open.record.name.add(entry.subject)
            open.roots.addMade(entry.subject, entry.inode, in: entry.parent)
            return ActionStep(
                action: open.record.id, number: open.steps, change: .present, entry: entry, folder: nil)
        }
        let now = surroundings.now()
        let grouping = ActionGrouping(process: process(of: caller), kind: .create, destination: nil)
        state.withLock { state in
            if state.made.count >= Self.mostMade { state.made = [:] }
            state.made[id] = (step, grouping, now, isNew)
        }
    }

    /// Records that entries came back together, as one action.
    func recordCreation(of entries: [Entry], _ transaction: Transaction) throws {
        for entry in entries where entry.id != nil && entry.kind != .scratch {
            _ = try record(.create, by: Self.nobody, transaction) { open in
                open.record.name.add(entry.subject)
                open.roots.addMade(entry.subject, entry.inode, in: entry.parent)
                return ActionStep(
                    action: open.record.id, number: open.steps, change: .present, entry: entry, folder: nil)
            }
        }
        endAction(of: .create)
    }

    /// Records another name or place.
    ///
    /// - Parameter source: the entry as it was.
    func recordPlacement(
        of entry: Entry, from source: Entry, by caller: Caller, _ transaction: Transaction
    ) throws -> StepReference? {
        guard let id = entry.id, source.id == id, entry.kind != .scratch else { return nil }
        // A program names its new file at last: that is a part of making it.
        if try nameNew(entry, by: caller, transaction) { return nil }
        let folder = try folderID(source.parent, transaction)
        let outcome = try place(of: entry, transaction)
        var (kind, destination) = try Self.kind(of: entry, from: source, transaction)
        if caller == .preferredMove { (kind, destination) = (.prefer, entry.location?.rawValue) }
        // Only the extension changes.
        let isSameTitle = kind == .rename && entry.subject == source.subject
        return try record(kind, to: destination, by: process(of: caller), transaction) { open in
            open.placed = id
            open.record.name.add(isSameTitle ? source.fullSubject : source.subject)
            return ActionStep(
                action: open.record.id, number: open.steps, change: .placed, entry: source, folder: folder,
                outcome: outcome)
        }
    }

    /// Records another preferred location. The moves that follow from it join this action (`Caller.preferredMove`).
    func recordPreference(for location: Location, _ transaction: Transaction) throws {
        endPreference()
        var open = try newAction(Self.preference, to: location.rawValue, at: surroundings.now(), transaction)
        let step = ActionStep(preferredBefore: location.other, action: open.record.id, number: 0)
        open.steps = 1
        forget(Self.preference, ifFailed: transaction)
        try transaction.append(step, of: open.record)
        state.withLock { $0.open[Self.preference] = open }
    }

    /// The next move to the preferred location makes an action of its own.
    func endPreference() { state.withLock { ($0.open[Self.preference], $0.endsPreference) = (nil, true) } }

    /// No process has this number.
    static let preference = ActionGrouping(process: -2, kind: .prefer, destination: nil)

    /// The change of the preferred location to which a move in the background belongs, after a mount or a longer pause.
    func openPreference(_ rows: Rows) throws -> Open? {
        if state.withLock(\.endsPreference) { return nil }
        guard let record = try rows.lastAction(of: .prefer), !record.isUndone else { return nil }
        let last = try rows.steps(of: record.id).last?.number ?? -1
        return Open(record: record, steps: last + 1)
    }

    /// Records other places in the order of a folder, as one action.
    func recordReordering(
        _ moved: [(source: Entry, entry: Entry)], by caller: Caller, _ transaction: Transaction
    ) throws {
        // `docfs reorder` into another folder is a move there, which is undone as a whole.
        if moved.count == 1, let id = moved[0].entry.id, hasJustMoved(id, caller) { return }
        for (source, entry) in moved where entry.id != nil && entry.kind != .scratch {
            let folder = try folderID(source.parent, transaction)
            let outcome = try place(of: entry, transaction)
            _ = try record(.reorder, by: Self.nobody, transaction) { open in
                open.record.name.add(source.subject)
                return ActionStep(
                    action: open.record.id, number: open.steps, change: .placed, entry: source, folder: folder,
                    outcome: outcome)
            }
        }
        endAction(of: .reorder)
    }

    private func hasJustMoved(_ id: EntryID, _ caller: Caller) -> Bool {
        let (process, now) = (process(of: caller), surroundings.now())
        let moves: Set<ActionKind> = [.move, .moveToCloud, .moveOutOfCloud]
        return process > 0
            && state.withLock { state in
                state.open.contains { grouping, open in
                    grouping.process == process && moves.contains(grouping.kind) && open.placed == id
                        && open.record.id == state.lastID && ActionGrouping.joins(now, last: open.record.time)
                }
            }
    }

    /// No process has this number.
    private static let nobody: Int32 = -1

    /// Nothing joins the action of `nobody` any more.
    private func endAction(of kind: ActionKind) {
        let grouping = ActionGrouping(process: Self.nobody, kind: kind, destination: nil)
        state.withLock { $0.open[grouping] = nil }
    }

    /// Records a choice among the versions of a document. The choices that one command makes among them are one step.
    ///
    /// - Parameters:
    ///   - entry: as it was before.
    ///   - edit: there was an edit that was not sent, whose file is in the trash now; this is what the document holds without it.
    func recordChoice(
        _ choice: ActionStep.VersionChoice, of entry: Entry, insteadOf edit: Fingerprint?, by caller: Caller,
        _ transaction: Transaction
    ) throws {
        guard let id = entry.id, edit != nil || !ActionStep.VersionChoice.areSame(choice.before, choice.after) else {
            return
        }
        var grouping = ActionGrouping(process: process(of: caller), kind: .choose, destination: nil)
        // `rm -r` discards the versions of one document after it has removed another one.
        let removal = ActionGrouping(process: grouping.process, kind: .delete, destination: nil)
        if isOpen(removal) { grouping = removal }
        if try edit == nil && join(choice, of: id, to: grouping, transaction) { return }
        let folder = try folderID(entry.parent, transaction)
        let step = try record(grouping.kind, by: grouping.process, transaction) { open in
            if grouping.kind == .choose { open.record.name.add(entry.subject) }
            // First the edit was given up.
            if edit != nil { open.steps += 1 }
            return ActionStep(
                action: open.record.id, number: open.steps, change: .chosen(choice), entry: entry, folder: folder)
        }
        state.withLock { $0.open[grouping]?.choices[id] = step.number }
        guard let edit, let action = state.withLock({ $0.open[grouping]?.record }) else { return }
        try transaction.append(
            ActionStep(
                action: step.action, number: step.number - 1, change: .restored(edit), entry: entry, folder: folder),
            of: action)
    }

    /// Records that a version was restored.
    ///
    /// - Parameters:
    ///   - entry: as it was before. Its file is in the trash.
    ///   - content: what the document has now.
    func recordRestoration(
        of entry: Entry, to content: Fingerprint, by caller: Caller, _ transaction: Transaction
    ) throws {
        let folder = try folderID(entry.parent, transaction)
        _ = try record(.restore, by: process(of: caller), transaction) { open in
            open.record.name.add(entry.subject)
            return ActionStep(
                action: open.record.id, number: open.steps, change: .restored(content), entry: entry, folder: folder)
        }
    }

    /// A document is about to be removed. `rm -r` has discarded its conflict versions before, one by one: now that turns out to be a part of the
    /// removal. The document is removed in conflict, as by `rm F`, and comes back in conflict. A choice that was sent, or may be on its way,
    /// stays a step of its own; so does one of a version that was edited since: the removal sees that version instead of the newest one, which
    /// would be the document again.
    func joinChoice(toRemovalOf entry: Entry, by caller: Caller, _ transaction: Transaction) throws {
        guard let id = entry.id, entry.isReplicated, try transaction.pendingResolution(of: id) != nil,
            try !transaction.hasOutbox(),
            let leaves = try CatalogReplica(transaction).entry(id)?.versions?.leaves.map(\.id),
            !entry.pending.contains(.content) || entry.contentVersion == leaves.first
        else { return }
        for kind in [ActionKind.choose, .delete] {
            let grouping = ActionGrouping(process: process(of: caller), kind: kind, destination: nil)
            guard isOpen(grouping), let open = state.withLock({ $0.open[grouping] }), let number = open.choices[id],
                let step = try transaction.step(number, of: open.record.id), case .chosen(let choice) = step.change,
                ActionStep.VersionChoice.areSame(choice.before, leaves)
            else { continue }
            try transaction.setResolution(nil, of: id)
            state.withLock { $0.open[grouping]?.choices[id] = nil }
            try drop(step, transaction)
        }
    }

    private func isOpen(_ grouping: ActionGrouping) -> Bool {
        let now = surroundings.now()
        return grouping.process > 0
            && state.withLock { $0.open[grouping].map { ActionGrouping.joins(now, last: $0.record.time) } ?? false }
    }

    /// - Returns: whether the action that is open has a step about the document, which leads to the new leaves now.
    private func join(
        _ choice: ActionStep.VersionChoice, of id: EntryID, to grouping: ActionGrouping, _ transaction: Transaction
    ) throws -> Bool {
        let now = surroundings.now()
        guard grouping.process != 0, let open = state.withLock({ $0.open[grouping] }),
            ActionGrouping.joins(now, last: open.record.time), let number = open.choices[id],
            let known = try transaction.step(number, of: open.record.id), case .chosen(let earlier) = known.change
        else { return false }
        var joined = known
        joined.change = .chosen(.init(before: earlier.before, after: choice.after))
        try transaction.replace(known, by: joined)
        var record = open.record
        record.time = now
        try transaction.store(record)
        forget(grouping, ifFailed: transaction)
        state.withLock { $0.open[grouping]?.record.time = now }
        return true
    }

    static func kind(
        of entry: Entry, from source: Entry, _ rows: Rows
    ) throws -> (ActionKind, to: String?) {
        if entry.location != source.location {
            return (entry.location == .cloud ? .moveToCloud : .moveOutOfCloud, nil)
        }
        if entry.parent != source.parent { return (.move, try rows.entry(entry.parent)?.filename) }
        let isSameTitle = entry.subject == source.subject
        return (.rename, isSameTitle ? entry.fullSubject.name : entry.subject.name)
    }

    /// - Returns: whether the entry was made a moment ago, by the process that renames it now.
    func nameNew(_ entry: Entry, by caller: Caller, _ transaction: Transaction) throws -> Bool {
        guard let id = entry.id, let made = state.withLock({ $0.made[id] }), made.isNew,
            made.grouping.process == process(of: caller), made.grouping.process != 0,
            SavingInterval.contains(surroundings.now(), from: made.time)
        else { return false }
        let open = state.withLock { $0.open[made.grouping]?.record }
        let known = open?.id == made.step.action ? open : try transaction.action(made.step.action)
        guard var record = known, !record.isUndone else { return false }
        guard record.name.count == 1 else { return true }
        record.name.rename(entry.subject)
        try transaction.store(record)
        state.withLock { $0.open[made.grouping]?.record.name = record.name }
        return true
    }
}
