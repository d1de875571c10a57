import Backing
import Catalog
import Documents
import Synchronization
import SystemPackage

/// Steps that turn out to be a part of a save, and removals that were found after an unclean end.
extension Actions {
    /// A removal or a rename turns out to be a part of a save.
    func forget(_ reference: StepReference, _ transaction: Transaction) throws {
        guard let step = try transaction.step(reference.number, of: reference.action) else { return }
        try drop(step, transaction)
    }

    /// A document that was made a moment ago turns out to be a temporary file: it was renamed over another document.
    func forgetCreation(of entry: Entry, _ transaction: Transaction) throws {
        guard let id = entry.id, let made = state.withLock({ $0.made.removeValue(forKey: id) }) else { return }
        try forget(made.step, transaction)
    }

    /// Takes a step out of its action, and its file out of the trash.
    func drop(_ step: ActionStep, _ transaction: Transaction) throws {
        try transaction.delete(step)
        // The file of one that came back is not there any more, and its number may come back there.
        if step.isInTrash, try backing.trash.exists(BackingStore.trashName(step.entry.inode)) {
            removeFromTrash([step.entry.inode], after: transaction)
        }
        guard var record = try transaction.action(step.action) else { return }
        let grouping = state.withLock { $0.open.first { $0.value.record.id == step.action }?.key }
        let subject = try step.change == .present ? step.entry.id.flatMap { try transaction.entry($0) }?.subject : nil
        if step.isNamed(in: record.name) { record.name.add(subject ?? step.entry.subject, times: -1) }
        let rest = try transaction.steps(of: record.id, limit: 2)
        if rest.isEmpty {
            try transaction.deleteAction(record.id)
            if let grouping { state.withLock { $0.open[grouping] = nil } }
            return
        }
        if record.name.count == 1, let last = rest.first(where: \.isAboutEntry), let id = last.entry.id {
            let known = last.change == .present ? record.name.first : last.entry.subject
            if let subject = try transaction.entry(id)?.subject ?? known { record.name.rename(subject) }
        }
        try transaction.store(record)
        guard let grouping else { return }
        forget(grouping, ifFailed: transaction)
        state.withLock { $0.open[grouping]?.record.name = record.name }
    }

    /// Records a removal that was found after an unclean end. It belongs to the last action, if that removed something just then.
    func recordRecovered(_ entry: Entry, at time: Timestamp, _ transaction: Transaction) throws {
        var record: ActionRecord
        if let last = try transaction.actions(.undo, limit: 1).first, last.name.kind == .delete,
            ActionGrouping.joins(time, last: last.time)
        {
            record = last
        } else {
            record = try newAction(
                ActionGrouping(process: 0, kind: .delete, destination: nil), to: nil, at: time, transaction
            ).record
        }
        // An open action counts its steps in memory. The step that is added here would not be counted, and its number given twice.
        state.withLock { $0.open = [:] }
        record.time = max(record.time, time)
        record.name.add(entry.subject)
        record.name.whole = nil
        let number = try transaction.steps(of: record.id).last.map { $0.number + 1 } ?? 0
        let folder = try folderID(entry.parent, transaction)
        try transaction.append(
            ActionStep(action: record.id, number: number, change: .removed, entry: entry, folder: folder), of: record)
    }
}
