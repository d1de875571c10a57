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

    /// What is in the trash, as a tree.
    func trashTree(_ catalog: CatalogTransaction) throws -> TrashTree {
        let documents = try trashed(catalog)
        return TrashTree(
            documents: documents,
            folders: try removedFolders(catalog) + foldersElsewhere(of: documents, catalog))
    }

    private func removedFolders(_ catalog: CatalogTransaction) throws -> [Trashed] {
        var actions: [Int64: ActionRecord] = [:]
        return try catalog.removedFolderSteps().map { step in
            if actions[step.action] == nil { actions[step.action] = try catalog.action(step.action) }
            let action = actions[step.action]
            return Trashed(
                step, deleted: action?.time ?? step.entry.modified, device: transactions.store.device.name,
                standsAlone: action?.name.kind == .delete && action?.isUndone == false)
        }
    }

    /// The folders that other devices deleted with a document that is in the trash.
    private func foldersElsewhere(of documents: [Trashed], _ catalog: CatalogTransaction) throws -> [Trashed] {
        var folders: [EntryID: Trashed] = [:]
        for document in documents {
            guard case .elsewhere = document.source else { continue }
            var next = document.step.folder
            while let id = next, folders[id] == nil, try catalog.entry(id) == nil,
                let step = try removedFolder(id, catalog), step.action == document.step.action
            {
                folders[id] = Trashed(
                    source: .elsewhere(id), step: step, deleted: document.deleted, device: document.device,
                    standsAlone: false)
                next = step.folder
            }
        }
        return Array(folders.values)
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
    ///   - chosen: the folder that it goes to; nil for the one that it lay in. To the other location the caller moves it afterwards.
    /// - Throws: ENOENT where no such document is in the trash, EEXIST where its name is taken, ENOSPC.
    func restoreFromTrash(_ key: String, into chosen: Entry? = nil) throws(Refusal) {
        guard let source = Trashed.Source(key: key) else { throw .noSuchName }
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        try mutate { catalog in
            guard let trashed = try trashed(source, catalog) else { throw Refusal.noSuchName }
            var step = trashed.step
            if let chosen { step.folder = try folderID(for: step, into: chosen, catalog) }
            let action = try catalog.action(step.action) ?? Self.noAction(at: trashed.deleted)
            var progress = UndoProgress(.undo)
            let back = try restore(step, of: action, &progress, catalog)
            try setTimes(of: progress.restored, catalog)
            if case .step = source { try actions.drop(trashed.step, catalog) }
            try actions.recordCreation(of: back.entry, by: .unknown, catalog)
        }
        observer?.waitUntilNamesAreForgotten()
    }

    private func folderID(for step: ActionStep, into chosen: Entry, _ catalog: CatalogTransaction) throws -> EntryID? {
        if chosen.container == step.entry.container { return chosen.id }
        if let id = step.folder, try catalog.entry(id) != nil { return id }
        // It passes through: its former folder is not made again for that.
        return step.entry.container == .cloud ? try existing(.cloud, catalog).id : nil
    }

    /// Brings a folder back, with all that was removed with it. That is an action of its own.
    ///
    /// - Parameters:
    ///   - contents: what is in the trash of it, at any depth.
    ///   - chosen: as in `restoreFromTrash`.
    /// - Throws: as `restoreFromTrash`.
    func restoreFromTrash(_ folder: Trashed, with contents: [Trashed], into chosen: Entry) throws(Refusal) {
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        try mutate { catalog in
            let action = try catalog.action(folder.step.action) ?? Self.noAction(at: folder.deleted)
            var progress = UndoProgress(.undo)
            var top = folder.step
            top.folder = try folderID(for: top, into: chosen, catalog)
            var back: [Entry] = []
            for step in try [top] + stepsBelow(folder, contents, catalog) {
                if let id = step.entry.id, try catalog.entry(id) != nil { continue }
                back.append(try restore(step, of: action, &progress, catalog).entry)
                if case .step = folder.source { try actions.drop(step, catalog) }
            }
            try setTimes(of: progress.restored, catalog)
            try actions.recordCreation(of: back, catalog)
        }
        observer?.waitUntilNamesAreForgotten()
    }

    /// The removals of all that lay in a folder, each after that of its own folder. Links are among them, which the trash does not show.
    private func stepsBelow(
        _ folder: Trashed, _ contents: [Trashed], _ catalog: CatalogTransaction
    ) throws -> [ActionStep] {
        guard case .step(let action, _) = folder.source else { return contents.map(\.step) }
        var below: [EntryID?: [ActionStep]] = [:]
        for step in try catalog.steps(of: action) where step.change == .removed {
            below[step.folder, default: []].append(step)
        }
        var found: [ActionStep] = []
        var folders = [folder.step.entry.id]
        while let next = folders.popLast() {
            guard let next, let steps = below.removeValue(forKey: next) else { continue }
            found += steps
            folders += steps.filter { $0.entry.kind == .folder }.map(\.entry.id)
        }
        return found
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

    /// Documents and folders leave the trash for good. What the container keeps of them stays there.
    func discard(_ all: [Trashed]) throws(Refusal) {
        try mutate { catalog in
            actions.endGrouping(hasRedo: try catalog.actionCount(.redo) > 0)
            for trashed in all { try discard(trashed, catalog) }
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
        try mutate { catalog in
            for folder in try removedFolders(catalog) where folder.standsAlone { try discard(folder, catalog) }
        }
        actions.endGrouping(hasRedo: try inspect { try $0.actionCount(.redo) > 0 })
    }
}
