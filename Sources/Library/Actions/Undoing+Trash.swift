import Backing
import Catalog
import Documents
import FoundationEssentials
import Glibc
import Replication
import SystemPackage

/// The trash, as `docfs trash` shows it: the documents whose removal can be undone, one by one.
extension Undoing {
    /// One JSON object a line, the latest removal first.
    func trashText() throws(Refusal) -> String {
        try inspect { catalog in
            let encoder = JSONEncoder()
            return try trashed(catalog).map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
        }
    }

    private func trashed(_ catalog: CatalogTransaction) throws -> [TrashedDocument] {
        var times: [Int64: Timestamp] = [:]
        return try catalog.trashedSteps().map { step in
            if times[step.action] == nil { times[step.action] = try catalog.action(step.action)?.time }
            return TrashedDocument(
                key: "\(step.action).\(step.number)", name: step.entry.name?.full ?? step.entry.filename,
                place: try place(of: step, catalog), deleted: times[step.action]?.iso8601 ?? "",
                device: transactions.store.device.name, size: step.entry.size)
        }
    }

    /// The folder that an entry lay in, below `Documents`. Folders that were removed as well count as where they were.
    func place(of step: ActionStep, _ catalog: CatalogTransaction) throws -> String {
        var names: [String] = []
        var step = step
        while let id = step.folder {
            if let folder = try catalog.entry(id) {
                return ([try StorePath.text(of: folder, catalog)] + names.reversed()).joined(separator: "/")
            }
            // A folder that was removed into itself cannot be; a damaged list must not keep us here.
            guard names.count < PATH_MAX, let removed = try catalog.removedStep(id) else { break }
            names.append(removed.entry.filename)
            step = removed
        }
        return ([StorePath.home(of: step.entry).rawValue] + names.reversed()).joined(separator: "/")
    }

    /// Brings one document back, whole, as undo would, whatever else its action removed. That is an action of its own.
    ///
    /// - Parameters:
    ///   - key: `TrashedDocument.key`.
    ///   - chosen: the folder that it goes to, if that is in the same location; nil for the one that it lay in.
    /// - Throws: ENOENT where no such document is in the trash, EEXIST where its name is taken, ENOSPC.
    func restoreFromTrash(_ key: String, into chosen: Entry? = nil) throws(Refusal) {
        let numbers = key.split(separator: ".").map { Int64($0) }
        guard numbers.count == 2, let action = numbers[0], let number = numbers[1] else { throw .noSuchName }
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        try mutate { catalog in
            guard var step = try catalog.step(Int(number), of: action), step.isInTrash,
                let record = try catalog.action(action)
            else { throw Refusal.noSuchName }
            let dropped = step
            if let chosen, chosen.container == step.entry.container { step.folder = chosen.id }
            var progress = UndoProgress(.undo)
            let back = try restore(step, of: record, &progress, catalog)
            try setTimes(of: progress.restored, catalog)
            try actions.drop(dropped, catalog)
            try actions.recordCreation(of: back.entry, by: .unknown, catalog)
        }
        observer?.waitUntilNamesAreForgotten()
    }

    /// Removes for good what is in the trash.
    func emptyTrash() throws(Refusal) {
        try Refusal.wrapping { try transactions.store.emptyTrash() }
        actions.endGrouping(hasRedo: try inspect { try $0.actionCount(.redo) > 0 })
    }
}
