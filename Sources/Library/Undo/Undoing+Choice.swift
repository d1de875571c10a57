import Catalog
import Documents
import Replica
import Replication

/// Undoes choices among the versions of a document, or makes them again.
extension Undoing {
    func undo(
        _ choice: ActionStep.VersionChoice, _ step: ActionStep, _ transaction: Transaction
    ) throws -> ActionStep {
        let entry = try present(step, transaction)
        let name = entry.subject.name
        guard entry.isReplicated, let id = entry.id else { throw UndoRefusal.isElsewhere(name) }
        let leaves = try versionFiles.leaves(of: entry, transaction)
        guard let outcome = choice.takenBack(from: leaves), let resolution = Resolution(from: leaves, to: outcome),
            resolution.kept == leaves.first || !entry.pending.contains(.content)
        else { throw UndoRefusal.isChanged(name) }
        guard try resolution.restored.allSatisfy({ try isStillThere($0, of: id, transaction) })
        else { throw UndoRefusal.versionIsGone(name) }
        try versionFiles.carryOut(resolution, on: entry, transaction)
        // A version that another one was made from does not come back.
        guard ActionStep.VersionChoice.areSame(try versionFiles.leaves(of: entry, transaction), outcome) else {
            throw UndoRefusal.isChanged(name)
        }
        return ActionStep(
            action: step.action, number: step.number, change: .chosen(.init(before: leaves, after: outcome)),
            entry: entry,
            folder: step.folder)
    }

    /// Whether the container still has the content of a version, as far as this device knows. If the choice was not sent, the version is a
    /// head there.
    private func isStillThere(_ version: VersionID, of id: EntryID, _ rows: Rows) throws -> Bool {
        let leaves = try CatalogReplica(rows).entry(id)?.versions?.leaves ?? []
        return try leaves.contains { $0.id == version } || rows.isDeparted(version)
    }
}
