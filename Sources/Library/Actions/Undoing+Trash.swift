import Backing
import Catalog
import Documents
import FoundationEssentials
import Glibc
import Replica
import Replication
import SystemPackage

/// The trash, as `docfs trash` shows it: the documents that were removed here or elsewhere and can be brought back, one by one.
extension Undoing {
    /// One JSON object a line, the latest removal first.
    func trashText() throws(Refusal) -> String {
        try inspect { catalog in
            let encoder = JSONEncoder()
            return try trashed(catalog).map { trashed in
                let document = TrashedDocument(
                    key: trashed.source.key, name: trashed.step.entry.name?.full ?? trashed.step.entry.filename,
                    place: try place(of: trashed.step, catalog), deleted: trashed.deleted.iso8601,
                    device: trashed.device, size: trashed.step.entry.size)
                return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
            }.joined()
        }
    }

    /// The latest removal first.
    func trashed(_ catalog: CatalogTransaction) throws -> [Trashed] {
        var times: [Int64: Timestamp] = [:]
        let here = try catalog.trashedSteps().map { step in
            if times[step.action] == nil { times[step.action] = try catalog.action(step.action)?.time }
            return Trashed(
                step, deleted: times[step.action] ?? step.entry.modified, device: transactions.store.device.name)
        }
        let elsewhere = try trashedElsewhere(nil, catalog)
        if elsewhere.isEmpty { return here }
        return (here + elsewhere).sorted { $0.deleted > $1.deleted }
    }

    private func trashedElsewhere(_ id: EntryID? = nil, _ catalog: CatalogTransaction) throws -> [Trashed] {
        let top = try existing(.cloud, catalog)
        let now = surroundings.now()
        return try catalog.deletionsElsewhere(id).compactMap { record, device in
            let committed = try JSONDecoder().decode(ReplicaEntry.self, from: Data(record))
            guard let deleted = committed.deleted, let version = committed.versions?.current,
                try catalog.isDeparted(version.id), !Retention.isOver(departed: deleted, now: now)
            else { return nil }
            return Trashed(
                source: .elsewhere(committed.id), step: try ActionStep(deletionOf: committed, below: top),
                deleted: deleted, device: device)
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
            guard names.count < PATH_MAX, let removed = try removedFolder(id, catalog) else { break }
            names.append(removed.entry.filename)
            step = removed
        }
        return ([StorePath.home(of: step.entry).rawValue] + names.reversed()).joined(separator: "/")
    }

    /// Brings one document back, whole, as undo would, whatever else was removed with it. That is an action of its own.
    ///
    /// - Parameters:
    ///   - key: `TrashedDocument.key`.
    ///   - chosen: the folder that it goes to, if that is in the same location; nil for the one that it lay in.
    /// - Throws: ENOENT where no such document is in the trash, EEXIST where its name is taken, ENOSPC.
    func restoreFromTrash(_ key: String, into chosen: Entry? = nil) throws(Refusal) {
        guard let source = Trashed.Source(key: key) else { throw .noSuchName }
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        try mutate { catalog in
            guard let trashed = try trashed(source, catalog) else { throw Refusal.noSuchName }
            var step = trashed.step
            if let chosen, chosen.container == step.entry.container { step.folder = chosen.id }
            let action = try catalog.action(step.action) ?? Self.noAction(at: trashed.deleted)
            var progress = UndoProgress(.undo)
            let back = try restore(step, of: action, &progress, catalog)
            try setTimes(of: progress.restored, catalog)
            if case .step = source { try actions.drop(trashed.step, catalog) }
            try actions.recordCreation(of: back.entry, by: .unknown, catalog)
        }
        observer?.waitUntilNamesAreForgotten()
    }

    private func trashed(_ source: Trashed.Source, _ catalog: CatalogTransaction) throws -> Trashed? {
        switch source {
        case .elsewhere(let id): return try trashedElsewhere(id, catalog).first
        case .step(let action, let number):
            guard let step = try catalog.step(number, of: action), step.change == .removed,
                step.entry.kind == .document, let record = try catalog.action(action)
            else { return nil }
            return Trashed(step, deleted: record.time, device: transactions.store.device.name)
        }
    }

    /// Stands for the action of what another device did.
    static func noAction(at time: Timestamp) -> ActionRecord {
        ActionRecord(id: 0, time: time, name: ActionName(.delete))
    }

    /// A document leaves the trash for good. What the container keeps of it stays there.
    func discard(_ trashed: Trashed) throws(Refusal) {
        try mutate { catalog in
            actions.endGrouping(hasRedo: try catalog.actionCount(.redo) > 0)
            try discard(trashed, catalog)
        }
    }

    private func discard(_ trashed: Trashed, _ catalog: CatalogTransaction) throws {
        if case .step = trashed.source { try actions.drop(trashed.step, catalog) }
        if let id = trashed.step.entry.id { try catalog.forgetDeletion(of: id) }
    }

    /// Removes for good what is in the trash.
    func emptyTrash() throws(Refusal) {
        try mutate { catalog in
            for trashed in try trashed(catalog) where !trashed.step.isInTrash { try discard(trashed, catalog) }
        }
        try Refusal.wrapping { try transactions.store.emptyTrash() }
        actions.endGrouping(hasRedo: try inspect { try $0.actionCount(.redo) > 0 })
    }
}
